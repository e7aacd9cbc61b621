"""The ruling lines of a PDF page: straight strokes, thin bars and frames that lie along the edges of the page."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import byref, c_float, c_int
from itertools import pairwise
from typing import Any

from pypdfium2 import raw

from docshelf.documents.pdf.characters import Box

MOST_STEPS = 1_000_000
"""Objects and points of drawings that are looked at in one document: each takes some microseconds."""

_MOST_ON_PAGE = 20_000
_DEEPEST_FORM = 3
_THICKEST = 4.0
_SHORTEST = 4.0
_SLANT = 0.5
_FEWEST_CORNERS, _MOST_CORNERS = 3, 6

_Point = tuple[float, float]
_Matrix = tuple[float, float, float, float, float, float]
_UNCHANGED: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class RuleReader:
    """Reads the ruling lines of one page after another of a document, as long as `MOST_STEPS` are not used up."""

    def __init__(self) -> None:
        self._left = MOST_STEPS
        self._left_on_page = 0

    def rules(self, page: Any) -> list[Box]:
        """The boxes of a page's ruling lines, in points; none where it draws too much for a page of tables."""
        self._left_on_page = min(_MOST_ON_PAGE, self._left)
        granted = self._left_on_page
        found = list(self._drawn(page, raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, _UNCHANGED, 0))
        self._left -= granted - max(0, self._left_on_page)
        return found if self._left_on_page > 0 else []

    def _drawn(self, holder: Any, count: Any, get: Any, outer: _Matrix, depth: int) -> Iterator[Box]:
        for number in range(count(holder)):
            self._left_on_page -= 1
            if self._left_on_page <= 0:
                return
            one = get(holder, number)
            kind = raw.FPDFPageObj_GetType(one)
            if kind == raw.FPDF_PAGEOBJ_PATH:
                yield from self._path(one, _joined(_matrix(one), outer))
            elif kind == raw.FPDF_PAGEOBJ_FORM and depth < _DEEPEST_FORM:
                inner = _joined(_matrix(one), outer)
                yield from self._drawn(one, raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject, inner, depth + 1)

    def _path(self, path: Any, matrix: _Matrix) -> Iterator[Box]:
        fill, stroke = c_int(), c_int()
        raw.FPDFPath_GetDrawMode(path, byref(fill), byref(stroke))
        points = raw.FPDFPath_CountSegments(path)
        self._left_on_page -= max(0, points)
        if self._left_on_page <= 0 or not (fill.value or stroke.value):
            return
        for outline in _outlines(path, points, matrix):
            if stroke.value:
                yield from (_box([start, end]) for start, end in pairwise(outline) if _is_straight(start, end))
            elif _FEWEST_CORNERS <= len(outline) <= _MOST_CORNERS:
                left, bottom, right, top = _box(outline)
                if min(right - left, top - bottom) <= _THICKEST and max(right - left, top - bottom) >= _SHORTEST:
                    yield left, bottom, right, top


def _outlines(path: Any, points: int, matrix: _Matrix) -> Iterator[list[_Point]]:
    """The lines of a path, each as its corners; one ends where a curve begins."""
    across, up = c_float(), c_float()
    outline: list[_Point] = []
    for number in range(points):
        segment = raw.FPDFPath_GetPathSegment(path, number)
        kind = raw.FPDFPathSegment_GetType(segment)
        raw.FPDFPathSegment_GetPoint(segment, byref(across), byref(up))
        point = _moved((across.value, up.value), matrix)
        if kind != raw.FPDF_SEGMENT_LINETO:
            yield outline
            outline = []
        outline.append(point)
        if raw.FPDFPathSegment_GetClose(segment):
            outline.append(outline[0])
    yield outline


def _is_straight(start: _Point, end: _Point) -> bool:
    width, height = abs(start[0] - end[0]), abs(start[1] - end[1])
    return min(width, height) <= _SLANT and max(width, height) >= _SHORTEST


def _box(points: list[_Point]) -> Box:
    across, up = [point[0] for point in points], [point[1] for point in points]
    return min(across), min(up), max(across), max(up)


def _matrix(drawn: Any) -> _Matrix:
    found = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(drawn, byref(found)):
        return _UNCHANGED
    return found.a, found.b, found.c, found.d, found.e, found.f


def _joined(inner: _Matrix, outer: _Matrix) -> _Matrix:
    a, b, c, d, e, f = inner
    return (
        a * outer[0] + b * outer[2],
        a * outer[1] + b * outer[3],
        c * outer[0] + d * outer[2],
        c * outer[1] + d * outer[3],
        e * outer[0] + f * outer[2] + outer[4],
        e * outer[1] + f * outer[3] + outer[5],
    )


def _moved(point: _Point, matrix: _Matrix) -> _Point:
    across, up = point
    a, b, c, d, e, f = matrix
    return a * across + c * up + e, b * across + d * up + f
