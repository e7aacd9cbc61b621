"""Open the zip package of a DOCX file within limits, and mend what mammoth would lose.

mammoth reads XML with a parser that expands entities and knows neither the drawings' text boxes of recent versions of
Word, nor simple fields, nor formulas, so the package is checked and rewritten in memory before mammoth sees it.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from docshelf.documents.office.package import open_package
from docshelf.documents.text.xml_text import refuse_entities
from docshelf.errors import ParseFailedError
from docshelf.settings import Limits

_BODIES = re.compile(r"word/(?:document|footnotes|endnotes)[0-9]*\.xml")
_MENDED = re.compile(rb"txbxContent|fldSimple|oMath|:bdo|:dir|:ruby|tblLook|AlternateContent")

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_V = "{urn:schemas-microsoft-com:vml}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_READ_THROUGH = {f"{_W}fldSimple", f"{_W}bdo", f"{_W}dir"}
_FIRST_ROW = 0x0020


def mended_package(data: bytes, limits: Limits) -> tuple[bytes, dict[str, bytes]]:
    """Return a package that mammoth reads in full, and its XML parts by name.

    Raises:
        DocumentTooLargeError: unpacked it would be larger than `limits.max_bytes`, or is packed beyond reason.
        EncryptedDocumentError: a part is encrypted.
        ParseFailedError: it is not a package, a part is damaged or declares entities.
    """
    package = open_package(data, limits, "DOCX", lambda name: name.endswith((".xml", ".rels")))
    parts = dict(package.items())
    for content in parts.values():
        refuse_entities(content, "DOCX")
    for name, content in parts.items():
        if _BODIES.fullmatch(name) and _MENDED.search(content):
            parts[name] = _mend(content)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as mended:
        for name, content in parts.items():
            mended.writestr(name, content)
    return written.getvalue(), parts


def _mend(content: bytes) -> bytes:
    try:
        root = ET.fromstring(content)  # noqa: S314 - no DOCTYPE: nothing to expand
    except (ET.ParseError, ValueError, LookupError) as error:
        raise ParseFailedError("The DOCX file is damaged: its text is not well-formed XML.") from error
    parents = list(root.iter())
    for parent in parents:
        for index, child in enumerate(parent):
            replacement = _replacement(child)
            if replacement is not None:
                parent[index] = replacement
        if parent.tag == f"{_W}tbl":
            _mark_header(parent)
    written = io.BytesIO()
    try:
        ET.ElementTree(root).write(written, encoding="utf-8", xml_declaration=True)
    except RecursionError as error:
        raise ParseFailedError("The DOCX file nests its parts too deeply to be read.") from error
    return written.getvalue()


def _replacement(element: ET.Element) -> ET.Element | None:
    """What mammoth reads in place of `element`; None where it reads the element itself."""
    if element.tag in _READ_THROUGH:
        element.tag = f"{_W}smartTag"
    elif element.tag == f"{_W}ruby":
        base = element.find(f"{_W}rubyBase")
        return _wrapped(f"{_W}smartTag", [] if base is None else list(base))
    elif element.tag in (f"{_M}oMath", f"{_M}oMathPara"):
        return _run("".join(text.text or "" for text in element.iter(f"{_M}t")))
    elif element.tag == f"{_MC}AlternateContent":
        fallback = element.find(f"{_MC}Fallback")
        if fallback is None or (
            next(fallback.iter(f"{_W}t"), None) is None and next(_boxes(element), None) is not None
        ):
            choice = element.find(f"{_MC}Choice")
            boxes = list(_boxes(element))
            content = boxes or ([] if choice is None else list(choice))
            return _wrapped(f"{_MC}AlternateContent", [_wrapped(f"{_MC}Fallback", _as_pictures(content))])
    elif element.tag == f"{_W}drawing":
        boxes = list(_boxes(element))
        if boxes:
            return _wrapped(f"{_W}smartTag", _as_pictures(boxes))
    return None


def _boxes(element: ET.Element) -> Iterator[ET.Element]:
    return element.iter(f"{_W}txbxContent")


def _as_pictures(content: list[ET.Element]) -> list[ET.Element]:
    """Put text boxes into the older picture element, whose text mammoth adds after the paragraph."""
    return [
        _wrapped(f"{_W}pict", [_wrapped(f"{_V}textbox", [item])]) if item.tag == f"{_W}txbxContent" else item
        for item in content
    ]


def _wrapped(tag: str, children: list[ET.Element]) -> ET.Element:
    element = ET.Element(tag)
    element.extend(children)
    return element


def _run(text: str) -> ET.Element:
    run = ET.Element(f"{_W}r")
    ET.SubElement(run, f"{_W}t").text = text
    return run


def _mark_header(table: ET.Element) -> None:
    """Mark the first row as the header where the table's look says that it is one."""
    look = table.find(f"{_W}tblPr/{_W}tblLook")
    rows = table.findall(f"{_W}tr")
    if look is None or len(rows) < 2 or not _has_header_look(look):
        return
    properties = rows[0].find(f"{_W}trPr")
    if properties is None:
        properties = ET.Element(f"{_W}trPr")
        rows[0].insert(0, properties)
    if properties.find(f"{_W}tblHeader") is None:
        ET.SubElement(properties, f"{_W}tblHeader")


def _has_header_look(look: ET.Element) -> bool:
    first_row = look.get(f"{_W}firstRow")
    if first_row is not None:
        return first_row in ("1", "true", "on")
    try:
        return bool(int(look.get(f"{_W}val") or "0", 16) & _FIRST_ROW)
    except ValueError:
        return False
