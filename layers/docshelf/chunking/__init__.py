"""Cutting a document into chunks that tile its text and say where they are from.

`chunk_document` is the only door. Joined in order, the chunks' texts are the document's text, character for character.
"""

from docshelf.chunking.chunker import CHUNKER_VERSION, chunk_document
from docshelf.chunking.model import Chunk, ChunkSizes, Tokenizer

__all__ = ["CHUNKER_VERSION", "Chunk", "ChunkSizes", "Tokenizer", "chunk_document"]
