"""Tables without ruling lines: lines of a PDF page whose parts stand in the same columns."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from docshelf.documents.pdf.words import WIDE_GAP, Word, is_split, joined

_FEWEST_ROWS = 3
_FEWEST_COLUMNS = 2
_MOST_ROWS = 300
_FARTHEST_ROW = 3.0
_ALIGNED = 0.35
_ALIGNED_SHARE = 0.7
_MANY_WORDS = 3
_FILLED = 0.7
_LEADER = re.compile(r"\w\W{0,3}(?:[.…] ?){4}|(?:[.…] ?){4}\W{0,3}\w")
_MARKER = re.compile(r"[^\w\s]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.):]?", re.IGNORECASE)


@dataclass(slots=True)
class Part:
    """Neighbouring words of a line without a wide gap between them; left and right in points."""

    words: list[Word]
    left: float
    right: float


@dataclass(slots=True)
class Aligned:
    """The lines `start` to `end` (not included) are rows; `rows` has the text of each of their cells."""

    start: int
    end: int
    rows: list[list[str]]


def parts_of(words: Sequence[Word]) -> list[Part]:
    """A line cut at its wide gaps; none where it is no row: not from left to right, with a split word or leaders."""
    parts: list[Part] = []
    if is_split(words):
        return parts
    for word in words:
        last = parts[-1] if parts else None
        if last is not None and word.left < last.words[-1].left:
            return []
        if last is not None and word.left - last.right <= WIDE_GAP * word.height:
            last.words.append(word)
            last.right = max(last.right, word.right)
        else:
            parts.append(Part([word], word.left, word.right))
    return [] if any(_LEADER.search(joined(part.words)) for part in parts) else parts


def aligned_tables(lines: Sequence[Sequence[Word]]) -> list[Aligned]:
    """The tables among the lines of a page, which are in reading order; a line that is no candidate is empty."""
    cut = [parts_of(line) for line in lines]
    found: list[Aligned] = []
    start = 0
    while start < len(cut):
        end, columns = _run(lines, cut, start)
        if end - start >= _FEWEST_ROWS and _is_table(cut[start:end], columns):
            rows = [_cells(parts, columns) for parts in cut[start:end]]
            found.append(Aligned(start, end, rows))
        start = max(end, start + 1)
    return found


Columns = list[tuple[float, float]]


def _run(lines: Sequence[Sequence[Word]], cut: Sequence[list[Part]], start: int) -> tuple[int, Columns]:
    """Where the lines from `start` on end that share columns, no two parts of a line being in one; the columns."""
    columns: Columns = []
    end = start
    while end < len(cut) and end - start < _MOST_ROWS and len(cut[end]) >= _FEWEST_COLUMNS:
        if end > start and not _follows(lines[end - 1], lines[end]):
            break
        wider = _united([*columns, *((part.left, part.right) for part in cut[end])])
        joins = len(set(_places_of(columns, wider))) < len(columns)
        if any(len(set(_places(parts, wider))) < len(parts) for parts in cut[start if joins else end : end + 1]):
            break
        columns = wider
        end += 1
    return end, columns


def _follows(above: Sequence[Word], below: Sequence[Word]) -> bool:
    """Whether a line is the next row down."""
    step = above[0].bottom - below[0].bottom
    return 0 < step <= _FARTHEST_ROW * max(above[0].height, below[0].height)


def _united(spans: Columns) -> Columns:
    united: Columns = []
    for left, right in sorted(spans):
        if united and left < united[-1][1]:
            united[-1] = united[-1][0], max(united[-1][1], right)
        else:
            united.append((left, right))
    return united


def _places(parts: Sequence[Part], columns: Columns) -> list[int]:
    """The column of each part."""
    return _places_of([(part.left, part.right) for part in parts], columns)


def _places_of(spans: Columns, columns: Columns) -> list[int]:
    starts = [start for start, _ in columns]
    return [bisect_right(starts, left) - 1 for left, _ in spans]


def _cells(parts: Sequence[Part], columns: Columns) -> list[str]:
    cells = [""] * len(columns)
    for part, place in zip(parts, _places(parts, columns), strict=True):
        cells[place] = joined(part.words)
    return cells


def _is_table(rows: Sequence[list[Part]], columns: Columns) -> bool:
    """Whether the columns are lined up and none of them, or at most one of three or more, is prose."""
    by_column: list[list[Part]] = [[] for _ in columns]
    for parts in rows:
        for part, place in zip(parts, _places(parts, columns), strict=True):
            by_column[place].append(part)
    if any(len(column) < _FEWEST_ROWS for column in by_column[:_FEWEST_COLUMNS]):
        return False
    if not all(map(_is_lined_up, by_column)):
        return False
    prose = sum(_is_prose(column, right - left) for column, (left, right) in zip(by_column, columns, strict=True))
    marked = all(_MARKER.fullmatch(joined(part.words)) for part in by_column[0])
    return prose <= (len(columns) > _FEWEST_COLUMNS + marked) and not (marked and len(columns) == _FEWEST_COLUMNS)


def _is_lined_up(column: Sequence[Part]) -> bool:
    """Whether most parts begin, or end, or have their middle at one place."""
    near = _ALIGNED * median(part.words[0].height for part in column)
    edges = (
        [part.left for part in column],
        [part.right for part in column],
        [(part.left + part.right) / 2 for part in column],
    )
    return any(
        sum(abs(place - median(places)) <= near for place in places) >= _ALIGNED_SHARE * len(places) for places in edges
    )


def _is_prose(column: Sequence[Part], width: float) -> bool:
    """Whether lines of several words fill a column."""
    filled = median((part.right - part.left) / width for part in column) if width > 0 else 0.0
    return median(len(part.words) for part in column) >= _MANY_WORDS and filled >= _FILLED
