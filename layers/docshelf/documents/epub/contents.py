"""The table of contents of an EPUB book: which title leads to which part."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from docshelf.documents.office.package import Package
from docshelf.documents.text.xml_text import attribute, child, named, text_of
from docshelf.errors import ParseFailedError

_NCX = "application/x-dtbncx+xml"


def part_path(folder: str, reference: str) -> str:
    """Name of the part that a link in a part in `folder` leads to."""
    return posixpath.normpath(posixpath.join(folder, unquote(reference.partition("#")[0]))).lstrip("/")


def chapter_titles(package: Package, folder: str, items: Iterable[ET.Element]) -> dict[str, str]:
    """By the lower-case name of each part, the first title that the book's contents give it; empty without contents."""
    titles: dict[str, str] = {}
    for item in items:
        is_navigation = "nav" in (item.get("properties") or "").split()
        if not is_navigation and item.get("media-type") != _NCX:
            continue
        path = part_path(folder, item.get("href") or "")
        try:
            root = package.tree(path)
        except ParseFailedError:
            continue
        links = _navigation_links(root) if is_navigation else _ncx_links(root)
        for reference, title in links:
            titles.setdefault(part_path(posixpath.dirname(path), reference).casefold(), title)
    return titles


def _navigation_links(root: ET.Element | None) -> Iterable[tuple[str, str]]:
    return [(link.get("href") or "", text_of(link)) for link in named(root, "a")]


def _ncx_links(root: ET.Element | None) -> Iterable[tuple[str, str]]:
    points = [(child(point, "content"), text_of(child(point, "navLabel"))) for point in named(root, "navPoint")]
    return [(attribute(content, "src") or "", title) for content, title in points if content is not None]
