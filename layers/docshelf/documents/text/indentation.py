"""Lines and their indentation, for the formats whose structure is indentation or whole-line marks."""

from __future__ import annotations

_TAB = 8


def split_lines(text: str) -> list[str]:
    """Lines of `text` without their ends; only `\\n` ends a line."""
    return text.split("\n")


def indentation(line: str) -> int:
    """Columns of white space before the first character; tabs go to the next multiple of 8."""
    column = 0
    for character in line:
        if character == " ":
            column += 1
        elif character == "\t":
            column += _TAB - column % _TAB
        else:
            break
    return column


def is_blank(line: str) -> bool:
    """Whether `line` has nothing to read."""
    return not line or line.isspace()


def next_text(lines: list[str], first: int, last: int) -> int:
    """Number of the first line in `[first, last)` that is not blank, `last` when all are."""
    while first < last and is_blank(lines[first]):
        first += 1
    return first


def next_blank(lines: list[str], first: int, last: int) -> int:
    """Number of the first blank line in `[first, last)`, `last` when there is none."""
    while first < last and not is_blank(lines[first]):
        first += 1
    return first


def indented_end(lines: list[str], first: int, last: int, margin: int) -> int:
    """End of the run from `first` of lines that are blank or indented deeper than `margin`."""
    while first < last and (is_blank(lines[first]) or indentation(lines[first]) > margin):
        first += 1
    return first
