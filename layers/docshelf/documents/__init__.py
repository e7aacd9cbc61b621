"""Reading documents: bytes and a name in, a `Document` of text and located blocks out.

Every family of formats has a package; `parse` tells the format, hands over and checks what comes back. Modules that
load large libraries are imported when their format is met, so that reading text stays light.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace

from docshelf.documents.archives.attached import with_attachments, with_attachments_of_empty
from docshelf.documents.detection import detect
from docshelf.documents.markup.asciidoc import parse_asciidoc
from docshelf.documents.markup.restructuredtext import parse_restructuredtext
from docshelf.documents.media_types import MediaType, extension_of
from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.text.code import parse_code
from docshelf.documents.text.delimited import parse_delimited
from docshelf.documents.text.json_text import is_long_json, parse_long_json
from docshelf.documents.text.plain import parse_plain
from docshelf.documents.text.text_encoding import decode
from docshelf.documents.text.xml_lines import is_long_xml, parse_long_xml
from docshelf.documents.tiling import tiles
from docshelf.errors import DocumentTooLargeError, EmptyDocumentError, ParseFailedError
from docshelf.settings import Limits

__all__ = ["PARSER_VERSION", "Block", "Document", "Kind", "MediaType", "detect", "load_parsers", "parse"]

PARSER_VERSION = "2"
"""Raised whenever the same bytes give other blocks, so that an index made before is rebuilt."""

_MAX_STRUCTURED_LINES = 200_000
_STRUCTURED = (MediaType.MARKDOWN, MediaType.RESTRUCTUREDTEXT, MediaType.ASCIIDOC)
_PARSERS = {
    MediaType.HTML: ("html.reader", "parse_html"),
    MediaType.PDF: ("pdf.reader", "parse_pdf"),
    MediaType.DOCX: ("office.docx", "parse_docx"),
    MediaType.PPTX: ("office.pptx", "parse_pptx"),
    MediaType.XLSX: ("spreadsheets.xlsx", "parse_xlsx"),
    MediaType.XLS: ("spreadsheets.xls", "parse_xls"),
    MediaType.XLSB: ("spreadsheets.xlsb", "parse_xlsb"),
    MediaType.ODT: ("office.odt", "parse_odt"),
    MediaType.ODS: ("spreadsheets.ods", "parse_ods"),
    MediaType.ODP: ("office.odp", "parse_odp"),
    MediaType.RTF: ("rtf.document", "parse_rtf"),
    MediaType.EPUB: ("epub.reader", "parse_epub"),
    MediaType.MAIL: ("mail.message", "parse_mail"),
    MediaType.MBOX: ("mail.box", "parse_mail_box"),
    MediaType.MSG: ("mail.outlook", "parse_mail_outlook"),
    MediaType.ZIP: ("archives.reader", "parse_archive"),
    MediaType.TAR: ("archives.reader", "parse_archive"),
}
_LOADED_LATE = ("markup.markdown", "text.notebook", "pdf.fallback")
_NOT_TEXT = "\ufeff\u200b\u2060"


def parse(data: bytes, key: str, limits: Limits) -> Document:
    """Read the file `key`, whose content is `data`.

    Raises:
        DocumentTooLargeError: more bytes, pages or characters than `limits` allow.
        EmptyDocumentError: nothing to read in it.
        EncryptedDocumentError: a password is needed.
        UnsupportedDocumentError: a format that is not read.
        ParseFailedError, ParseTimeoutError: the content is damaged or takes too long.
    """
    if len(data) > limits.max_bytes:
        raise DocumentTooLargeError(
            f"The file has {len(data):,} bytes, more than the {limits.max_bytes:,} of DOCSHELF_MAX_BYTES."
        )
    media_type = detect(data, key)
    parser = _PARSERS.get(media_type)
    if parser is not None:
        try:
            document = _binary_parser(*parser)(data, key, limits)
        except EmptyDocumentError as error:
            raise with_attachments_of_empty(error, media_type, data, limits) from error
        except RecursionError as error:
            raise ParseFailedError(f"The {media_type} file nests its parts too deeply to be read.") from error
    else:
        document = _parse_text(data, key, limits, media_type)
    document = with_attachments(document, data, limits)
    if document.text or not document.attachments:
        _check(document.text, limits)
    if not tiles(document.blocks, len(document.text)):
        raise ParseFailedError(f"The {media_type} parser lost its place in the file; please report this as a fault.")
    return document


def load_parsers() -> None:
    """Load the modules of all formats now, for a process that will be forbidden to load more.

    That is every native library of other people: in a layer it may be packed, and cannot be unpacked later.
    """
    for module in (*(module for module, _ in _PARSERS.values()), *_LOADED_LATE):
        importlib.import_module(f"{__name__}.{module}")


def _binary_parser(module: str, function: str) -> Callable[[bytes, str, Limits], Document]:
    """The function of a module, which is loaded when its format is met."""
    parser: Callable[[bytes, str, Limits], Document] = getattr(
        importlib.import_module(f"{__name__}.{module}"), function
    )
    return parser


def _parse_text(data: bytes, key: str, limits: Limits, media_type: MediaType) -> Document:
    decoded = decode(data)
    if media_type is not MediaType.NOTEBOOK:  # most of a notebook is pictures, which are no text of its document
        _check(decoded.text, limits)
    warnings = decoded.warnings
    if media_type in _STRUCTURED and decoded.text.count("\n") > _MAX_STRUCTURED_LINES:
        warnings = (*warnings, f"The file has more than {_MAX_STRUCTURED_LINES:,} lines and was read as plain text.")
        media_type = MediaType.PLAIN
    document = _text_parser(media_type, decoded.text, extension_of(key))(decoded.text, key)
    return replace(document, warnings=(*warnings, *document.warnings))


def _text_parser(media_type: MediaType, text: str, extension: str) -> Callable[[str, str], Document]:
    match media_type:
        case MediaType.MARKDOWN:
            from docshelf.documents.markup.markdown import parse_markdown

            return parse_markdown
        case MediaType.RESTRUCTUREDTEXT:
            return parse_restructuredtext
        case MediaType.ASCIIDOC:
            return parse_asciidoc
        case MediaType.CODE if is_long_json(text, extension):
            return parse_long_json
        case MediaType.CODE if is_long_xml(text, extension):
            return parse_long_xml
        case MediaType.CODE:
            return parse_code
        case MediaType.CSV:
            return parse_delimited
        case MediaType.NOTEBOOK:
            from docshelf.documents.text.notebook import parse_notebook

            return parse_notebook
        case _:
            return parse_plain


def _check(text: str, limits: Limits) -> None:
    if len(text) > limits.max_characters:
        raise DocumentTooLargeError(
            f"The text has {len(text):,} characters, more than the {limits.max_characters:,} of "
            "DOCSHELF_MAX_CHARACTERS."
        )
    if not text.strip().strip(_NOT_TEXT):
        raise EmptyDocumentError("The file holds no text, only white space.")
