"""Made-up chunks."""

from __future__ import annotations

from datetime import UTC, datetime

from docshelf.index.records import StoredChunk

MOMENT = datetime(2026, 3, 4, tzinfo=UTC)


def chunk(ordinal: int, text: str = "", source: str = "a.md") -> StoredChunk:
    """Chunk `ordinal` of a document of two lines a chunk."""
    return StoredChunk(
        source=source,
        collection="general",
        ordinal=ordinal,
        title="Title",
        headings=("Part",),
        page=None,
        page_label=None,
        first_line=2 * ordinal + 1,
        last_line=2 * ordinal + 2,
        line_kind="source",
        text=text or f"first of {ordinal}\nsecond of {ordinal}\n",
        opening="",
        closing="",
        version="1",
        modified_at=MOMENT,
        indexed_at=MOMENT,
    )
