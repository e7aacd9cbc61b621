"""What every parser returns: a document's text and the blocks that tile it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a block is; the chunker cuts each kind in its own way."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    LIST_ITEM = "list item"
    QUOTE = "quote"
    CODE = "code"
    TABLE = "table"
    TABLE_ROW = "table row"
    MARGIN = "page margin"
    """What a paged document repeats at the edges of its pages; shown and found by its words, but not embedded."""


@dataclass(frozen=True, slots=True)
class Block:
    """A run of the document's text, `text[start:end]`, and where a reader finds it.

    `headings` is the path of headings in force, outermost first; a heading block's own heading is its last element.
    `page` counts from 1 as the reader counts; `page_label` is the printed number where it differs, else None.
    `children` are the finer places to cut (list items, table rows, the blocks of a quote): when present they tile
    `[start, end)` exactly. `opening` and `closing` make a piece cut out of the block stand alone: the fence lines of
    a code block, the header rows of a table. Both end with a newline where not empty.
    """

    kind: Kind
    start: int
    end: int
    headings: tuple[str, ...] = ()
    page: int | None = None
    page_label: str | None = None
    children: tuple[Block, ...] = ()
    opening: str = ""
    closing: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file.

    `blocks` tile `text`: the first starts at 0, each starts where the one before ends, the last ends at `len(text)`.
    `text` has `\\n` line ends only, no NUL and no lone surrogate. Where `source_lines` is true the lines of `text` are
    lines of the file, the first of them being line `first_line` (counted from 1); otherwise (PDF, HTML, Office …) lines
    count within the extracted text only. `pages` is the number of pages of a paged format. `warnings` are sentences
    about what was lost or repaired, without document text. `media_type` names the format that was read. `attachments`
    is the number of files in it, which `unpacking.unpack` gives; a document of nothing else has an empty text.
    """

    title: str
    text: str
    blocks: tuple[Block, ...]
    media_type: str
    source_lines: bool = False
    first_line: int = 1
    pages: int | None = None
    description: str = ""
    warnings: tuple[str, ...] = ()
    attachments: int = 0
