"""Charts and diagrams of a slide: the data that a chart was drawn from, the words of a diagram."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from docshelf.documents.html.text import one_line
from docshelf.documents.office.drawing_text import paragraphs
from docshelf.documents.spreadsheets.number_format import general
from docshelf.documents.text.xml_text import child, children, named, number, text_of

_MOST_POINTS = 2_000
_MOST_SERIES = 100
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")


def chart_rows(root: ET.Element) -> tuple[str, list[list[str]], bool]:
    """Title, rows (the first names the series, the others are a category each), and whether a value is no number."""
    title = " ".join(paragraph.text for body in _titles(root) for paragraph in paragraphs(body))
    categories: dict[int, str] = {}
    columns: list[dict[int, str]] = []
    names: list[str] = []
    sound = True
    for series in list(named(root, "ser"))[:_MOST_SERIES]:
        names.append(text_of(next(named(child(series, "tx"), "v"), None)))
        for index, text in _points(child(series, "cat") if child(series, "cat") is not None else child(series, "xVal")):
            categories.setdefault(index, one_line(text))
        values: dict[int, str] = {}
        for index, text in _points(child(series, "val") if child(series, "val") is not None else child(series, "yVal")):
            is_number = _NUMBER.fullmatch(text) is not None
            sound = sound and is_number
            values[index] = general(float(text)) if is_number else one_line(text)
        columns.append(values)
    numbers = sorted({index for column in (categories, *columns) for index in column})
    rows = [[categories.get(index, ""), *(column.get(index, "") for column in columns)] for index in numbers]
    return one_line(title), [["", *names], *rows] if rows else [], not sound


def _titles(root: ET.Element) -> list[ET.Element]:
    """Text bodies of the chart's own title, not of its axes'."""
    title = child(next(named(root, "chart"), None), "title", "tx", "rich")
    return [] if title is None else [title]


def _points(source: ET.Element | None) -> list[tuple[int, str]]:
    points: list[tuple[int, str]] = []
    for point in named(source, "pt"):
        if len(points) == _MOST_POINTS:
            break
        value = child(point, "v")
        points.append((number(point, "idx"), (value.text or "").strip() if value is not None else ""))
    return points


def diagram_lines(root: ET.Element) -> list[str]:
    """Words of a diagram's points, in the order in which they are kept."""
    bodies = [body for point in named(root, "pt") for body in children(point, "t")]
    return [paragraph.text for body in bodies for paragraph in paragraphs(body)]
