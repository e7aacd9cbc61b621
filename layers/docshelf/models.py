"""What an index made now, with a given model, is made with; the same on a laptop and in the functions."""

from __future__ import annotations

from docshelf.chunking import CHUNKER_VERSION, ChunkSizes
from docshelf.documents import PARSER_VERSION
from docshelf.embedding.embedder import Embedder
from docshelf.index.identity import IndexIdentity

SIZES = ChunkSizes()


def identity_of(embedder: Embedder) -> IndexIdentity:
    """What an index made now, with this model, is made with."""
    model = embedder.identity
    return IndexIdentity(
        model=model.name,
        model_sha256=model.sha256,
        tokenizer_sha256=model.tokenizer_sha256,
        dimension=model.dimension,
        pooling=model.pooling,
        query_prefix=model.query_prefix,
        passage_prefix=model.passage_prefix,
        max_tokens=model.max_tokens,
        chunk_tokens=SIZES.text,
        chunker_version=CHUNKER_VERSION,
        parser_version=PARSER_VERSION,
    )
