"""Place a PDF's outline entries in the text of its pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from docshelf.documents.pdf.bookmarks import Entry
from docshelf.documents.tiling import HeadingPath, shortened

_DEEPEST_PATH = 6
_MOST_LINES = 3
_MORE_CHARACTERS = 12


class Headings:
    """The headings in force while the pages are read in order."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._by_page: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for entry in entries:
            title = shortened(_readable(entry.title))
            if title and entry.depth < _DEEPEST_PATH:
                self._by_page[entry.page].append((entry.depth, title))
        self._path = HeadingPath()

    def sections(self, page: int, text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield where each section of the page's `text` starts, and its path; the first starts at 0.

        An entry holds from the line that shows its title. Where no line does, it holds from the top of the page if
        it is the page's first, otherwise from the next section on.
        """
        start, offset, shown = 0, 0, self._path.path
        for number, (depth, title) in enumerate(self._by_page.get(page, ())):
            found = _find(title, text, offset)
            path = self._path.enter(depth, title)
            if found is None:
                shown = path if number == 0 else shown
                continue
            offset = found
            if found > start and text[start:found].strip():
                yield start, shown
                start = found
            shown = path
        yield start, shown


def _readable(title: str) -> str:
    return "".join(character if character.isprintable() else " " for character in title)


def _find(title: str, text: str, start: int) -> int | None:
    """Offset of the line, at `start` or after, where `title` stands, alone or with a few more characters."""
    wanted = _plain(title)
    lines = text[start:].split("\n")
    offset = start
    for number, line in enumerate(lines):
        shown = _plain(line)
        for more in lines[number + 1 : number + _MOST_LINES]:
            if len(shown) >= len(wanted) or not (shown and wanted.startswith(shown)):
                break
            shown += _plain(more)
        if wanted and wanted in shown and len(shown) <= len(wanted) + _MORE_CHARACTERS:
            return offset
        offset += len(line) + 1
    return None


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
