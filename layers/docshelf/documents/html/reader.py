"""HTML: the readable text of a page, with its headings, without its menus."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

from docshelf.documents.html.charset import decode_html
from docshelf.documents.html.chrome import Content, find_content
from docshelf.documents.html.text import one_line
from docshelf.documents.html.walk import PieceWriter
from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document, Kind
from docshelf.documents.pieces import Piece, assemble
from docshelf.documents.tiling import shortened, title_from_key
from docshelf.errors import DocumentTooLargeError, EmptyDocumentError
from docshelf.settings import Limits

_DEEPEST = 200
_NESTING = re.compile(
    r"<(/?)(?:address|article|aside|blockquote|center|details|dir|div|dl|fieldset|figure|footer|form|header|hgroup|main|"
    r"menu|nav|ol|section|table|ul)\b[^>]*>?",
    re.IGNORECASE,
)
_SEPARATOR_AT_END = re.compile(r"(.*\S)\s+(?:[-–—|·•»:]|::)\s+", re.DOTALL)
_LONGEST_DESCRIPTION = 500


def parse_html(data: bytes, key: str, limits: Limits) -> Document:
    """Read a page from its bytes; the charset is the byte order mark's, the page's own or a guess.

    Raises:
        EmptyDocumentError: there is no text.
        DocumentTooLargeError: the text is longer than `limits.max_characters`.
    """
    text, warnings = decode_html(data)
    tree = LexborHTMLParser(flatten(text))
    content = find_content(tree)
    pieces = PieceWriter(content.skipped).write(content.root) if content else []
    title = _title(tree, content, pieces) or title_from_key(key)
    return finish(pieces, title, MediaType.HTML, limits, description=_description(tree), warnings=warnings)


def finish(
    pieces: list[Piece],
    title: str,
    media_type: MediaType,
    limits: Limits,
    description: str = "",
    warnings: tuple[str, ...] = (),
) -> Document:
    """Make the document out of `pieces`, within the limits."""
    if not pieces:
        raise EmptyDocumentError("The file holds no text.")
    length = sum(len(piece.text) + 2 for piece in pieces)
    if length > limits.max_characters:
        raise DocumentTooLargeError(
            f"The text has {length:,} characters, more than the {limits.max_characters:,} "
            "that DOCSHELF_MAX_CHARACTERS allows."
        )
    text, blocks = assemble(pieces)
    return Document(title, text, blocks, media_type, description=description, warnings=warnings)


def flatten(text: str) -> str:
    """Leave out the opening and closing tags of boxes nested more than 200 deep: parsing them takes quadratic time."""
    depth = 0

    def keep(match: re.Match[str]) -> str:
        nonlocal depth
        if match[1]:
            depth -= depth > 0
            return match[0] if depth < _DEEPEST else " "
        depth += 1
        return match[0] if depth <= _DEEPEST else " "

    return _NESTING.sub(keep, text) if text.count("<") > _DEEPEST else text


def _title(tree: LexborHTMLParser, content: Content | None, pieces: list[Piece]) -> str:
    node = tree.css_first("head title") or tree.css_first("body > title")
    named = one_line(node.text()) if node is not None else ""
    first = next((p.text.removeprefix("# ") for p in pieces if p.kind is Kind.HEADING and p.text.startswith("# ")), "")
    page_name = _before_site_name(named, first)
    return shortened(page_name or first or named)


def _before_site_name(named: str, heading: str) -> str:
    """The page's own name where it comes before `heading` in its title ("Install - The Site", heading "The Site")."""
    if not heading or not named.casefold().endswith(heading.casefold()):
        return ""
    before = _SEPARATOR_AT_END.fullmatch(named[: len(named) - len(heading)])
    return before[1].strip() if before else ""


def _description(tree: LexborHTMLParser) -> str:
    node = tree.css_first('meta[name="description" i]') or tree.css_first('meta[property="og:description" i]')
    return one_line(node.attributes.get("content") or "")[:_LONGEST_DESCRIPTION] if node is not None else ""
