"""Plain text: paragraphs between blank lines. Also what logs and anything without a known structure become."""

from __future__ import annotations

import re

from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.tiling import Draft, line_starts, tile, title_from_key

_BLANK_LINE = re.compile(r"[^\S\n]*(?:\n|\Z)")
_MANY_LINES = 200_000
_LEAST_CHARACTERS_OF_MANY = 1_000


def parse_plain(text: str, key: str) -> Document:
    """Read `text` (line ends normalised, not blank) as paragraphs."""
    return Document(
        title=title_from_key(key),
        text=text,
        blocks=groups(text, Kind.PARAGRAPH),
        media_type="plain text",
        source_lines=True,
    )


def groups(text: str, kind: Kind, continues: re.Pattern[str] | None = None) -> tuple[Block, ...]:
    """Blocks of `kind` that start behind blank lines, except where a line matches `continues`.

    In a text of very many lines short groups are taken together, so that the number of blocks stays bounded.
    """
    starts = line_starts(text)
    least = _LEAST_CHARACTERS_OF_MANY if len(starts) > _MANY_LINES else 0
    drafts: list[Draft] = []
    next_possible = 0
    after_blank = True
    for number, start in enumerate(starts):
        blank = _BLANK_LINE.match(text, start) is not None
        if after_blank and not blank and start >= next_possible and not (continues and continues.match(text, start)):
            drafts.append(Draft(kind, number))
            next_possible = start + least
        after_blank = blank
    return tile(drafts or [Draft(kind, 0)], starts, 0, len(text))
