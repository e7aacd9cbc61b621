"""JSON and XML on one long line are parted; others, YAML and TOML keep their own lines."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.documents import Document, parse
from docshelf.documents.tiling import tiles
from docshelf.settings import Limits

PATHS = {
    "paths": {f"/users/{number}": {"get": {"summary": f"User {number}", "tags": ["a", 1]}} for number in range(200)}
}


def read(text: str, key: str = "api.json") -> Document:
    return parse(text.encode("utf-8", "replace"), key, Limits())


def test_an_entry_has_its_own_lines_and_stands_under_the_names_that_lead_to_it() -> None:
    document = read(json.dumps(PATHS, separators=(",", ":")))
    assert '  "/users/7": {\n   "get": {\n    "summary": "User 7",\n    "tags": ["a", 1]\n   }\n  },\n' in document.text
    assert document.blocks[3].headings == ("paths",)
    assert max(block.end - block.start for block in document.blocks) < 3_000
    assert (document.media_type, document.source_lines, len(document.warnings)) == ("json", False, 1)


def test_json_with_lines_of_its_own_keeps_them() -> None:
    document = read(json.dumps(PATHS, indent=2))
    assert (document.text, document.media_type, document.source_lines) == (json.dumps(PATHS, indent=2), "code", True)


@pytest.mark.parametrize("key", ["a.yaml", "a.toml", "a.xml", "a.jsonl"])
def test_other_formats_of_data_keep_their_lines(key: str) -> None:
    assert read("a: <b>1</b>\n", key).text == "a: <b>1</b>\n"


def test_numbers_and_repeated_names_stay_as_they_were_written() -> None:
    text = read('{"a": 1.10, "a": 1e400, "u": "\\u00e9"}'.ljust(6_000, " ") + "\n").text
    assert text == '{\n "a": 1.10,\n "a": 1e400,\n "u": "\\u00e9"\n}\n'


def test_xml_on_one_line_is_parted_between_its_elements() -> None:
    document = read("<a>" + "<b>words</b><c/>" * 500 + "</a>", "feed.xml")
    assert document.text.startswith("<a>\n<b>words</b>\n<c/>\n<b>")
    assert (document.media_type, document.source_lines, len(document.warnings)) == ("code", False, 1)


@settings(deadline=None)
@given(st.text(alphabet='{}[],:"\\ a1\n', max_size=200), st.sampled_from('{["'))
def test_any_long_line_is_tiled_and_loses_no_sign(text: str, first: str) -> None:
    source = f'{first}{text}"{"x" * 6_000}"'
    document = read(source)
    assert tiles(document.blocks, len(document.text))
    assert re.sub(r"\s", "", document.text) == re.sub(r"\s", "", source)
