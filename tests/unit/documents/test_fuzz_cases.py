"""Files that once broke a parser (`scripts/fuzz` found them): a document or a state, within the limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from docshelf.documents.sandbox.process import ParserProcess
from tests.support.fuzz_command import CASES, LIMITS, problem
from tests.support.fuzz_seeds import FAMILIES, seeds_of


@pytest.mark.parametrize("case", sorted(CASES.glob("*/*.*")), ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_file_that_was_found_is_read_or_has_a_state(case: Path) -> None:
    with ParserProcess(LIMITS) as parser:
        assert problem(parser, case.read_bytes(), case.name) == ""


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", b"A title\n=======\n\n" + b":" * 65_000),
        ("a.json", b'{"a": "' + b"x" * 5_000 + b'",' + b'{"b":' * 40_000),
        ("a.eml", b"From: a\nTo: b\nContent-Type: text/plain" + b"; x" * 120_000 + b"\n\nWords.\n"),
    ],
    ids=["colons", "open brackets", "parameters"],
)
def test_much_of_what_once_took_very_long_does_not(name: str, data: bytes) -> None:
    with ParserProcess(replace(LIMITS, parse_seconds=5)) as parser:
        assert problem(parser, data, name) == ""


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_has_files_to_start_from(family: str) -> None:
    assert seeds_of(family)
