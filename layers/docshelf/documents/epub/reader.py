"""EPUB: the book's chapters in reading order, each read as a page of HTML."""

from __future__ import annotations

import posixpath
import re
from xml.etree import ElementTree as ET

from selectolax.lexbor import LexborHTMLParser

from docshelf.documents.epub.contents import chapter_titles, part_path
from docshelf.documents.html.charset import decode_html
from docshelf.documents.html.chrome import JUNK
from docshelf.documents.html.reader import flatten
from docshelf.documents.html.walk import PieceWriter
from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document, Kind
from docshelf.documents.office.office_package import titled
from docshelf.documents.office.package import Package, open_package
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.pieces import Piece
from docshelf.documents.text.xml_text import attribute, child, children, named, text_of
from docshelf.errors import EncryptedDocumentError, UnsupportedDocumentError
from docshelf.settings import Limits

_FORMAT = "EPUB"
_WANTED = re.compile(r".*\.(?:x?html?|xml|opf|ncx)", re.IGNORECASE | re.DOTALL)
_PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/xml", "")
_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_LONGEST_DESCRIPTION = 500
_MOST_CHAPTERS = 10_000
# XHTML may close any element at once; an HTML parser would take what follows as its content.
_CLOSED_AT_ONCE = re.compile(
    r"<((?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)[a-zA-Z][\w:-]*)"
    r"((?:\s[^<>]*)?)/>"
)


def parse_epub(data: bytes, key: str, limits: Limits) -> Document:
    """Read the chapters of the spine; the title is the book's, its authors go into the description.

    Raises:
        EmptyDocumentError: there is no text.
        DocumentTooLargeError: the unpacked book or its text exceeds a limit.
        EncryptedDocumentError: the book is protected by digital rights management.
        ParseFailedError: the book is damaged.
    """
    package = open_package(data, limits, _FORMAT, lambda name: _WANTED.fullmatch(name) is not None)
    _refuse_encrypted(package)
    container = package.required("META-INF/container.xml")
    main = next((attribute(root, "full-path") or "" for root in named(container, "rootfile")), "")
    book = package.required(main)
    folder = posixpath.dirname(main)
    items = {item.get("id") or "": item for item in children(child(book, "manifest"), "item")}
    titles = chapter_titles(package, folder, items.values())
    builder = PieceBuilder(limits)
    warnings: list[str] = []
    references = [reference.get("idref") or "" for reference in children(child(book, "spine"), "itemref")]
    for reference in list(dict.fromkeys(references))[:_MOST_CHAPTERS]:
        item = items.get(reference)
        if item is None or "nav" in (item.get("properties") or "").split():
            continue
        path = part_path(folder, item.get("href") or "")
        content = package.part(path)
        if content is None or (item.get("media-type") or "") not in _PAGES:
            warnings.append("A part of the book is missing or no text; it was left out.")
            continue
        _add_chapter(builder, content, titles.get(path.casefold(), ""), warnings)
    title, description = _about(book)
    return builder.document(
        titled(title, builder.first_heading, key), MediaType.EPUB, description=description, warnings=warnings
    )


def _refuse_encrypted(package: Package) -> None:
    """Books lend their fonts a thin disguise; anything else that is encrypted cannot be read."""
    for data in named(package.tree("META-INF/encryption.xml"), "EncryptedData"):
        methods = [method.get("Algorithm") for method in named(data, "EncryptionMethod")]
        if not any(method in _FONT_OBFUSCATION for method in methods):
            raise EncryptedDocumentError("The book is protected by digital rights management and cannot be read.")


def _add_chapter(builder: PieceBuilder, content: bytes, title: str, warnings: list[str]) -> None:
    try:
        text, lost = decode_html(content)
    except UnsupportedDocumentError:
        warnings.append("A chapter is not text; it was left out.")
        return
    warnings.extend(lost)
    pieces = _pieces(text)
    if not pieces:
        return
    builder.close_headings()
    if title and not any(piece.kind is Kind.HEADING for piece in pieces):
        builder.heading(1, title)
    builder.add_all(pieces)


def _pieces(text: str) -> list[Piece]:
    tree = LexborHTMLParser(flatten(_CLOSED_AT_ONCE.sub(r"<\1\2></\1>", text)))
    for node in tree.css(JUNK):
        node.decompose()
    return PieceWriter(set()).write(tree.body) if tree.body is not None else []


def _about(book: ET.Element) -> tuple[str, str]:
    """The book's title; its authors and what it says about itself."""
    metadata = next(named(book, "metadata"), None)
    title = text_of(next(named(metadata, "title"), None))
    authors = ", ".join(name for name in map(text_of, named(metadata, "creator")) if name)
    about = text_of(next(named(metadata, "description"), None))
    about = " ".join(re.sub(r"<[^<>]*>", " ", about).split())
    return title, " – ".join(part for part in (f"By {authors}" if authors else "", about) if part)[
        :_LONGEST_DESCRIPTION
    ]
