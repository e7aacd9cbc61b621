"""A recognised text as a document: what a parser would have made of it."""

from __future__ import annotations

from itertools import pairwise

from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.pdf.margins import margins
from docshelf.documents.tiling import title_from_key
from docshelf.errors import EmptyDocumentError
from docshelf.ocr.reading import Recognised


def document_of(recognised: Recognised, key: str, media_type: str) -> Document:
    """The pages in their order; no block crosses a page, and what pages repeat at their edges is its own block.

    Raises:
        EmptyDocumentError: no page has a word.
    """
    count = len(recognised.pages)
    last = max((page for page, text in enumerate(recognised.pages, 1) if text.strip()), default=0)
    if not last:
        raise EmptyDocumentError(f"Amazon Textract recognised no text in it (pages: {count:,}).", count)
    parts: list[str] = []
    blocks: list[Block] = []
    position = 0
    for page, (text, (top, bottom)) in enumerate(zip(recognised.pages, margins(recognised.pages), strict=True), 1):
        if not text.strip():
            continue
        written = text + ("\n" if page == last else "\n\n")
        edges = sorted({0, top, len(written) if bottom >= len(text) else bottom, len(written)})
        for start, end in pairwise(edges):
            kind = Kind.PARAGRAPH if top <= start < bottom else Kind.MARGIN
            blocks.append(Block(kind, position + start, position + end, page=page))
        parts.append(written)
        position += len(written)
    return Document(
        title=title_from_key(key),
        text="".join(parts),
        blocks=tuple(blocks),
        media_type=media_type,
        pages=count,
        warnings=recognised.warnings,
    )
