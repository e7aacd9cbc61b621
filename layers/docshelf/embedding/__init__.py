"""Turning text into vectors: model profiles, their files, the tokenizer and the embedder."""
