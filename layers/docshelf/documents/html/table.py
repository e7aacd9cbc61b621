"""Read an HTML table: whether it holds data or only lays out a page, and its rows as lines."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from docshelf.documents.html.text import one_line

_BLOCKS_IN_LAYOUT = "h1, h2, h3, h4, h5, h6, table, pre"
_LONG_CELL = 1_000
_ITEM = "\x00"  # between the items of a list in a cell; an HTML parser never lets NUL through
_MOST_SPANNED_COLUMNS = 20
_MOST_SPANNED_ROWS = 1_000
_MOST_REPEATED = 200
_BREAKING = """
    p div section article blockquote ul ol dl dt dd tr table h1 h2 h3 h4 h5 h6 pre address figure br td th
""".split()  # noqa: SIM905 - reads better as words


def is_layout(table: LexborNode, *, from_word_processor: bool) -> bool:
    """True where the cells hold parts of a page instead of data.

    A table with header cells, a caption or more than one column of short cells holds data.
    """
    role = table.attributes.get("role")
    if role in ("presentation", "none"):
        return True
    rows = _rows(table)
    if any(child.tag in ("thead", "caption") for child in table.iter()):
        return False
    if any(cell.tag == "th" for cells in rows for cell in cells):
        return False
    if all(len(cells) <= 1 for cells in rows):
        return True
    if from_word_processor:
        return False
    return any(_holds_page_parts(cell) for cells in rows for cell in cells)


def _holds_page_parts(cell: LexborNode) -> bool:
    if cell.css_first(_BLOCKS_IN_LAYOUT) is not None:
        return True
    return len(cell.css("p")) > 1 and len(cell.text()) > _LONG_CELL


def _rows(table: LexborNode) -> list[list[LexborNode]]:
    """Cells of the table's own rows, not those of tables inside it."""
    rows: list[list[LexborNode]] = []
    stack = list(table.iter())[::-1]
    while stack:
        node = stack.pop()
        if node.tag == "tr":
            rows.append([cell for cell in node.iter() if cell.tag in ("td", "th")])
        elif node.tag in ("thead", "tbody", "tfoot"):
            stack.extend(list(node.iter())[::-1])
    return rows


def table_lines(table: LexborNode, skipped: set[int]) -> tuple[list[str], int, str]:
    """Return the rows as `| a | b |` lines, how many of the first are headers, and the caption (empty for none).

    A cell that spans rows is repeated in each, so that a row cut out of the table keeps its meaning.
    """
    lines: list[str] = []
    headers = 0
    spanning: dict[int, tuple[int, str]] = {}
    for cells in _rows(table):
        texts = _fill(cells, skipped, spanning)
        if not any(texts):
            continue
        if headers == len(lines) and _is_header(cells):
            headers += 1
        lines.append("| " + " | ".join(texts) + " |")
    caption = next((child for child in table.iter() if child.tag == "caption"), None)
    return lines, headers if headers < len(lines) else 0, cell_text(caption, skipped) if caption else ""


def _is_header(cells: list[LexborNode]) -> bool:
    if not cells:
        return False
    row = cells[0].parent
    if row is not None and row.parent is not None and row.parent.tag == "thead":
        return True
    return all(cell.tag == "th" for cell in cells)


def _fill(cells: list[LexborNode], skipped: set[int], spanning: dict[int, tuple[int, str]]) -> list[str]:
    """Texts of one row by column; `spanning` holds, by column, the rows still to come and the text to repeat."""
    texts: list[str] = []
    for cell in cells:
        _repeat(texts, spanning)
        text = "" if cell.mem_id in skipped else cell_text(cell, skipped)
        rows = _span(cell, "rowspan", _MOST_SPANNED_ROWS)
        for offset in range(_span(cell, "colspan", _MOST_SPANNED_COLUMNS)):
            if rows > 1:
                spanning[len(texts)] = (rows - 1, "" if offset else text[:_MOST_REPEATED])
            texts.append("" if offset else text)
    _repeat(texts, spanning)
    return texts


def _repeat(texts: list[str], spanning: dict[int, tuple[int, str]]) -> None:
    while len(texts) in spanning:
        column = len(texts)
        rows, text = spanning[column]
        if rows > 1:
            spanning[column] = (rows - 1, text)
        else:
            del spanning[column]
        texts.append(text)


def _span(cell: LexborNode, name: str, most: int) -> int:
    value = cell.attributes.get(name) or ""
    match = re.match(r"\s*([0-9]{1,6})", value)
    return max(1, min(int(match[1]), most)) if match else 1


def cell_text(cell: LexborNode, skipped: set[int]) -> str:
    """All text of `cell` on one line; list items are told apart by semicolons."""
    parts: list[str] = []
    alternatives: list[str] = []
    stack: list[LexborNode | str] = []
    stack.extend(list(cell.iter(include_text=True))[::-1])
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            parts.append(node)
        elif node.tag == "-text":
            parts.append(node.text_content or "")
        elif node.tag == "img":
            alternatives.append(node.attributes.get("alt") or "")
        elif node.mem_id not in skipped:
            if node.tag in _BREAKING:
                parts.append(" ")
                stack.append(" ")
            elif node.tag == "li":
                parts.append(_ITEM)
            stack.extend(list(node.iter(include_text=True))[::-1])
    items = map(one_line, "".join(parts).split(_ITEM))
    return "; ".join(item for item in items if item) or one_line(" ".join(alternatives))
