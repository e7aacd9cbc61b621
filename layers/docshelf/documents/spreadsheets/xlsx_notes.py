"""What stands on a sheet of an XLSX workbook beside its cells: text boxes and comments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from docshelf.documents.html.text import one_line
from docshelf.documents.office.drawing_text import paragraphs
from docshelf.documents.office.office_package import Relations
from docshelf.documents.office.package import Package
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.text.xml_text import child, named
from docshelf.errors import ParseFailedError


def add_notes(builder: PieceBuilder, package: Package, part: str) -> str:
    """Add the text boxes and comments of the sheet `part`; returns a warning where they cannot be read, else ""."""
    try:
        relations = Relations(package, part)
        for line in chain(_boxes(package, relations), _comments(package, relations)):
            builder.paragraph(line)
    except ParseFailedError:
        return "Text boxes or comments of a sheet are damaged and were left out."
    return ""


def _boxes(package: Package, relations: Relations) -> Iterator[str]:
    target = relations.target_of_type("drawing")
    for body in named(package.tree(target) if target else None, "txBody"):
        yield "\n".join(paragraph.text for paragraph in paragraphs(body))


def _comments(package: Package, relations: Relations) -> Iterator[str]:
    target = relations.target_of_type("comments")
    for comment in named(package.tree(target) if target else None, "comment"):
        text = one_line("".join(part.text or "" for part in named(child(comment, "text"), "t")))
        if text:
            yield f"Comment on {comment.get('ref') or 'a cell'}: {text}"
