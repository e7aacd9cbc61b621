"""Jupyter notebooks: cells and text outputs, no pictures, no matter what the JSON holds."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.documents import Document, Kind, parse
from docshelf.documents.tiling import tiles
from docshelf.errors import DocumentError, EmptyDocumentError, ParseFailedError
from docshelf.settings import Limits


def read(notebook: object, key: str = "plot.ipynb") -> Document:
    return parse(json.dumps(notebook).encode(), key, Limits())


def notebook(*cells: dict[str, object], language: str = "python") -> dict[str, object]:
    return {"cells": list(cells), "metadata": {"language_info": {"name": language}}, "nbformat": 4, "nbformat_minor": 5}


def markdown(*lines: str) -> dict[str, object]:
    return {"cell_type": "markdown", "source": list(lines)}


def code(source: str, *outputs: Mapping[str, object]) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


def test_cells_are_read_in_order_with_headings_and_languages() -> None:
    cells = (markdown("# Shards\n", "Some words."), code("plot(x)"), markdown("## Next"), code("f()"))
    document = read(notebook(*cells))
    assert document.text == "# Shards\nSome words.\n\n```python\nplot(x)\n```\n\n## Next\n\n```python\nf()\n```\n"
    assert document.blocks[-1].headings == ("Shards", "Next")
    assert (document.title, document.media_type, document.source_lines) == ("Shards", "notebook", False)


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ({"output_type": "stream", "text": ["one\n", "two\n"]}, "one\ntwo"),
        ({"output_type": "execute_result", "data": {"text/plain": "42", "text/html": "<b>42</b>"}}, "42"),
        ({"output_type": "display_data", "data": {"image/png": "iVBO" * 99, "text/plain": "<Figure>"}}, "(picture)"),
        ({"output_type": "display_data", "data": {"image/svg+xml": "<svg/>"}}, "(picture)"),
        ({"output_type": "error", "ename": "KeyError", "evalue": "'a'", "traceback": []}, "KeyError: 'a'"),
        ({"output_type": "stream", "text": "\x1b[31mred\x1b[0m"}, "red"),
        ({"output_type": "pyout", "text": ["old"]}, "old"),
    ],
)
def test_outputs_are_read_as_text(output: dict[str, object], text: str) -> None:
    assert read(notebook(code("x", output))).text == f"```python\nx\n```\n\n```\n{text}\n```\n"


def test_long_outputs_and_embedded_data_are_cut() -> None:
    image = f"![plot](data:image/png;base64,{'iVBO' * 9_000})"
    document = read(notebook(markdown(image), code("x", {"output_type": "stream", "text": "word " * 9_000})))
    assert "![plot]((embedded data))" in document.text
    assert len(document.text) < 3_000


def test_a_fence_or_comment_that_a_cell_leaves_open_ends_with_it() -> None:
    document = read(notebook(markdown("```\nopen"), markdown("<!-- open"), markdown("# Found")))
    assert document.blocks[-1].kind is Kind.HEADING


def test_a_notebook_of_an_older_version_is_read() -> None:
    sheet = {"cells": [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": "x = 1"}]}
    assert read({"nbformat": 3, "worksheets": [sheet]}).text == "## Old\n\n```\nx = 1\n```\n"


def test_a_notebook_is_known_by_its_entries_whatever_its_name() -> None:
    assert read(notebook(markdown("# A")), "export.json").media_type == "notebook"


def test_a_notebook_with_the_marks_of_a_merge_is_read_as_text() -> None:
    document = parse(b'{\n<<<<<<< HEAD\n "cells": []\n', "plot.ipynb", Limits())
    assert (document.media_type, len(document.warnings)) == ("code", 1)


def test_a_notebook_larger_than_the_limit_on_characters_is_read_when_its_text_is_not() -> None:
    output = {"output_type": "display_data", "data": {"image/png": "iVBO" * 9_000}}
    data = json.dumps(notebook(markdown("# A"), code("x", output))).encode()
    assert parse(data, "a.ipynb", Limits(max_characters=1_000)).title == "A"


@pytest.mark.parametrize(
    ("value", "error"),
    [({"a": 1}, ParseFailedError), ({"cells": 5}, ParseFailedError), (notebook(), EmptyDocumentError)],
)
def test_what_has_no_cells_says_so(value: object, error: type[DocumentError]) -> None:
    with pytest.raises(error):
        read(value)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
CELLS = st.dictionaries(
    st.sampled_from(["cell_type", "source", "input", "outputs", "level"]),
    st.sampled_from(["markdown", "code", "heading", "raw"]) | VALUES,
)


@settings(deadline=None)
@given(st.lists(CELLS | VALUES, max_size=6), VALUES)
def test_any_cells_end_in_a_document_or_a_document_error(cells: list[object], metadata: object) -> None:
    try:
        document = read({"cells": cells, "metadata": metadata, "nbformat": 4})
    except DocumentError:
        return
    assert tiles(document.blocks, len(document.text))
    assert "\0" not in document.text
    assert "\r" not in document.text
    document.text.encode()
