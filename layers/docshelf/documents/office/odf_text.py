"""Text of OpenDocument files: paragraphs, headings, lists, tables, notes and text boxes, as pieces."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from docshelf.documents.html.text import BREAK, lines, one_line
from docshelf.documents.office.odf_table import table_rows
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.text.xml_text import attribute, child, children, local_name, named, number

_MOST_SPACES = 100
_INVISIBLE = frozenset(
    (
        *("annotation", "annotation-end", "tracked-changes", "bookmark", "bookmark-start", "bookmark-end", "ruby-text"),
        *("title", "desc", "sequence-decls", "variable-decls", "user-field-decls", "forms", "soft-page-break"),
    )
)
_INDEXES = frozenset(("table-of-content", "illustration-index", "table-index", "alphabetical-index", "object-index"))


class OdfWriter:
    """Writes the elements of a text body to `builder`."""

    def __init__(self, builder: PieceBuilder, style_trees: list[ET.Element], parents: dict[str, str]) -> None:
        self._builder = builder
        self._parents = parents
        self._numbered = {
            attribute(style, "name") or ""
            for tree in style_trees
            for style in named(tree, "list-style")
            if any(number(level, "level") == 1 for level in children(style, "list-level-style-number"))
        }
        self._notes: list[str] = []
        self._boxes: list[ET.Element] = []

    def blocks(self, parent: ET.Element) -> None:
        """Write everything below `parent`, then the notes that it refers to."""
        self._write_blocks(parent)
        notes, self._notes = self._notes, []
        if notes:
            self._builder.items((0, f"{count}.", note) for count, note in enumerate(notes, 1))

    def _write_blocks(self, parent: ET.Element) -> None:
        for element in children(parent):
            name = local_name(element)
            if name == "h":
                self._builder.heading(number(element, "outline-level", 1), self.inline(element))
            elif name == "p":
                self._write_paragraph(element)
            elif name == "list":
                self._builder.items(list(self._items(element, 0, attribute(element, "style-name") or "")))
            elif name == "table":
                self.table(element)
            elif name not in _INVISIBLE and name not in _INDEXES:
                self._write_blocks(element)
            self._write_boxes()

    def table(self, element: ET.Element) -> None:
        """Write a table with the rows that it declares as headers."""
        headers, rows = table_rows(element, self._cell)
        self._builder.table(rows, headers)

    def inline(self, element: ET.Element) -> str:
        """Text within a paragraph on one or more lines; notes leave their mark, text boxes wait for its end."""
        return lines("".join(self._runs(element)))

    def _write_paragraph(self, element: ET.Element) -> None:
        text = self.inline(element)
        if self._style_is(attribute(element, "style-name") or "", "Title"):
            self._builder.heading(1, text)
        else:
            self._builder.paragraph(text)

    def _write_boxes(self) -> None:
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self._write_blocks(box)

    def _style_is(self, name: str, wanted: str) -> bool:
        """Whether the style is `wanted` or made from it."""
        for _ in range(10):
            if name == wanted:
                return True
            name = self._parents.get(name, "")
        return False

    def _runs(self, element: ET.Element) -> Iterator[str]:
        yield element.text or ""
        for part in element:
            yield from self._run(part, local_name(part))
            yield part.tail or ""

    def _run(self, part: ET.Element, name: str) -> Iterator[str]:
        if name == "s":
            yield " " * max(0, min(number(part, "c", 1), _MOST_SPACES))
        elif name == "tab":
            yield "\t"
        elif name == "line-break":
            yield BREAK
        elif name == "note":
            body = child(part, "note-body")
            self._notes.append("" if body is None else self._cell(body))
            yield f"[{len(self._notes)}]"
        elif name == "text-box":
            self._boxes.append(part)
        elif name == "p":
            yield from (*self._runs(part), BREAK)
        elif name and name not in _INVISIBLE:
            yield from self._runs(part)

    def _cell(self, element: ET.Element) -> str:
        """Text of a table cell or note on one line."""
        return one_line(BREAK.join("".join(self._runs(part)) for part in named(element, "p", "h")))

    def _items(self, element: ET.Element, depth: int, style: str) -> Iterator[tuple[int, str, str]]:
        """Depth, marker and text of each item; an item's later paragraphs have no marker."""
        count = 0
        for item in children(element, "list-item", "list-header"):
            count += local_name(item) == "list-item"
            numbered = style in self._numbered and local_name(item) == "list-item"
            marker = f"{count}." if numbered else "-"
            for part in children(item):
                if local_name(part) == "list":
                    yield from self._items(part, depth + 1, attribute(part, "style-name") or style)
                elif local_name(part) in ("p", "h"):
                    text = self.inline(part)
                    if text:
                        yield depth, marker, text
                        marker = ""
