"""The Content-Type of an object, so that a browser shows what a person opens in a bucket."""

from __future__ import annotations

import mimetypes

from docshelf.documents.media_types import MediaType, media_type_of_name

_UNKNOWN = "application/octet-stream"
_TEXT = "text/plain; charset=utf-8"

# HTML says its character set itself, and a browser would believe the header more.
_OF_FORMATS = {
    MediaType.MARKDOWN: "text/markdown; charset=utf-8",
    MediaType.HTML: "text/html",
    MediaType.RESTRUCTUREDTEXT: _TEXT,
    MediaType.ASCIIDOC: _TEXT,
    MediaType.CODE: _TEXT,
    MediaType.PLAIN: _TEXT,
    MediaType.CSV: _TEXT,
    MediaType.NOTEBOOK: "application/json",
}
# Only Python's own table: what a machine has installed must not decide.
_BY_EXTENSION = mimetypes.MimeTypes()
_BY_EXTENSION.add_type("application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx")


def content_type_of(key: str) -> str:
    """The Content-Type that the name of a file says."""
    guessed, packed = _BY_EXTENSION.guess_type(f"/{key.rpartition('/')[2]}")
    if packed:
        return "application/gzip" if packed == "gzip" else _UNKNOWN
    media_type = media_type_of_name(key)
    return (_OF_FORMATS.get(media_type) if media_type else None) or guessed or _UNKNOWN
