"""ODT, packed or flat: the text of OpenDocument word processors."""

from __future__ import annotations

from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.documents.office.odf_package import OpenDocument, style_parents
from docshelf.documents.office.odf_text import OdfWriter
from docshelf.documents.office.office_package import titled
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.text.xml_text import child, named
from docshelf.settings import Limits


def parse_odt(data: bytes, key: str, limits: Limits) -> Document:
    """Read the body and notes; comments, deleted text, page headers and footers, tables of contents are left out.

    Raises:
        EmptyDocumentError: there is no text.
        DocumentTooLargeError: the unpacked file or its text exceeds a limit.
        EncryptedDocumentError: the file needs a password.
        ParseFailedError: the file is damaged.
    """
    source = OpenDocument(data, limits, "ODT")
    content = source.content_tree()
    styles = source.trees_with_styles(content)
    builder = PieceBuilder(limits)
    writer = OdfWriter(builder, styles, style_parents(styles))
    for body in named(content, "body"):
        text = child(body, "text")
        if text is not None:
            writer.blocks(text)
    title, description = source.properties(content)
    return builder.document(titled(title, builder.first_heading, key), MediaType.ODT, description=description)
