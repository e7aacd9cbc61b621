"""Walk a page's tree, without recursion, and write its content down as pieces."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from docshelf.documents.html.code import code_language, code_text, fences
from docshelf.documents.html.table import is_layout, table_lines
from docshelf.documents.html.text import BREAK, lines, one_line
from docshelf.documents.model import Kind
from docshelf.documents.pieces import Group, Piece
from docshelf.documents.tiling import HeadingPath, bounded_opening, shortened

_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_PREFORMATTED = frozenset(("pre", "listing", "xmp", "plaintext"))
_BLOCK_TAGS = """
    address article aside body caption center dd details div dl dt fieldset figcaption figure footer form header hgroup
    hr legend li main nav optgroup option p search section summary tbody td tfoot th thead tr
""".split()  # noqa: SIM905 - reads better as words
_BLOCKS = _LISTS | frozenset(_BLOCK_TAGS)
_DEEPEST_INDENT = 8


class _List:
    """An open list: the number of its next item, None where it has bullets."""

    def __init__(self, node: LexborNode) -> None:
        start = node.attributes.get("start") or "1"
        self.number = (
            (int(start) if start.isascii() and start.isdigit() and len(start) < 7 else 1) if node.tag == "ol" else None
        )

    def marker(self) -> str:
        if self.number is None:
            return "- "
        self.number += 1
        return f"{self.number - 1}. "


class PieceWriter:
    """Collects inline text and writes it as a piece at each block's end."""

    def __init__(self, skipped: set[int], *, from_word_processor: bool = False) -> None:
        self.pieces: list[Piece] = []
        self._skipped = skipped
        self._from_word_processor = from_word_processor
        self._inline: list[str] = []
        self._alternatives: list[str] = []
        self._headings = HeadingPath()
        self._in_heading: LexborNode | None = None
        self._lists: list[_List] = []
        self._marker = ""
        self._quotes = 0
        self._in_term = 0
        self._terms: list[str] = []
        self._group = 0

    def write(self, root: LexborNode) -> list[Piece]:
        """Return the pieces of everything below `root`."""
        stack: list[tuple[LexborNode, bool]] = [(root, True)]
        while stack:
            node, entering = stack.pop()
            if not entering:
                self._leave(node)
            elif node.mem_id not in self._skipped and self._enter(node):
                stack.append((node, False))
                stack.extend((child, True) for child in list(node.iter(include_text=True))[::-1])
        self._flush()
        self._flush_terms()
        return self.pieces

    def _enter(self, node: LexborNode) -> bool:
        """Handle `node` as it opens; true where its children are to be visited."""
        tag = node.tag or ""
        if tag == "-text":
            self._inline.append(node.text_content or "")
        elif tag == "br":
            self._inline.append(BREAK)
        elif tag == "img":
            self._alternatives.append(node.attributes.get("alt") or "")
        elif self._in_heading is not None:
            self._inline.append(" " if tag in _BLOCKS else "")
            return True
        elif tag in _PREFORMATTED:
            self._flush()
            self._write_code(node)
        elif tag == "table" and not is_layout(node, from_word_processor=self._from_word_processor):
            self._flush()
            self._write_table(node)
        else:
            self._open(tag, node)
            return True
        return False

    def _open(self, tag: str, node: LexborNode) -> None:
        if tag in _HEADINGS:
            self._flush()
            self._in_heading = node
        elif tag == "blockquote":
            self._flush()
            self._group += not self._quotes
            self._quotes += 1
        elif tag in _BLOCKS or tag == "table":
            self._flush()
            if tag in _LISTS:
                self._group += not (self._lists or self._quotes)
                self._lists.append(_List(node))
                self._marker = ""
            elif tag == "li":
                self._marker = self._lists[-1].marker() if self._lists else "- "
            elif tag == "dt":
                self._in_term += 1

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if self._in_heading is not None:
            if node.mem_id == self._in_heading.mem_id:
                self._in_heading = None
                self._write_heading(_HEADINGS[tag])
            return
        if tag not in _BLOCKS and tag not in ("blockquote", "table"):
            return
        self._flush()
        if tag == "blockquote":
            self._quotes -= 1
        elif tag in _LISTS:
            self._lists.pop()
        elif tag == "dt":
            self._in_term -= 1
        elif tag == "dl":
            self._flush_terms()
        if tag == "li" or tag in _LISTS:
            self._marker = ""

    def _write_heading(self, level: int) -> None:
        text = one_line("".join(self._inline)).strip("¶ ") or one_line(" ".join(self._alternatives))
        self._inline.clear()
        self._alternatives.clear()
        if not text:
            return
        self._flush_terms()
        self._marker = ""
        self._headings.enter(level, shortened(text))
        self._add(Kind.HEADING, f"{'#' * level} {text}")

    def _write_code(self, node: LexborNode) -> None:
        code = code_text(node, self._skipped)
        if not code.strip():
            return
        self._flush_terms()
        if self._marker:
            self.pieces.append(self._in_list(""))
        opening, closing = fences(code, code_language(node))
        text = f"{opening}{code}\n{closing}".removesuffix("\n")
        self.pieces.append(Piece(Kind.CODE, text, self._headings.path, opening=opening, closing=closing))

    def _write_table(self, node: LexborNode) -> None:
        rows, headers, caption = table_lines(node, self._skipped)
        self._flush_terms()
        if caption:
            self._inline.append(caption)
            self._flush()
        if not rows:
            return
        if self._marker:
            self.pieces.append(self._in_list(""))
        self._group += 1
        opening = bounded_opening("".join(row + "\n" for row in rows[:headers]))
        group = Group(Kind.TABLE, self._group, opening)
        for row in rows:
            self._add(Kind.TABLE_ROW, row, group)

    def _flush(self) -> None:
        """Write the inline text collected so far as a paragraph, list item, quote or term."""
        text = lines("".join(self._inline)) if self._inline else ""
        self._inline.clear()
        if not text and self._alternatives:
            text = one_line(" ".join(self._alternatives))
        self._alternatives.clear()
        if not text:
            return
        if self._in_term:
            self._terms.append(text)
        elif self._quotes:
            self._flush_terms()
            self.pieces.append(self._in_quote(text))
        elif self._lists or self._marker:
            self._flush_terms()
            self.pieces.append(self._in_list(text))
        else:
            text = "\n".join([*self._terms, text])
            self._terms.clear()
            self._add(Kind.PARAGRAPH, text)

    def _in_list(self, text: str) -> Piece:
        depth = max(len(self._lists), 1)
        indent = "  " * (min(depth, _DEEPEST_INDENT) - 1)
        starts = depth == 1 and bool(self._marker)
        marker, self._marker = self._marker or "  ", ""
        first, *more = text.split("\n")
        written = "\n".join([f"{indent}{marker}{first}".rstrip(), *(f"{indent}  {line}" for line in more)])
        return Piece(Kind.LIST_ITEM, written, self._headings.path, Group(Kind.LIST, self._group), starts)

    def _in_quote(self, text: str) -> Piece:
        kind, group = Kind.PARAGRAPH, Group(Kind.QUOTE, self._group)
        if self._lists:
            item = self._in_list(text)
            kind, text = item.kind, item.text
        return Piece(kind, "\n".join(f"> {line}" for line in text.split("\n")), self._headings.path, group)

    def _flush_terms(self) -> None:
        if self._terms:
            text = "\n".join(self._terms)
            self._terms.clear()
            self._add(Kind.PARAGRAPH, text)

    def _add(self, kind: Kind, text: str, group: Group | None = None) -> None:
        self.pieces.append(Piece(kind, text, self._headings.path, group))
