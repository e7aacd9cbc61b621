"""OpenDocument files, packed or flat: their content, title and description."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from docshelf.documents.office.package import Package, open_package
from docshelf.documents.text.xml_text import attribute, children, named, parse_xml, text_of
from docshelf.errors import EncryptedDocumentError, ParseFailedError
from docshelf.settings import Limits

_ZIP = b"PK"
_WANTED = re.compile(r"(?:content|meta|styles|META-INF/manifest)\.xml")
_LONGEST_DESCRIPTION = 500


class OpenDocument:
    """The XML of a file: in its parts, or for a flat one all of them in `content`."""

    def __init__(self, data: bytes, limits: Limits, format_name: str) -> None:
        """Open the file.

        Raises:
            DocumentTooLargeError, EncryptedDocumentError, ParseFailedError: as `open_package`; also where the
                package's manifest says that its content is encrypted.
        """
        self._format = format_name
        self._package: Package | None = None
        if data.startswith(_ZIP):
            self._package = open_package(data, limits, format_name, lambda name: _WANTED.fullmatch(name) is not None)
            if next(named(self._package.tree("META-INF/manifest.xml"), "encryption-data"), None) is not None:
                raise EncryptedDocumentError(
                    f"The {format_name} file needs a password; save a copy without one to make it searchable."
                )
            content = self._package.part("content.xml")
            if content is None:
                raise ParseFailedError(f"The {format_name} file is damaged: it has no content.")
            self.content = content
        else:
            self.content = data.lstrip()

    def content_tree(self) -> ET.Element:
        """The content as a tree.

        Raises:
            ParseFailedError: it is not well-formed, or declares entities.
        """
        return parse_xml(self.content, self._format)

    def trees_with_styles(self, content: ET.Element) -> list[ET.Element]:
        """Where styles are defined: in `content` and in a part of their own."""
        try:
            styles = self._package.tree("styles.xml") if self._package else None
        except ParseFailedError:
            return [content]
        return [content] if styles is None else [content, styles]

    def properties(self, content: ET.Element | None = None) -> tuple[str, str]:
        """Title and description that the file states, empty where it does not; a flat file's are in `content`."""
        try:
            root = self._package.tree("meta.xml") if self._package else content
        except ParseFailedError:
            return "", ""
        meta = next(named(root, "meta"), None)
        title, description = (text_of(next(children(meta, name), None)) for name in ("title", "description"))
        return title, description[:_LONGEST_DESCRIPTION]


def style_parents(trees: list[ET.Element]) -> dict[str, str]:
    """By the name of each style, the name of the style that it is made from."""
    return {
        attribute(style, "name") or "": attribute(style, "parent-style-name") or ""
        for tree in trees
        for style in named(tree, "style")
    }
