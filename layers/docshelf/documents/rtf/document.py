"""RTF: paragraphs, headings, lists, tables and footnotes, in the code pages of its fonts."""

from __future__ import annotations

from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.documents.office.office_package import titled
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.rtf.reader import RtfReader
from docshelf.settings import Limits

_LONGEST_DESCRIPTION = 500


def parse_rtf(data: bytes, key: str, limits: Limits) -> Document:
    """Read the body and footnotes; comments, headers, footers, pictures and embedded objects are left out.

    Raises:
        EmptyDocumentError: there is no text.
        DocumentTooLargeError: the text is longer than `limits.max_characters`.
        ParseFailedError: groups are nested beyond reason.
    """
    builder = PieceBuilder(limits)
    reader = RtfReader(builder)
    reader.read(data)
    warnings = ("The file ends before its last group does; its end may be missing.",) if reader.is_cut_off else ()
    return builder.document(
        titled(reader.title, builder.first_heading, key),
        MediaType.RTF,
        description=reader.description[:_LONGEST_DESCRIPTION],
        warnings=warnings,
    )
