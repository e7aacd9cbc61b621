"""Jupyter notebooks: Markdown cells, code cells and their text outputs; no pictures, no HTML, no scripts."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from docshelf.documents.html.code import fences
from docshelf.documents.html.text import verbatim
from docshelf.documents.markup.markdown import parse_markdown
from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.documents.text.code import parse_code
from docshelf.errors import EmptyDocumentError, ParseFailedError

_MOST_CELLS = 20_000
_LONGEST_OUTPUT = 2_000
_MOST_OUTPUTS = 20
_COLOURS = re.compile(r"\x1b\[[0-9;]{0,40}[A-Za-z]")
_EMBEDDED = re.compile(r"data:[\w.+/-]{1,80}(?:;[\w=.-]{1,80}){0,5};base64,[A-Za-z0-9+/=_\s-]{40,}")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_ONLY_A_NAME = re.compile(r"\s*<[^\n]{0,200}>\s*")
_LANGUAGE = re.compile(r"[A-Za-z0-9+#.-]{1,30}")


def parse_notebook(text: str, key: str) -> Document:
    """Read the JSON `text` of a notebook of any version of the format.

    Text that is no JSON (a notebook with the marks of a merge, say) is read as it stands, with a warning.

    Raises:
        EmptyDocumentError: no cell has text.
        ParseFailedError: it is JSON, but no notebook.
    """
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        return replace(parse_code(text, key), warnings=("The notebook is not valid JSON; it was read as text.",))
    raw_cells = _raw_cells(notebook) if isinstance(notebook, dict) else None
    if not isinstance(raw_cells, list):
        raise ParseFailedError("The file is named as a notebook but has no cells.")
    cells = [cell for cell in raw_cells if isinstance(cell, dict)]
    warnings = (f"Only the first {_MOST_CELLS:,} cells were read.",) if len(cells) > _MOST_CELLS else ()
    language = _language(notebook)
    parts = [part for cell in cells[:_MOST_CELLS] for part in _cell_parts(cell, language)]
    source = "\n\n".join(part for part in parts if part.strip())
    if not source.strip():
        raise EmptyDocumentError("The notebook has no text in its cells.")
    document = parse_markdown(source + "\n", key)
    return replace(document, media_type=str(MediaType.NOTEBOOK), source_lines=False, first_line=1, warnings=warnings)


def _raw_cells(notebook: dict[str, object]) -> object:
    """Cells of the notebook; older ones keep them in work sheets."""
    if "cells" in notebook:
        return notebook["cells"]
    sheets = notebook.get("worksheets")
    if not isinstance(sheets, list):
        return None
    cells = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
    return [cell for row in cells if isinstance(row, list) for cell in row]


def _language(notebook: dict[str, object]) -> str:
    metadata = notebook.get("metadata")
    for group, name in (("language_info", "name"), ("kernelspec", "language")):
        entry = metadata.get(group) if isinstance(metadata, dict) else None
        value = entry.get(name) if isinstance(entry, dict) else None
        if isinstance(value, str) and _LANGUAGE.fullmatch(value):
            return value.lower()
    return ""


def _cell_parts(cell: dict[str, object], language: str) -> list[str]:
    kind = cell.get("cell_type")
    source = _EMBEDDED.sub("(embedded data)", _joined(cell.get("source", cell.get("input"))))
    if kind == "markdown":
        return [_closed(source)]
    if kind == "heading":
        level = cell.get("level")
        return [f"{'#' * (level if isinstance(level, int) and 1 <= level <= 6 else 1)} {' '.join(source.split())}"]
    if kind == "raw":
        return [source]
    outputs = cell.get("outputs")
    shown = [_output(output) for output in outputs[:_MOST_OUTPUTS]] if isinstance(outputs, list) else []
    return [_fenced(source, language), *(_fenced(output, "") for output in shown)]


def _output(output: object) -> str:
    """Text of an output, bounded; a note in place of a picture."""
    if not isinstance(output, dict):
        return ""
    bundle = output.get("data")
    data = bundle if isinstance(bundle, dict) else output
    text = _joined(data.get("text/plain", output.get("text"))) or _joined(data.get("text/markdown"))
    if not text and output.get("output_type") in ("error", "pyerr"):
        text = f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}"
    picture = next(
        (name for name in data if isinstance(name, str) and name.startswith(("image/", "png", "jpeg"))), None
    )
    if picture is not None and (not text or _ONLY_A_NAME.fullmatch(text)):
        return "(picture)"
    text = _EMBEDDED.sub("(embedded data)", text)
    return text if len(text) <= _LONGEST_OUTPUT else f"{text[:_LONGEST_OUTPUT].rstrip()} …"


def _joined(value: object) -> str:
    """A text that the format keeps as one string or as a list of lines; "" for anything else."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    if not isinstance(value, str):
        return ""
    return verbatim(_COLOURS.sub("", value).encode("utf-8", "replace").decode("utf-8"))


def _fenced(text: str, language: str) -> str:
    if not text.strip():
        return ""
    opening, closing = fences(text, language)
    return f"{opening}{text}\n{closing}".removesuffix("\n")


def _closed(markdown: str) -> str:
    """A Markdown cell that cannot swallow the cells below: a fence or comment that it leaves open is closed."""
    fence = ""
    for mark, rest in _FENCE.findall(markdown):
        if not fence:
            fence = mark if "`" not in rest or mark.startswith("~") else ""
        elif mark.startswith(fence) and not rest.strip():
            fence = ""
    if fence:
        return f"{markdown}\n{fence}"
    return markdown if markdown.rfind("<!--") <= markdown.rfind("-->") else f"{markdown}\n-->"
