"""Turning text into vectors: model profiles, their files, the tokenizer and the embedder."""

import os

# onnxruntime reports its use to its maker unless this is set before it is imported. Nothing may leave the machine.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
