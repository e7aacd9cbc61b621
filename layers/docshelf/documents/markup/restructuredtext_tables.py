"""Tables of reStructuredText: grid, simple, list and CSV."""

from __future__ import annotations

import re

from docshelf.documents.model import Kind
from docshelf.documents.text.indentation import indentation, is_blank
from docshelf.documents.tiling import Draft, bounded_opening

_GRID_BORDER = re.compile(r"\s*\+[-=]+(?:\+[-=]+)*\+\s*$")
_GRID_LINE = re.compile(r"\s*[+|]")
_SIMPLE_BORDER = re.compile(r"\s*=+(?:[ ]+=+)+\s*$")
_LIST_ROW = re.compile(r"\s*\*[ ]+-")


def table(lines: list[str], first: int, last: int, headings: tuple[str, ...]) -> tuple[Draft, int] | None:
    """The grid or simple table that starts at line `first` and the line behind it, or None."""
    if _GRID_BORDER.match(lines[first]):
        return _grid(lines, first, last, headings)
    if _SIMPLE_BORDER.match(lines[first]):
        return _simple(lines, first, last, headings)
    return None


def _grid(lines: list[str], first: int, last: int, headings: tuple[str, ...]) -> tuple[Draft, int] | None:
    end = first + 1
    while end < last and _GRID_LINE.match(lines[end]):
        end += 1
    borders = [number for number in range(first, end) if _GRID_BORDER.match(lines[number])]
    if len(borders) < 2:
        return None
    header = next((number for number in borders if "=" in lines[number]), None)
    rows = [first, *(number + 1 for number in borders[1:-1])]
    if header is not None:
        rows = [first, *(row for row in rows if row > header)]
    return _draft(lines, first, header, rows, headings), end


def _simple(lines: list[str], first: int, last: int, headings: tuple[str, ...]) -> tuple[Draft, int] | None:
    borders = [first]
    number = first + 1
    while number < last:
        if _SIMPLE_BORDER.match(lines[number]):
            borders.append(number)
            if len(borders) == 3 or number + 1 >= last or is_blank(lines[number + 1]):
                break
        number += 1
    else:
        return None
    header = borders[1] if len(borders) == 3 else None
    margin = indentation(lines[first])
    body = header if header is not None else first
    begun = [n for n in range(body + 1, borders[-1]) if not is_blank(lines[n]) and indentation(lines[n]) <= margin]
    rows = [first, *begun] if header is not None else [first, *begun[1:]]
    return _draft(lines, first, header, rows, headings), borders[-1] + 1


def _draft(lines: list[str], first: int, header: int | None, rows: list[int], headings: tuple[str, ...]) -> Draft:
    opening = "" if header is None else "".join(f"{line}\n" for line in lines[first : header + 1])
    children = [Draft(Kind.TABLE_ROW, row, headings) for row in rows]
    return Draft(Kind.TABLE, first, headings, children, bounded_opening(opening))


def list_table(lines: list[str], first: int, body: int, last: int, headings: tuple[str, ...]) -> Draft:
    """A `list-table` directive at `first` whose rows are the items between `body` and `last`."""
    rows = [number for number in range(body, last) if _LIST_ROW.match(lines[number])]
    children = [Draft(Kind.TABLE_ROW, row, headings) for row in [first, *rows[1:]]]
    has_header = any(":header-rows:" in line for line in lines[first : rows[0] if rows else body])
    opening = ""
    if has_header and len(rows) > 1:
        opening = "".join(f"{line}\n" for line in lines[rows[0] : rows[1]])
    return Draft(Kind.TABLE, first, headings, children, bounded_opening(opening))


def csv_table(lines: list[str], first: int, body: int, last: int, headings: tuple[str, ...]) -> Draft:
    """A `csv-table` directive at `first`, a row for each line between `body` and `last`."""
    rows = [number for number in range(body, last) if not is_blank(lines[number])]
    children = [Draft(Kind.TABLE_ROW, row, headings) for row in [first, *rows[1:]]]
    header = next((line for line in lines[first:body] if ":header:" in line), "")
    return Draft(Kind.TABLE, first, headings, children, bounded_opening(f"{header}\n" if header else ""))
