"""Numbers of a spreadsheet as its reader sees them: the part of the number formats that says what a number means.

Decimals, thousands, percent, currency and leading zeros are followed. Dates and times are written in the order of
ISO 8601 whatever the format's own order, which in many formats is that of the reader's country.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache

_BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00",
    14: "d/m/y", 15: "d/m/y", 16: "d/m", 17: "m/y", 18: "h:m", 19: "h:m:s", 20: "h:m", 21: "h:m:s", 22: "d/m/y h:m",
    37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 41: "#,##0", 42: "$#,##0", 43: "#,##0.00",
    44: "$#,##0.00", 45: "m:s", 46: "[h]:m:s", 47: "m:s", 48: "0.0E+0",
    **dict.fromkeys((*range(27, 32), 36, *range(50, 55), 57, 58), "y/m/d"),
    **dict.fromkeys(range(32, 36), "h:m:s"),
}  # fmt: skip
_TOKEN = re.compile(
    r'"([^"]*)"|\\(.)|([_*]).|\[\$([^\]-]*)(?:-[^\]]*)?\]|(\[[^\]]*\])|([#0?.,]*[#0?][#0?.,]*)|(.)', re.DOTALL
)
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_NOT_DATES = re.compile(r"[eE][+-]|general", re.IGNORECASE)
_DATE_LETTERS = frozenset("ymdhse")
_LETTERS_OF_DATES = frozenset("ymdhsegbarn")
_NOT_LETTERS = re.compile(r'"[^"]*"|\\.|[_*].|\[[^\]]*\]|AM/PM|A/P', re.IGNORECASE | re.DOTALL)
_LONGEST_FORMAT = 500
_MOST_DECIMALS = 15
_LARGEST_WRITTEN_OUT = 1e15
_FIRST_MARCH_1900 = 60
_DAY_SECONDS = 86_400
_LAST_DAY = 2_958_466

Formatter = Callable[[float], str]


def built_in(number: int) -> str:
    """Code of a number format that files name by its number only; empty for "General"."""
    return _BUILT_IN.get(number, "")


@lru_cache(maxsize=4_096)
def formatter(code: str, *, from_1904: bool = False) -> Formatter:
    """How numbers in cells with the format `code` are written; `from_1904` is the workbook's first day of dates."""
    if not code or len(code) > _LONGEST_FORMAT or code.lower() in ("general", "standard", "@"):
        return general
    letters = _NOT_LETTERS.sub("", code.split(";")[0])
    if _ELAPSED.search(code):
        return _duration
    used = set(re.findall("[a-z]", _NOT_DATES.sub("", letters).lower()))
    if used & _DATE_LETTERS and used <= _LETTERS_OF_DATES and "#" not in letters:
        return _moment(letters.lower(), from_1904=from_1904)
    sections = code.split(";") if '"' not in code else re.findall(r'(?:[^;"]|"[^"]*"?)+', code)
    return _signed([_section(section) for section in sections[:2]])


def general(value: float) -> str:
    """A number without a format of its own: a whole one in full, others with eleven digits at most."""
    if not math.isfinite(value):
        return ""
    if value == int(value) and abs(value) < _LARGEST_WRITTEN_OUT:
        return str(int(value))
    return f"{value:.11g}"


def _signed(sections: list[Formatter]) -> Formatter:
    positive = sections[0]
    if len(sections) == 1:
        return lambda value: positive(value) if value >= 0 else f"-{positive(-value)}"
    return lambda value: positive(value) if value >= 0 else sections[1](-value)


def _section(code: str) -> Formatter:
    """The format of one sign's numbers; numbers come to it without their sign."""
    before, pattern, after, percents = "", "", "", 0
    for quoted, escaped, _skipped, currency, bracket, digits, other in _TOKEN.findall(code):
        if digits and pattern:
            return general  # digits in parts, as of a phone number or a fraction
        if digits:
            pattern = digits
            continue
        if bracket.startswith(("[<", "[>", "[=")) or other in ("E", "e", "/") or "general" in code.lower():
            return general
        percents += other == "%"
        literal = quoted or escaped or currency or other
        before, after = (before, after + literal) if pattern else (before + literal, after)
    if not pattern:
        return general
    return _pattern(pattern, before.lstrip(), after.rstrip(), 100.0**percents)


def _pattern(pattern: str, before: str, after: str, factor: float) -> Formatter:
    scaled = pattern.rstrip(",")
    factor /= 1_000.0 ** (len(pattern) - len(scaled))
    whole, _, fraction = scaled.partition(".")
    least, most = fraction.count("0"), min(len(fraction), _MOST_DECIMALS)
    grouping = "," if "," in whole else ""
    width = whole.count("0")

    def write(value: float) -> str:
        value *= factor
        if not math.isfinite(value) or abs(value) >= _LARGEST_WRITTEN_OUT:
            return f"{before}{general(value)}{after}"
        text = f"{value:{grouping}.{most}f}"
        digits, point, decimals = text.partition(".")
        decimals = decimals.rstrip("0").ljust(least, "0")
        digits = digits.zfill(width) if not grouping else digits
        return f"{before}{digits}{point if decimals else ''}{decimals}{after}"

    return write


def _duration(value: float) -> str:
    if not math.isfinite(value) or abs(value) > _LAST_DAY:
        return general(value)
    seconds = round(abs(value) * _DAY_SECONDS)
    text = f"{seconds // 3_600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"-{text}" if value < 0 else text


def _moment(letters: str, *, from_1904: bool) -> Formatter:
    has_time = "h" in letters or "s" in letters
    has_date = "y" in letters or "d" in letters or "e" in letters or not has_time
    has_day, has_month = "d" in letters, "m" in letters

    def write(value: float) -> str:
        if not math.isfinite(value) or not 0 <= value < _LAST_DAY:
            return general(value)
        moment = _from_serial(value, from_1904=from_1904)
        clock = clock_text(moment) if has_time else ""
        if not has_date:
            return clock
        day = f"{moment:%Y-%m-%d}" if has_day or has_time else (f"{moment:%Y-%m}" if has_month else f"{moment:%Y}")
        return f"{day} {clock}".strip()

    return write


def clock_text(moment: datetime) -> str:
    """Time of day, with seconds only where there are some."""
    return f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"


def _from_serial(value: float, *, from_1904: bool) -> datetime:
    """The moment that a day's number stands for; before March 1900 it counts from a day later, for a day never was."""
    year, month, day = (1904, 1, 1) if from_1904 else (1899, 12, 30 if value >= _FIRST_MARCH_1900 else 31)
    first = datetime(year, month, day)  # noqa: DTZ001 - a spreadsheet's dates have no zone
    return first + timedelta(seconds=round(value * _DAY_SECONDS))
