"""Markdown and MDX."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it.token import Token

from docshelf.documents.markup.front_matter import split_front_matter
from docshelf.documents.markup.markdown_rules import block_tokens
from docshelf.documents.markup.markup_text import plain_markdown
from docshelf.documents.model import Document, Kind
from docshelf.documents.tiling import Draft, HeadingPath, bounded_opening, line_starts, tile, title_from_key

_HTML_HEADING = re.compile(r"\s*<h([1-6])\b[^<>]*>(.*?)</h\1\s*>\s*", re.DOTALL | re.IGNORECASE)
_MAX_HTML_HEADING = 2_000
_MAX_SETEXT_LINES = 3
_FENCE = re.compile(r"(?:`{3,}|~{3,})")
_FENCE_CLOSE = re.compile(r"[> \t]*(`{3,}|~{3,})[ \t]*$")
# Material and Python-Markdown write admonitions and tabs so; their indented text is prose, not code.
_ADMONITION = re.compile(r"\s*(?:!!!|\?\?\?\+?|===[!+]?)\s+[\w\"']")
_CONTAINERS = {
    "bullet_list_open": Kind.LIST,
    "ordered_list_open": Kind.LIST,
    "list_item_open": Kind.LIST_ITEM,
    "blockquote_open": Kind.QUOTE,
}


def parse_markdown(text: str, key: str) -> Document:
    """Read `text` (line ends normalised, not blank). Front matter is left out of the document's text.

    A file that is nothing but front matter keeps it as its text: it is all there is to find.
    """
    front, body, first_line = split_front_matter(text)
    reader = _Reader(body, indented_code=not key.lower().endswith(".mdx"))
    drafts = reader.read()
    return Document(
        title=front.title or reader.first_level_one or reader.first_heading or title_from_key(key),
        text=body,
        blocks=tile(drafts, reader.starts, 0, len(body)),
        media_type="markdown",
        source_lines=True,
        first_line=first_line,
        description=front.description,
    )


class _Reader:
    """Turns block tokens into drafts, keeping the headings in force."""

    def __init__(self, text: str, *, indented_code: bool) -> None:
        self.text = text
        self.starts = line_starts(text)
        self.first_level_one = ""
        self.first_heading = ""
        self._tokens = block_tokens(text, indented_code=indented_code)
        self._next = 0

    def read(self) -> list[Draft]:
        drafts = self._siblings(HeadingPath(), nested=False)
        return drafts or [Draft(Kind.PARAGRAPH, 0)]

    def _siblings(self, headings: HeadingPath, *, nested: bool) -> list[Draft]:
        """Drafts of the tokens up to the end of the container that is open (or of the document)."""
        drafts: list[Draft] = []
        in_admonition = False
        while self._next < len(self._tokens):
            token = self._tokens[self._next]
            self._next += 1
            if token.nesting == -1:
                break
            draft = self._draft(token, headings, nested=nested)
            if token.type == "code_block" and in_admonition:
                draft.kind = Kind.PARAGRAPH
            line = self._line(draft.line)
            in_admonition = _ADMONITION.match(line) is not None or (in_admonition and line.startswith(("    ", "\t")))
            drafts.append(draft)
        return drafts

    def _draft(self, token: Token, headings: HeadingPath, *, nested: bool) -> Draft:
        first, last = token.map or (0, 0)
        if token.type in _CONTAINERS:
            draft = Draft(_CONTAINERS[token.type], first, headings.path)
            draft.children = self._siblings(HeadingPath(headings.path), nested=True)
            return draft
        if token.type == "heading_open":
            content = self._skip_to_end("heading_close")[0].content
            is_heading = token.markup.startswith("#") or content.count("\n") < _MAX_SETEXT_LINES
            return self._heading(first, int(token.tag[1]), content if is_heading else "", headings, nested=nested)
        if token.type == "html_block":
            found = _HTML_HEADING.fullmatch(token.content) if len(token.content) <= _MAX_HTML_HEADING else None
            return self._heading(
                first, int(found[1]) if found else 0, found[2] if found else "", headings, nested=nested
            )
        if token.type == "table_open":
            return self._table(first, last, headings)
        if token.type == "fence":
            return self._fence(token, first, last, headings)
        if token.type == "paragraph_open":
            self._skip_to_end("paragraph_close")
        return Draft(Kind.CODE if token.type == "code_block" else Kind.PARAGRAPH, first, headings.path)

    def _skip_to_end(self, closing: str) -> Sequence[Token]:
        """Move behind the token of type `closing` and return the tokens before it."""
        first = self._next
        while self._tokens[self._next].type != closing:
            self._next += 1
        self._next += 1
        return self._tokens[first : self._next - 1]

    def _heading(self, line: int, level: int, markup: str, headings: HeadingPath, *, nested: bool) -> Draft:
        heading = plain_markdown(markup)
        if not heading:
            return Draft(Kind.PARAGRAPH, line, headings.path)
        if not nested:
            self.first_heading = self.first_heading or heading
            if level == 1:
                self.first_level_one = self.first_level_one or heading
        return Draft(Kind.HEADING, line, headings.enter(level, heading))

    def _line(self, number: int) -> str:
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[number] : end].rstrip("\n")

    def _table(self, first: int, last: int, headings: HeadingPath) -> Draft:
        rows = [token.map[0] for token in self._skip_to_end("table_close") if token.type == "tr_open" and token.map]
        opening = f"{self._line(first)}\n{self._line(first + 1)}\n" if last - first > 1 else ""
        return Draft(
            Kind.TABLE,
            first,
            headings.path,
            [Draft(Kind.TABLE_ROW, row, headings.path) for row in rows],
            bounded_opening(opening),
        )

    def _fence(self, token: Token, first: int, last: int, headings: HeadingPath) -> Draft:
        line = self._line(first)
        mark = _FENCE.search(line)
        position = mark.start() if mark else 0
        # A fence may open behind a list marker, which must not be repeated with each piece.
        margin = "".join(character if character in "> \t" else " " for character in line[:position])
        opening = f"{margin}{line[position:]}\n"
        if not bounded_opening(opening):
            opening = f"{margin}{token.markup}\n"
        final = self._line(last - 1)
        closed = _FENCE_CLOSE.match(final) if last - first > 1 else None
        is_closed = closed is not None and closed[1].startswith(token.markup)
        closing = f"{final}\n" if is_closed else f"{margin}{token.markup}\n"
        return Draft(
            Kind.CODE, first, headings.path, opening=bounded_opening(opening), closing=bounded_opening(closing)
        )
