"""CSV, TSV and their kin: the file's own lines as rows of a table, its header repeated with every part."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass

from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.text.plain import parse_plain
from docshelf.documents.tiling import bounded_opening, line_starts, title_from_key

_DELIMITERS = "\t,;|"
_LOOKED_AT = 100
_LONGEST_LOOKED_AT = 100_000
_MOST_LINES_IN_RECORD = 100
_MANY_RECORDS = 200_000
_LEAST_CHARACTERS_OF_MANY = 1_000
_OPEN_FIELD = re.compile(r'(?:^|[\t,;|]) *"(?:[^"]|"")*\Z', re.MULTILINE)
_STATED = re.compile(r"\ufeff?sep=([^\n])\n", re.IGNORECASE)
_NO_NAME = re.compile(r"[-+]?[$€£]?[\d.,' ]*\d[%\d.,]*|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Layout:
    """`header` is the number of the record that names the columns, None where none does."""

    delimiter: str
    first: int
    header: int | None


def parse_delimited(text: str, key: str) -> Document:
    """Read `text` (line ends normalised, not blank) as a table; as plain text where no delimiter is in regular use."""
    records = _records(text)
    layout = _layout(text, records)
    if layout is None:
        return parse_plain(text, key)
    starts = [start for start, _ in records]
    first = starts[layout.first] if layout.first else 0
    blocks: list[Block] = []
    if first:
        blocks.append(Block(Kind.PARAGRAPH, 0, first))
    opening = ""
    if layout.header is not None:
        start, end = records[layout.header]
        opening = bounded_opening(text[start:end].rstrip("\n") + "\n")
    rows = _rows([first, *starts[layout.first + 1 :]], len(text))
    blocks.append(Block(Kind.TABLE, first, len(text), children=rows if len(rows) > 1 else (), opening=opening))
    return Document(title_from_key(key), text, tuple(blocks), "csv", source_lines=True)


def _records(text: str) -> list[tuple[int, int]]:
    """Start and end of each record that is not blank; one may have several lines where a quoted field does."""
    starts = line_starts(text)
    ends = [*starts[1:], len(text)]
    found: list[tuple[int, int]] = []
    quoting = True
    number = 0
    while number < len(starts):
        last = number
        if quoting and _opens_field(text, starts[number], ends[number]):
            closing = _last_line(text, starts, ends, number)
            quoting = closing is not None  # a quotation mark that is never closed says nothing about the lines below
            last = number if closing is None else closing
        if text[starts[number] : ends[last]].strip():
            found.append((starts[number], ends[last]))
        number = last + 1
    return found


def _opens_field(text: str, start: int, end: int) -> bool:
    """Whether a line ends within a quoted field, which begins where a field does."""
    return text.count('"', start, end) % 2 == 1 and _OPEN_FIELD.search(text, start, end) is not None


def _last_line(text: str, starts: list[int], ends: list[int], first: int) -> int | None:
    """The line on which the quoted field that line `first` opens is closed; None where none near does."""
    for number in range(first + 1, min(first + _MOST_LINES_IN_RECORD, len(starts))):
        if text.count('"', starts[number], ends[number]) % 2:
            return number
    return None


def _layout(text: str, records: list[tuple[int, int]]) -> _Layout | None:
    """Delimiter, first record of the table and header, told from the first records."""
    sample = [text[start : min(end, start + _LONGEST_LOOKED_AT)].rstrip("\n") for start, end in records[:_LOOKED_AT]]
    stated = _STATED.match(text)
    if stated:
        sample[0] = ""
    best: tuple[tuple[bool, float, int], _Layout] | None = None
    for delimiter in [stated[1]] if stated else _DELIMITERS:
        fields = [_fields(record, delimiter) for record in sample]
        counts = Counter(len(row) for row in fields if len(row) > 1)
        if not counts:
            continue
        width, regular = counts.most_common(1)[0]
        share = regular / len(sample)
        first = next(number for number, row in enumerate(fields) if len(row) == width)
        enough = len(sample) - first > 1 or stated is not None
        merit = first == int(stated is not None), round(share, 1), width
        if share >= 0.5 and enough and (best is None or merit > best[0]):
            best = merit, _Layout(delimiter, first, _header(fields, first))
    return best[1] if best else None


def _fields(record: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([record], delimiter=delimiter), [])
    except csv.Error:  # a field longer than the reader takes, or a delimiter that is a quotation mark
        return record.split(delimiter)


def _header(fields: list[list[str]], first: int) -> int | None:
    """The first record of the table where its fields look like names of columns, else None."""
    names = [name.strip() for name in fields[first]]
    filled = [name for name in names if name]
    if len(fields) - first < 2 or len(filled) * 2 < len(names) or len(set(filled)) * 2 < len(filled):
        return None
    unnamed = sum(_NO_NAME.fullmatch(name[:50]) is not None for name in filled)
    return first if not _NO_NAME.fullmatch(filled[0][:50]) and unnamed * 2 <= len(filled) else None


def _rows(starts: list[int], end: int) -> tuple[Block, ...]:
    """A block for each record; in a very long file short records are taken together."""
    least = _LEAST_CHARACTERS_OF_MANY if len(starts) > _MANY_RECORDS else 0
    kept: list[int] = []
    for start in starts:
        if not kept or start >= kept[-1] + least:
            kept.append(start)
    edges = [*kept, end]
    return tuple(Block(Kind.TABLE_ROW, start, edges[number + 1]) for number, start in enumerate(kept))
