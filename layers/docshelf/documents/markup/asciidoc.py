"""AsciiDoc: a light scanner for the structure that passages need; nothing is interpreted or included."""

from __future__ import annotations

import re

from docshelf.documents.markup.asciidoc_body import ATTRIBUTE_LINE, BodyScanner
from docshelf.documents.markup.front_matter import MAX_DESCRIPTION_CHARACTERS, split_front_matter
from docshelf.documents.markup.markup_text import plain_asciidoc
from docshelf.documents.model import Document, Kind
from docshelf.documents.text.indentation import is_blank, next_text, split_lines
from docshelf.documents.tiling import Draft, HeadingPath, line_starts, shortened, tile, title_from_key

_TITLE = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*$")
_UNDERLINE = re.compile(r"([=\-~^+])\1{3,}[ \t]*$")
_UNDERLINE_LEVELS = "=-~^+"
_MAX_TITLE_LINE = 400
_DESCRIPTION = re.compile(r"^:description:[ \t]+(.+)$", re.MULTILINE)
_HEADER_CHARACTERS = 4_096


def parse_asciidoc(text: str, key: str) -> Document:
    """Read `text` (line ends normalised, not blank)."""
    front, body, first_line = split_front_matter(text)
    scanner = _Scanner(split_lines(body))
    drafts = scanner.read() or [Draft(Kind.PARAGRAPH, 0)]
    description = _DESCRIPTION.search(body, 0, _HEADER_CHARACTERS)
    return Document(
        title=front.title or scanner.title or title_from_key(key),
        text=body,
        blocks=tile(drafts, line_starts(body), 0, len(body)),
        media_type="asciidoc",
        source_lines=True,
        first_line=first_line,
        description=front.description or (description[1][:MAX_DESCRIPTION_CHARACTERS] if description else ""),
    )


class _Scanner:
    """Finds the section titles; what stands between them is the body scanner's."""

    def __init__(self, lines: list[str]) -> None:
        self.title = ""
        self._lines = lines
        self._body = BodyScanner(lines)

    def read(self) -> list[Draft]:
        headings = HeadingPath()
        drafts: list[Draft] = []
        number, last = 0, len(self._lines)
        while (number := next_text(self._lines, number, last)) < last:
            first = self._behind_attributes(number, last)
            found = self._section_title(first) if first < last else None
            if found is None:
                number = self._body.add_block(drafts, number, last, headings.path, 0)
                continue
            level, markup, end = found
            heading = plain_asciidoc(markup) or shortened(markup)
            self.title = self.title or heading
            drafts.append(Draft(Kind.HEADING, number, headings.enter(level, heading)))
            number = end
        return drafts

    def _behind_attributes(self, number: int, last: int) -> int:
        """The line that the anchors and attributes at `number` belong to."""
        while number < last and ATTRIBUTE_LINE.match(self._lines[number]):
            number += 1
        return number

    def _section_title(self, number: int) -> tuple[int, str, int] | None:
        """Level (from 1), text and end of the section title that starts at this line."""
        line = self._lines[number].rstrip()
        if is_blank(line) or len(line) > _MAX_TITLE_LINE:
            return None
        title = _TITLE.match(line)
        if title:
            return len(title[1]), title[2], number + 1
        following = self._lines[number + 1].rstrip() if number + 1 < len(self._lines) else ""
        is_underlined = _UNDERLINE.match(following) and abs(len(following) - len(line)) < 2
        if is_underlined and line[0].isalnum() and not line.endswith((".", ":", ",")):
            return 1 + _UNDERLINE_LEVELS.index(following[0]), line, number + 2
        return None
