"""What a file is: its content decides, its name only where the content leaves it open."""

from __future__ import annotations

import re

from docshelf.documents.media_types import MediaType, extension_of, media_type_of_name
from docshelf.documents.signatures import DOCX, OLE, ZIP, binary_kind, ole_kind, zip_kind
from docshelf.documents.text_encoding import TYPES_READ, looks_binary, wide_encoding
from docshelf.errors import EmptyDocumentError, EncryptedDocumentError, UnsupportedDocumentError

_HEAD_BYTES = 65_536
_PDF_HEAD_BYTES = 1_024
_PDF_TAIL_BYTES = 2_048
_MAX_LEADING_CHARACTERS = 4_096

_PDF = re.compile(rb"%PDF-[0-9]")
_LEADING_COMMENTS = re.compile(r"\s*(?:<!--.*?-->\s*|<\?xml[^<>]*\?>\s*)*", re.DOTALL)
_HTML = re.compile(r"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
_SVG = re.compile(r"(?:<!doctype\s+svg[^<>]*>\s*)?<svg[\s>]", re.IGNORECASE)
_RST_TITLE = re.compile(r"^(?!\s)\S.*\n([=\-~^\"'*+#`:.])\1{3,}[ \t]*$", re.MULTILINE)
_RST_MARKUP = re.compile(r"^\.\. (?:_[^:\n]+:|[\w:-]+::)|:[\w:-]+:`[^`\n]+`", re.MULTILINE)


def detect(data: bytes, key: str) -> MediaType:
    """The format in which to read `data`, the content of the file `key`.

    Raises:
        EmptyDocumentError: `data` has no bytes.
        EncryptedDocumentError: an Office document that needs a password.
        UnsupportedDocumentError: a format that is not read; the sentence names it.
    """
    if not data:
        raise EmptyDocumentError("The file has no content (0 bytes).")
    if _is_pdf(data, key):
        return MediaType.PDF
    if data.startswith(ZIP):
        kind = zip_kind(data)
        if kind == DOCX:
            return MediaType.DOCX
        raise _unsupported(kind)
    if data.startswith(OLE):
        ole = ole_kind(data)
        if ole is None:
            raise EncryptedDocumentError(
                "The Office document needs a password; save a copy without one to make it searchable."
            )
        raise _unsupported(ole)
    binary = binary_kind(data)
    if binary is not None:
        raise _unsupported(binary)
    if looks_binary(data):
        raise _unsupported("binary data")
    return _text_type(data, key)


def _unsupported(kind: str) -> UnsupportedDocumentError:
    return UnsupportedDocumentError(f"The file is {kind}; docshelf reads {TYPES_READ}.")


def _is_pdf(data: bytes, key: str) -> bool:
    """A PDF may have junk before its header; a text that speaks of `%PDF-` has no PDF's end."""
    found = _PDF.search(data, 0, _PDF_HEAD_BYTES)
    if found is None:
        return False
    if found.start() == 0 or extension_of(key) == "pdf":
        return True
    tail = data[-_PDF_TAIL_BYTES:]
    return b"startxref" in tail and b"%%EOF" in tail


def _text_type(data: bytes, key: str) -> MediaType:
    head = _decoded_head(data)
    leading = _LEADING_COMMENTS.match(head, 0, _MAX_LEADING_CHARACTERS)
    position = leading.end() if leading else 0
    if _HTML.match(head, position):
        return MediaType.HTML
    if _SVG.match(head, position):
        raise _unsupported("an SVG image")
    if extension_of(key) == "ipynb":
        raise _unsupported("a Jupyter notebook")
    named = media_type_of_name(key) or MediaType.PLAIN
    if named is MediaType.PLAIN and _RST_TITLE.search(head) and _RST_MARKUP.search(head):
        return MediaType.RESTRUCTUREDTEXT
    return named


def _decoded_head(data: bytes) -> str:
    """The first bytes as text, good enough to recognise ASCII markup."""
    head = data[:_HEAD_BYTES]
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return head.decode("utf-32", errors="replace")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", errors="replace")
    text = head.decode(wide_encoding(data) or "utf-8", errors="replace")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
