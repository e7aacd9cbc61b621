"""XML written on one long line: parted between its elements, so that a passage of it can be read."""

from __future__ import annotations

import re
from dataclasses import replace

from docshelf.documents.model import Document
from docshelf.documents.text.code import parse_code

_LONG_LINE = 5_000
_EXTENSIONS = ("xml", "rss", "atom", "xsd", "xsl", "xslt", "wsdl", "plist", "resx", "xaml", "drawio", "kml", "gpx")
_BETWEEN = re.compile(r">[ \t]*(?=<)")
_WARNING = "The XML was on one long line and was parted between its elements; lines count in the parted text."


def is_long_xml(text: str, extension: str) -> bool:
    """Whether `text` looks like XML and has a line too long to be cited that can be parted."""
    if extension not in _EXTENSIONS or len(text) <= _LONG_LINE or not text.lstrip("\ufeff \n\t").startswith("<"):
        return False
    return any(len(line) > _LONG_LINE and _BETWEEN.search(line) for line in text.split("\n"))


def parse_long_xml(text: str, key: str) -> Document:
    """Read `text` with a line end between neighbouring tags; its elements and text stay as they are."""
    document = parse_code(_BETWEEN.sub(">\n", text), key)
    return replace(document, source_lines=False, warnings=(_WARNING,))
