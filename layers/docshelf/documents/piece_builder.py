"""Write down what a parser meets (headings, paragraphs, lists, tables, code) as the pieces of a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from docshelf.documents.html.text import one_line
from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document, Kind
from docshelf.documents.pieces import Group, Piece, assemble
from docshelf.documents.tiling import HeadingPath, bounded_opening, shortened
from docshelf.errors import DocumentTooLargeError, EmptyDocumentError
from docshelf.settings import Limits

_DEEPEST_HEADING = 6
_DEEPEST_INDENT = 8
_BETWEEN_PIECES = 2


class PieceBuilder:
    """Collects pieces in reading order, within the limit on characters.

    `page` and `page_label` are those of whatever is added from then on.
    """

    def __init__(self, limits: Limits) -> None:
        self.page: int | None = None
        self.page_label: str | None = None
        self.first_heading = ""
        self._waiting = ""
        self._limits = limits
        self._pieces: list[Piece] = []
        self._headings = HeadingPath()
        self._groups = 0
        self._characters = 0

    def heading(self, level: int, text: str) -> None:
        """Open a heading, `level` counted from 1; white space and line breaks in it are collapsed."""
        text = one_line(text)
        if not text:
            return
        self._write_waiting()
        level = max(1, min(level, _DEEPEST_HEADING))
        self.first_heading = self.first_heading or shortened(text)
        self._headings.enter(level, shortened(text))
        self._add(Kind.HEADING, f"{'#' * level} {text}")

    def open_heading(self, text: str) -> None:
        """Open a heading of the first level that is written as soon as something follows it, otherwise not at all."""
        self._waiting = text

    def close_headings(self) -> None:
        """What follows is under no heading."""
        self._headings = HeadingPath()

    def paragraph(self, text: str) -> None:
        """Add `text`, which may have several lines, as one paragraph."""
        text = text.strip("\n")
        if text.strip():
            self._add(Kind.PARAGRAPH, text)

    def code(self, text: str, opening: str, closing: str) -> None:
        """Add `text` between the fence lines `opening` and `closing`."""
        written = f"{opening}{text}\n{closing}".removesuffix("\n")
        self._add(Kind.CODE, written, opening=bounded_opening(opening), closing=bounded_opening(closing))

    def items(self, items: Iterable[tuple[int, str, str]]) -> None:
        """Add a list of items: depth counted from 0, marker ("-", "3.", or empty where an item goes on), text."""
        self._groups += 1
        group = Group(Kind.LIST, self._groups)
        for depth, marker, text in items:
            if not text.strip():
                continue
            indent = "  " * min(depth, _DEEPEST_INDENT)
            lead = f"{marker} " if marker else "  "
            first, *more = text.strip("\n").split("\n")
            written = "\n".join([f"{indent}{lead}{first}", *(f"{indent}  {line}" for line in more)])
            self._add(Kind.LIST_ITEM, written, group, starts_item=depth == 0 and bool(marker))

    def table(
        self,
        rows: Iterable[Sequence[str]],
        headers: Sequence[Sequence[str]] = (),
        above: Sequence[Sequence[str]] = (),
    ) -> None:
        """Add `headers`, which are repeated with every part of the table, and `rows`; empty rows are left out.

        `above` are headers that stand further up: they are repeated, but not added.
        """
        header_lines = [row_line(row) for row in headers if any(row)]
        opening = "".join(f"{line}\n" for line in header_lines or [row_line(row) for row in above])
        self._groups += 1
        group = Group(Kind.TABLE, self._groups, bounded_opening(opening))
        for line in header_lines:
            self._add(Kind.TABLE_ROW, line, group)
        for row in rows:
            if any(row):
                self._add(Kind.TABLE_ROW, row_line(row), group)

    def add_all(self, pieces: Iterable[Piece]) -> None:
        """Add pieces that another reader made; their headings go below the one that is open."""
        self._write_waiting()
        offset = self._groups
        for piece in pieces:
            group = piece.group
            if group is not None:
                self._groups = max(self._groups, offset + group.number)
                group = Group(group.kind, offset + group.number, group.opening)
            self._count(piece.text)
            if piece.kind is Kind.HEADING:
                self.first_heading = self.first_heading or piece.headings[-1]
            path = (*self._headings.path, *piece.headings)
            self._pieces.append(replace(piece, headings=path, group=group, page=self.page, page_label=self.page_label))

    def document(
        self,
        title: str,
        media_type: MediaType,
        *,
        pages: int | None = None,
        description: str = "",
        warnings: Sequence[str] = (),
    ) -> Document:
        """The document made of the pieces.

        Raises:
            EmptyDocumentError: there are none.
        """
        if not self._pieces:
            raise EmptyDocumentError("The file holds no text.")
        text, blocks = assemble(self._pieces)
        return Document(
            shortened(title),
            text,
            blocks,
            media_type,
            pages=pages,
            description=description,
            warnings=tuple(dict.fromkeys(warnings)),
        )

    def _add(
        self,
        kind: Kind,
        text: str,
        group: Group | None = None,
        *,
        starts_item: bool = False,
        opening: str = "",
        closing: str = "",
    ) -> None:
        self._write_waiting()
        self._count(text)
        self._pieces.append(
            Piece(
                kind,
                text,
                self._headings.path,
                group,
                starts_item,
                opening,
                closing,
                page=self.page,
                page_label=self.page_label,
            )
        )

    def _write_waiting(self) -> None:
        if self._waiting:
            waiting, self._waiting = self._waiting, ""
            self.heading(1, waiting)

    def _count(self, text: str) -> None:
        self._characters += len(text) + _BETWEEN_PIECES
        if self._characters > self._limits.max_characters:
            raise DocumentTooLargeError(
                f"The text has more than the {self._limits.max_characters:,} characters of DOCSHELF_MAX_CHARACTERS."
            )


def row_line(cells: Sequence[str]) -> str:
    """One table row as a line, `| a | b |`, without empty cells at its end."""
    last = len(cells)
    while last > 1 and not cells[last - 1]:
        last -= 1
    return "| " + " | ".join(cells[:last]) + " |"
