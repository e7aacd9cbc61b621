"""Write one slide down: its title as a heading, then text, tables, charts, diagrams and described pictures."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from docshelf.documents.html.text import one_line
from docshelf.documents.office.drawing_chart import chart_rows, diagram_lines
from docshelf.documents.office.drawing_text import Paragraph, paragraphs, table_rows
from docshelf.documents.office.office_package import Relations
from docshelf.documents.office.package import Package
from docshelf.documents.office.pptx_shapes import is_placeholder, is_title, shapes_of
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.text.xml_text import attribute, child, children, local_name, named
from docshelf.errors import ParseFailedError

_LISTS = ("body", "obj")
_NO_DESCRIPTION = re.compile(
    r"[\w .()-]*\.(?:png|jpe?g|gif|bmp|svg|emf|wmf|tiff?)|(?:picture|image|grafik|bild)\s*[0-9]*", re.IGNORECASE
)
_BY_PROGRAM = re.compile(
    r"\s*Description automatically generated.*|\s*AI-generated content may be incorrect\.", re.DOTALL
)


class SlideWriter:
    """Adds a slide's pieces to `builder` and what could not be read to `warnings`."""

    def __init__(self, package: Package, relations: Relations, builder: PieceBuilder, warnings: list[str]) -> None:
        self._package = package
        self._relations = relations
        self._builder = builder
        self._warnings = warnings

    def write(self, tree: ET.Element | None) -> None:
        """Write the shapes below `tree`."""
        has_title = False
        for shape in shapes_of(tree):
            found = paragraphs(child(shape.element, "txBody"))
            if is_title(shape) and not has_title and found:
                has_title = True
                self._builder.heading(1, " ".join(paragraph.text for paragraph in found))
            elif found:
                self._write_text(found, is_list=is_placeholder(shape.element, *_LISTS))
            elif local_name(shape.element) == "graphicFrame":
                self._write_graphic(shape.element)
            elif local_name(shape.element) == "pic":
                self._write_picture(shape.element)

    def _write_text(self, found: list[Paragraph], *, is_list: bool) -> None:
        """Write paragraphs as a list where they say so, or fill a placeholder for lists and are more than one."""
        expected = "-" if is_list and len(found) > 1 else ""
        markers = [expected if paragraph.marker is None else paragraph.marker for paragraph in found]
        if not any(markers):
            self._builder.paragraph("\n".join(paragraph.text for paragraph in found))
            return
        lowest = min(paragraph.level for paragraph in found)
        self._builder.items(
            (paragraph.level - lowest, marker, paragraph.text) for paragraph, marker in zip(found, markers, strict=True)
        )

    def _write_graphic(self, frame: ET.Element) -> None:
        table = next(named(frame, "tbl"), None)
        if table is not None:
            rows, headers = table_rows(table)
            self._builder.table(rows[headers:], rows[:headers])
            return
        data = child(frame, "graphic", "graphicData")
        for reference in children(data):
            name = local_name(reference)
            relation = attribute(reference, "dm" if name == "relIds" else "id") or ""
            part = self._relations.target(relation)
            if part is None or name not in ("chart", "relIds"):
                continue
            try:
                self._write_part(name, self._package.tree(part))
            except ParseFailedError:
                self._warnings.append(f"A chart or diagram on slide {self._builder.page} is damaged and was left out.")

    def _write_part(self, name: str, root: ET.Element | None) -> None:
        if root is None:
            return
        if name == "relIds":
            self._builder.items((0, "-", line) for line in diagram_lines(root))
            return
        title, rows, has_errors = chart_rows(root)
        if has_errors:
            self._warnings.append(f"A chart on slide {self._builder.page} has values that are no numbers.")
        if title or rows:
            self._builder.paragraph(f"Chart: {title}".rstrip(": "))
        self._builder.table(rows[1:], rows[:1])

    def _write_picture(self, picture: ET.Element) -> None:
        properties = child(picture, "nvPicPr", "cNvPr")
        description = one_line(_BY_PROGRAM.sub("", (properties.get("descr") or "") if properties is not None else ""))
        if description and not _NO_DESCRIPTION.fullmatch(description):
            self._builder.paragraph(f"Picture: {description}")
