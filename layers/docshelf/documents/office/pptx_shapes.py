"""The shapes of a slide in the order in which a reader meets them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from docshelf.documents.office.drawing_text import alternative
from docshelf.documents.text.xml_text import child, children, local_name, number

_SHAPES = ("sp", "grpSp", "graphicFrame", "pic", "cxnSp")
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("dt", "ftr", "sldNum", "hdr", "sldImg")
_DEEPEST_GROUP = 50


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape that is no group; `top`, `left` and `height` are None where it takes its place from the layout."""

    element: ET.Element
    top: int | None = None
    left: int = 0
    height: int = 0


def placeholder_type(element: ET.Element) -> str | None:
    """Type of the placeholder that `element` fills ("obj" where it names none), None where it is no placeholder."""
    for holder in children(element):
        placeholder = child(holder, "nvPr", "ph")
        if placeholder is not None:
            return placeholder.get("type") or "obj"
    return None


def is_placeholder(element: ET.Element, *types: str) -> bool:
    """Whether `element` fills a placeholder of one of the `types`."""
    return placeholder_type(element) in types


def is_title(shape: Shape) -> bool:
    """Whether a shape holds the slide's title."""
    return is_placeholder(shape.element, *_TITLES)


def shapes_of(tree: ET.Element | None, depth: int = 0) -> list[Shape]:
    """Shapes below `tree`: titles, then those that take their place from the layout, then the others row by row.

    The shapes of a group stay together. Dates, footers and slide numbers are left out.
    """
    groups: list[list[Shape]] = []
    for element in _elements(tree):
        if local_name(element) == "grpSp":
            inner = shapes_of(element, depth + 1) if depth < _DEEPEST_GROUP else []
            if inner:
                place = _placed(element, child(element, "grpSpPr", "xfrm"))
                groups.append([Shape(inner[0].element, place.top, place.left, place.height), *inner[1:]])
        elif not is_placeholder(element, *_FURNITURE):
            transform = child(element, "spPr", "xfrm")
            groups.append([_placed(element, child(element, "xfrm") if transform is None else transform)])
    titles = [group for group in groups if is_title(group[0])]
    inherited = [group for group in groups if group[0].top is None and group not in titles]
    placed = [group for group in groups if group[0].top is not None and group not in titles]
    return [shape for group in (*titles, *inherited, *by_rows(placed)) for shape in group]


def _elements(tree: ET.Element | None) -> Iterable[ET.Element]:
    for element in children(tree):
        if local_name(element) == "AlternateContent":
            yield from (option for option in alternative(element) if local_name(option) in _SHAPES)
        elif local_name(element) in _SHAPES:
            yield element


def _placed(element: ET.Element, transform: ET.Element | None) -> Shape:
    offset, extent = child(transform, "off"), child(transform, "ext")
    if offset is None:
        return Shape(element)
    height = number(extent, "cy") if extent is not None else 0
    return Shape(element, number(offset, "y"), number(offset, "x"), height)


def by_rows(groups: list[list[Shape]]) -> list[list[Shape]]:
    """Groups of shapes row by row; what begins in the upper half of a row's first shape stands in that row."""
    rows: list[list[list[Shape]]] = []
    limit = 0
    for group in sorted(groups, key=lambda group: (group[0].top or 0, group[0].left)):
        first = group[0]
        if not rows or (first.top or 0) > limit:
            rows.append([])
            limit = (first.top or 0) + first.height // 2
        rows[-1].append(group)
    return [group for row in rows for group in sorted(row, key=lambda group: (group[0].left, group[0].top or 0))]
