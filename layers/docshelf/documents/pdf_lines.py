"""From the placed characters of a PDF page to its text."""

from __future__ import annotations

from collections.abc import Sequence

from docshelf.documents.pdf_characters import HYPHENS, Line
from docshelf.documents.pdf_direction import in_reading_order, is_right_to_left
from docshelf.documents.pdf_spacing import drawn_gap, glyphs_of, mend_spaces


def lines_text(lines: Sequence[Line]) -> str:
    """The text of `lines`, a line each; a word that goes over to the next line is joined by its hyphen mark."""
    ordered = [in_reading_order(line) for line in lines]
    laid = [glyphs_of(line) for line in ordered]
    usual = drawn_gap(laid)
    parts: list[str] = []
    for line, glyphs in zip(ordered, laid, strict=True):
        if any(is_right_to_left(one.text) for one in line):
            text = "".join(one.text for one in line)
        else:
            mend_spaces(glyphs, usual)
            text = "".join(f"{one.text} " if one.space else one.text for one in glyphs)
        parts.append(text if text.endswith(HYPHENS) else f"{text}\n")
    return "".join(parts)
