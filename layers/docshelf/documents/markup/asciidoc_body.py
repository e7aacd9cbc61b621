"""What stands between the section titles of AsciiDoc: paragraphs, lists, delimited blocks, tables."""

from __future__ import annotations

import re

from docshelf.documents.model import Kind
from docshelf.documents.text.indentation import is_blank, next_text
from docshelf.documents.tiling import Draft, bounded_opening

ATTRIBUTE_LINE = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\][ \t]*$")
"""Anchors and attributes: they belong to the block or title that follows."""

_MAX_DEPTH = 10
_BLOCK_TITLE = re.compile(r"\.[^\s.]")
_DELIMITER = re.compile(r"(?:([-.=*_+/])\1{3,}|--|`{3,}.*|([|,:!])={3,})[ \t]*$")
_VERBATIM = ("----", "....", "```", "++++")
_LIST_MARK = re.compile(
    r"\s*(?:\*{1,6}|-|\.{1,6}|\d{1,9}\.|[A-Za-z]\.|<(?:\d+|\.)>)[ \t]+\S|"
    r"\s*\S[^\n]{0,300}?(?:::{1,3}|;;)(?:[ \t]|$)"
)
_CELL = re.compile(r"[ \t]*(?:\d*[.+*\d]*[<^>]?[.<^>]*[adehlmsv]?)[|!]")


class BodyScanner:
    """Finds the blocks in `lines`; every method takes the range of lines `[first, last)` that it may look at."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def add_block(self, drafts: list[Draft], first: int, last: int, headings: tuple[str, ...], depth: int) -> int:
        """Add the block that starts at the line `first`, which is not blank, and return the line behind it."""
        start = self._behind_preface(first, last)
        if start == last:
            drafts.append(Draft(Kind.PARAGRAPH, first, headings))
            return last
        line = self._lines[start].rstrip()
        if _DELIMITER.match(line):
            return self._delimited(drafts, first, start, last, headings, depth)
        if _LIST_MARK.match(line):
            return self._list(drafts, first, start, last, headings, depth)
        drafts.append(Draft(Kind.PARAGRAPH, first, headings))
        return self._paragraph_end(start, last)

    def _behind_preface(self, first: int, last: int) -> int:
        """The line that the attributes, block title and comments at `first` belong to."""
        number = first
        while number < last:
            line = self._lines[number]
            is_comment = line.startswith("//") and not line.startswith("////")
            if not (ATTRIBUTE_LINE.match(line) or _BLOCK_TITLE.match(line) or is_comment):
                break
            number += 1
        return number if number == last or not is_blank(self._lines[number]) else max(number, first + 1)

    def _paragraph_end(self, start: int, last: int) -> int:
        if is_blank(self._lines[start]):
            return start
        number = start + 1
        while number < last and not is_blank(self._lines[number]):
            line = self._lines[number].rstrip()
            if _DELIMITER.match(line) or ATTRIBUTE_LINE.match(line):
                break
            number += 1
        return number

    def _closing(self, opener: int, last: int) -> int:
        """The line of the delimiter that closes the one at `opener`, `last` when there is none."""
        delimiter = self._lines[opener].rstrip()
        if delimiter.startswith("```"):
            delimiter = "`" * (len(delimiter) - len(delimiter.lstrip("`")))
        return next((n for n in range(opener + 1, last) if self._lines[n].rstrip() == delimiter), last)

    def _delimited(
        self, drafts: list[Draft], first: int, opener: int, last: int, headings: tuple[str, ...], depth: int
    ) -> int:
        delimiter = self._lines[opener].rstrip()
        close = self._closing(opener, last)
        end = min(close + 1, last)
        if delimiter.startswith(_VERBATIM) or any(self._lines[n].startswith("[source") for n in range(first, opener)):
            attributes = [line for line in self._lines[first:opener] if line.startswith("[")][-1:]
            opening = "".join(f"{line}\n" for line in [*attributes, delimiter])
            closing = "`" * 3 if delimiter.startswith("```") else delimiter
            block = Draft(Kind.CODE, first, headings)
            if bounded_opening(opening):
                block.opening, block.closing = opening, f"{closing}\n"
            drafts.append(block)
        elif delimiter.startswith("////"):
            drafts.append(Draft(Kind.PARAGRAPH, first, headings))
        elif delimiter[1:2] == "=" and delimiter[0] != "=":
            drafts.append(self._table(first, opener, close, headings))
        else:
            block = Draft(Kind.QUOTE, first, headings)
            # The opening delimiter stands alone, so that what it encloses can be cut from it.
            block.children = [
                Draft(Kind.PARAGRAPH, first, headings),
                *self._body(opener + 1, close, headings, depth + 1),
            ]
            drafts.append(block)
        return end

    def _body(self, first: int, last: int, headings: tuple[str, ...], depth: int) -> list[Draft]:
        drafts: list[Draft] = []
        if depth >= _MAX_DEPTH:
            return drafts
        while (first := next_text(self._lines, first, last)) < last:
            first = self.add_block(drafts, first, last, headings, depth)
        return drafts

    def _table(self, first: int, opener: int, close: int, headings: tuple[str, ...]) -> Draft:
        """Rows are what blank lines part; where nothing is parted, each line that starts a cell is a row."""
        texts = [n for n in range(opener + 1, close) if not is_blank(self._lines[n])]
        groups = [n for n in texts if n - 1 == opener or is_blank(self._lines[n - 1])]
        cells = [n for n in texts if _CELL.match(self._lines[n])]
        several_on_first = bool(texts) and self._lines[texts[0]].count("|") > 1
        lone_cells = sum(self._lines[n].count("|") == 1 for n in cells)
        rows = groups if len(groups) > 2 and lone_cells * 2 > len(cells) else cells
        has_header = any("header" in self._lines[n] for n in range(first, opener)) or (
            several_on_first and texts[0] + 1 < close and is_blank(self._lines[texts[0] + 1])
        )
        children = [Draft(Kind.TABLE_ROW, row, headings) for row in [first, *rows[1:]]]
        opening = "".join(f"{line}\n" for line in self._lines[opener : rows[1]]) if has_header and len(rows) > 1 else ""
        closing = f"{self._lines[opener].rstrip()}\n"
        opening = bounded_opening(opening)
        return Draft(Kind.TABLE, first, headings, children, opening, closing if opening else "")

    def _list(
        self, drafts: list[Draft], first: int, start: int, last: int, headings: tuple[str, ...], depth: int
    ) -> int:
        """A list; the items of its inner lists are items like its own."""
        block = Draft(Kind.LIST, first, headings)
        number = start
        while number < last and _LIST_MARK.match(self._lines[number]):
            item = Draft(Kind.LIST_ITEM, number, headings)
            number = self._item(item, number, last, headings, depth)
            block.children.append(item)
            following = next_text(self._lines, number, last)
            if following < last and _LIST_MARK.match(self._lines[following]):
                number = following
        drafts.append(block)
        return number

    def _item(self, item: Draft, first: int, last: int, headings: tuple[str, ...], depth: int) -> int:
        """Fill `item` with its paragraph and the blocks attached to it by `+`; return the line behind it."""
        item.children.append(Draft(Kind.PARAGRAPH, first, headings))
        number = first + 1
        while number < last and not is_blank(self._lines[number]):
            line = self._lines[number].rstrip()
            if line == "+":
                number = next_text(self._lines, number + 1, last)
                if number < last:
                    number = self._attached(item.children, number, last, headings, depth)
            elif _DELIMITER.match(line):
                number = self._attached(item.children, number, last, headings, depth)
            elif _LIST_MARK.match(line) or ATTRIBUTE_LINE.match(line):
                break
            else:
                number += 1
        return number

    def _attached(self, drafts: list[Draft], first: int, last: int, headings: tuple[str, ...], depth: int) -> int:
        start = self._behind_preface(first, last)
        if start < last and _DELIMITER.match(self._lines[start].rstrip()):
            return self._delimited(drafts, first, start, last, headings, depth)
        drafts.append(Draft(Kind.PARAGRAPH, first, headings))
        return max(start, first + 1)
