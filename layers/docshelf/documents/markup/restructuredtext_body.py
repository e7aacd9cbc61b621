"""What stands between the section titles of reStructuredText: paragraphs, lists, directives, literal blocks."""

from __future__ import annotations

import re

from docshelf.documents.markup.markup_text import plain_restructuredtext
from docshelf.documents.markup.restructuredtext_tables import csv_table, list_table, table
from docshelf.documents.model import Kind
from docshelf.documents.text.indentation import indentation, indented_end, is_blank, next_blank, next_text
from docshelf.documents.tiling import Draft, bounded_opening, shortened

_MAX_DEPTH = 20
_DIRECTIVE = re.compile(r"\.\.[ ]+(?:\|[^|]+\|[ ]+)?([\w:.+-]+?)::(?:[ ]+(.*)|$)")
_OPTION = re.compile(r"[ \t]+:[^:]+:")
_LIST_MARK = re.compile(
    r"(?:([-*+•‣⁃])|\(?(?:\d{1,9}|#|[A-Za-z]|[ivxlcdm]{1,8})([.)])|(:)[^:\s`](?:[^:\n]|:(?!\s)){0,200}:)(?:\s+|$)"
)
_CODE = re.compile(
    r"code-block|code|sourcecode|parsed-literal|literalinclude|doctest|testcode|testoutput|testsetup|ipython|prompt|"
    r"console|productionlist|graphviz|digraph|mermaid|raw|math|highlight|command-output|program-output"
)
# Directives that describe one named thing (a setting, a function): what is below is found under that name.
_DESCRIBES = re.compile(
    r"(?:\w+:)?(?:class|function|method|classmethod|staticmethod|attribute|data|exception|module|decorator|setting|"
    r"option|envvar|confval|describe|object|type|macro|member|var|property|templatetag|templatefilter|fieldlookup|"
    r"django-admin|django-admin-option|signal|directive|role|program|command|event)"
)


class BodyScanner:
    """Finds the blocks in `lines`; every method takes the range of lines `[first, last)` that it may look at."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def _body(self, first: int, last: int, headings: tuple[str, ...], depth: int) -> list[Draft]:
        """Drafts of the lines `[first, last)`, the inside of a block."""
        drafts: list[Draft] = []
        if depth >= _MAX_DEPTH:
            return drafts
        while (first := next_text(self._lines, first, last)) < last:
            first = self.add_block(drafts, first, last, headings, depth)
        return drafts

    def add_block(self, drafts: list[Draft], first: int, last: int, headings: tuple[str, ...], depth: int) -> int:
        """Add the block that starts at the line `first`, which is not blank, and return the line behind it."""
        line = self._lines[first]
        margin = indentation(line)
        text = line.lstrip()
        if text.startswith("..") and (len(text) == 2 or text[2] in " \t"):
            return self._explicit(drafts, first, last, headings, depth)
        if text.startswith(">>> "):
            drafts.append(Draft(Kind.CODE, first, headings))
            return next_blank(self._lines, first, last)
        found = table(self._lines, first, last, headings) if text[0] in "+=" else None
        if found is not None:
            drafts.append(found[0])
            return found[1]
        mark = _LIST_MARK.match(text)
        if mark:
            return self._list(drafts, first, last, headings, depth)
        return self._paragraph(drafts, first, last, margin, headings, depth)

    def _list(self, drafts: list[Draft], first: int, last: int, headings: tuple[str, ...], depth: int) -> int:
        margin = indentation(self._lines[first])
        kind = self._mark_kind(first)
        block = Draft(Kind.LIST, first, headings)
        number = first
        while number < last and indentation(self._lines[number]) == margin and self._mark_kind(number) == kind:
            end = indented_end(self._lines, number + 1, last, margin)
            item = Draft(Kind.LIST_ITEM, number, headings)
            item.children = self._lead_and_body(number, end, headings, depth)
            block.children.append(item)
            number = end
        drafts.append(block)
        return number

    def _mark_kind(self, number: int) -> str | None:
        mark = _LIST_MARK.match(self._lines[number].lstrip())
        return next(group for group in mark.groups() if group) if mark else None

    def _lead_and_body(self, first: int, end: int, headings: tuple[str, ...], depth: int) -> list[Draft]:
        """The paragraph on the first lines of a list item, then the blocks of its body."""
        lead_end = next_blank(self._lines, first, end)
        drafts = [Draft(Kind.PARAGRAPH, first, headings)]
        if self._lines[lead_end - 1].rstrip().endswith("::"):
            literal = next_text(self._lines, lead_end, end)
            mark = _LIST_MARK.match(self._lines[first].lstrip())
            margin = indentation(self._lines[first]) + (mark.end() if mark else 0)
            stop = indented_end(self._lines, literal, end, margin)
            if stop > literal:
                drafts.append(Draft(Kind.CODE, literal, headings))
                lead_end = stop
        return [*drafts, *self._body(lead_end, end, headings, depth + 1)]

    def _explicit(self, drafts: list[Draft], first: int, last: int, headings: tuple[str, ...], depth: int) -> int:
        """A directive, comment, target or footnote."""
        margin = indentation(self._lines[first])
        end = indented_end(self._lines, first + 1, last, margin)
        directive = _DIRECTIVE.match(self._lines[first].lstrip())
        if directive is None:
            drafts.append(Draft(Kind.PARAGRAPH, first, headings))
            return end
        name = directive[1].lower()
        body = first + 1
        while body < end and _OPTION.match(self._lines[body]):
            body += 1
        if _CODE.fullmatch(name):
            has_body = next_text(self._lines, body, end) < end
            opening = bounded_opening(f"{self._lines[first]}\n\n") if has_body else ""
            drafts.append(Draft(Kind.CODE, first, headings, opening=opening))
        elif name == "list-table":
            drafts.append(list_table(self._lines, first, body, end, headings))
        elif name == "csv-table":
            drafts.append(csv_table(self._lines, first, body, end, headings))
        elif name == "toctree" or next_text(self._lines, body, end) == end:
            drafts.append(Draft(Kind.PARAGRAPH, first, headings))
        else:
            subject = shortened(plain_restructuredtext(directive[2] or "")) if _DESCRIBES.fullmatch(name) else ""
            inside = (*headings, subject) if subject else headings
            block = Draft(Kind.QUOTE, first, inside)
            block.children = [Draft(Kind.PARAGRAPH, first, inside), *self._body(body, end, inside, depth + 1)]
            drafts.append(block)
        return end

    def _paragraph(
        self, drafts: list[Draft], first: int, last: int, margin: int, headings: tuple[str, ...], depth: int
    ) -> int:
        """A paragraph, with the literal block or the definition that follows it."""
        number = first + 1
        while number < last and not is_blank(self._lines[number]) and indentation(self._lines[number]) == margin:
            number += 1
        is_literal = self._lines[number - 1].rstrip().endswith("::")
        inner = next_text(self._lines, number, last) if is_literal else number
        is_deeper = inner < last and not is_blank(self._lines[inner]) and indentation(self._lines[inner]) > margin
        if not is_deeper:
            drafts.append(Draft(Kind.PARAGRAPH, first, headings))
            return number
        end = indented_end(self._lines, inner, last, margin)
        if is_literal:
            drafts += [Draft(Kind.PARAGRAPH, first, headings), Draft(Kind.CODE, inner, headings)]
            return end
        item = Draft(Kind.LIST_ITEM, first, headings)
        item.children = [Draft(Kind.PARAGRAPH, first, headings), *self._body(inner, end, headings, depth + 1)]
        if drafts and drafts[-1].kind is Kind.LIST and self._mark_kind(drafts[-1].line) is None:
            drafts[-1].children.append(item)
        else:
            drafts.append(Draft(Kind.LIST, first, headings, [item]))
        return end
