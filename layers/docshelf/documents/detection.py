"""What a file is: its content decides, its name only where the content leaves it open."""

from __future__ import annotations

import re

from docshelf.documents.archives.tar import is_tar
from docshelf.documents.mail.detection import mail_type
from docshelf.documents.media_types import MediaType, extension_of, media_type_of_name
from docshelf.documents.signatures import OLE, ZIP, binary_kind, ole_kind, open_document_kind, zip_kind
from docshelf.documents.text.text_encoding import TYPES_READ, looks_binary, wide_encoding
from docshelf.errors import EmptyDocumentError, EncryptedDocumentError, UnsupportedDocumentError

_HEAD_BYTES = 65_536
_PDF_HEAD_BYTES = 1_024
_PDF_TAIL_BYTES = 2_048
_MAX_LEADING_CHARACTERS = 4_096

_PDF = re.compile(rb"%PDF-[0-9]")
_LEADING_COMMENTS = re.compile(r"\s*(?:<!--.*?-->\s*|<\?xml[^<>]*\?>\s*)*", re.DOTALL)
_HTML = re.compile(r"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
_SVG = re.compile(r"(?:<!doctype\s+svg[^<>]*>\s*)?<svg[\s>]", re.IGNORECASE)
_RTF = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,100}\{\\rtf")
_FLAT_OPEN_DOCUMENT = re.compile(
    r"""<office:document\b[^<>]{0,20000}?\boffice:mimetype\s*=\s*["'](application/vnd\.oasis\.[a-z.-]{1,80})"""
)
_NOTEBOOK = re.compile(r"\s*\{")
_RST_TITLE = re.compile(r"^(?!\s)\S.*\n([=\-~^\"'*+#`:.])\1{3,}[ \t]*$", re.MULTILINE)
_RST_MARKUP = re.compile(r"^\.\. (?:_[^:\n]+:|[\w:-]+::)|:[\w:-]{1,80}:`[^`\n]{1,200}`", re.MULTILINE)


def detect(data: bytes, key: str) -> MediaType:
    """The format in which to read `data`, the content of the file `key`.

    Raises:
        EmptyDocumentError: `data` has no bytes.
        EncryptedDocumentError: an Office document that needs a password.
        UnsupportedDocumentError: a format that is not read; the sentence names it.
    """
    if not data:
        raise EmptyDocumentError("The file has no content (0 bytes).")
    if is_pdf(data, key):
        return MediaType.PDF
    if data.startswith(ZIP):
        return _read_or_named(zip_kind(data))
    if data.startswith(OLE):
        ole = ole_kind(data, extension_of(key))
        if ole is None:
            raise EncryptedDocumentError(
                "The Office document needs a password; save a copy without one to make it searchable."
            )
        return _read_or_named(ole)
    if _RTF.match(data):
        return MediaType.RTF
    if is_tar(data):
        return MediaType.TAR
    binary = binary_kind(data)
    if binary is not None:
        raise _unsupported(binary)
    if looks_binary(data):
        raise _unsupported("binary data")
    return _text_type(data, key)


def _read_or_named(kind: MediaType | str) -> MediaType:
    if isinstance(kind, MediaType):
        return kind
    raise _unsupported(kind)


def _unsupported(kind: str) -> UnsupportedDocumentError:
    advice = "unpack it and upload its files; " if kind.endswith(" archive") else ""
    return UnsupportedDocumentError(f"The file is {kind}; {advice}docshelf reads {TYPES_READ}.")


def is_pdf(data: bytes, key: str) -> bool:
    """Whether `data`, the content of the file `key`, is a PDF, which may have junk before its header.

    A text that speaks of `%PDF-` has no PDF's end, and an archive that begins with a PDF is none.
    """
    found = _PDF.search(data, 0, _PDF_HEAD_BYTES)
    if found is None:
        return False
    if found.start() == 0:
        return True
    if data.startswith((*ZIP, OLE)) or is_tar(data):
        return False
    if extension_of(key) == "pdf":
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
    flat = _FLAT_OPEN_DOCUMENT.match(head, position)
    if flat:
        return _read_or_named(open_document_kind(flat[1]) or "an OpenDocument file")
    if _NOTEBOOK.match(head) and _is_notebook(data, key):
        return MediaType.NOTEBOOK
    named = media_type_of_name(key) or MediaType.PLAIN
    mail = mail_type(head, extension_of(key)) if named is not MediaType.CODE else None
    if mail is not None:
        return mail
    if named is MediaType.PLAIN and _RST_TITLE.search(head) and _RST_MARKUP.search(head):
        return MediaType.RESTRUCTUREDTEXT
    return named


def _is_notebook(data: bytes, key: str) -> bool:
    """A JSON object is a notebook by its name or by the entries that every notebook has, at its start or end."""
    if extension_of(key) == "ipynb":
        return True
    edges = data[:_HEAD_BYTES] + data[-_HEAD_BYTES:]
    return extension_of(key) in ("", "json") and b'"nbformat"' in edges and b'"cells"' in edges


def _decoded_head(data: bytes) -> str:
    """The first bytes as text, good enough to recognise ASCII markup."""
    head = data[:_HEAD_BYTES]
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return head.decode("utf-32", errors="replace")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", errors="replace")
    text = head.decode(wide_encoding(data) or "utf-8", errors="replace")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
