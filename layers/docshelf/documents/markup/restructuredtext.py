"""reStructuredText: a light scanner for the structure that passages need; nothing is interpreted or included."""

from __future__ import annotations

import re
import unicodedata

from docshelf.documents.markup.front_matter import split_front_matter
from docshelf.documents.markup.markup_text import plain_restructuredtext
from docshelf.documents.markup.restructuredtext_body import BodyScanner
from docshelf.documents.model import Document, Kind
from docshelf.documents.text.indentation import is_blank, next_text, split_lines
from docshelf.documents.tiling import Draft, HeadingPath, line_starts, shortened, tile, title_from_key

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*$")
_SHORTEST_ADORNMENT = 4


def parse_restructuredtext(text: str, key: str) -> Document:
    """Read `text` (line ends normalised, not blank)."""
    front, body, first_line = split_front_matter(text)
    scanner = _Scanner(split_lines(body))
    drafts = scanner.read() or [Draft(Kind.PARAGRAPH, 0)]
    return Document(
        title=front.title or scanner.title or title_from_key(key),
        text=body,
        blocks=tile(drafts, line_starts(body), 0, len(body)),
        media_type="restructuredtext",
        source_lines=True,
        first_line=first_line,
        description=front.description,
    )


class _Scanner:
    """Finds the section titles; their levels follow the order in which their adornments first appear."""

    def __init__(self, lines: list[str]) -> None:
        self.title = ""
        self._lines = lines
        self._body = BodyScanner(lines)
        self._styles: list[tuple[str, bool]] = []

    def read(self) -> list[Draft]:
        headings = HeadingPath()
        drafts: list[Draft] = []
        number, last = 0, len(self._lines)
        while (number := next_text(self._lines, number, last)) < last:
            title = self._section_title(number)
            if title is None:
                number = self._body.add_block(drafts, number, last, headings.path, 0)
                continue
            style, markup, end = title
            if style not in self._styles:
                self._styles.append(style)
            heading = plain_restructuredtext(markup) or shortened(markup)
            self.title = self.title or heading
            path = headings.enter(self._styles.index(style), heading)
            drafts.append(Draft(Kind.HEADING, number, path))
            number = end
        return drafts

    def _section_title(self, number: int) -> tuple[tuple[str, bool], str, int] | None:
        """The adornment style, text and end of a section title that starts at this line."""
        window = self._lines[number : number + 3]
        if len(window) == 3 and _is_adornment(window[0]) and not is_blank(window[1]):
            same = window[2].rstrip() == window[0].rstrip()
            if same and _fits(window[0], window[1]) and not _is_adornment(window[1]):
                return (window[0][0], True), window[1].strip(), number + 3
        if len(window) < 2 or window[0][0] in " \t" or not _is_adornment(window[1]) or not _fits(window[1], window[0]):
            return None
        if not any(character.isalnum() for character in window[0]) or window[0].startswith(".. "):
            return None
        return (window[1][0], False), window[0].strip(), number + 2


def _is_adornment(line: str) -> bool:
    return _ADORNMENT.match(line) is not None


def _fits(adornment: str, title: str) -> bool:
    """Whether the adornment is as long as the title, or long enough to be meant as one."""
    length = len(adornment.rstrip())
    return length >= _SHORTEST_ADORNMENT or length >= _columns(title.rstrip())


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
