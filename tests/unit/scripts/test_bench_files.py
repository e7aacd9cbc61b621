"""Measuring what was read: words, agreement of engines, and one file read in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from docshelf.settings import Limits
from scripts.bench.files_reading import read
from scripts.bench.files_words import (
    agreed,
    agreement,
    bad_characters,
    is_unexplained,
    knows_words,
    letters,
    recall,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The co\x02ordinator re-\nads ﬁles", ["the", "coordinator", "reads", "files"]),
        ("証明書 for v1.2", ["証", "明", "書", "for", "v1", "2"]),
        ("हिन्दी", ["हिन्दी"]),
    ],
)
def test_words_are_spelled_in_one_way(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_most_engines_decide_which_words_there_are() -> None:
    texts = [["a", "b", "b"], ["a", "b"], ["a", "c"]]
    assert agreed(texts) == {"a": 1, "b": 1}
    assert not agreed(texts[:1])
    assert not agreed([["a", "b", "c"], ["d", "e", "f", "a"]])


def test_glued_and_split_words_are_counted() -> None:
    engines = [["the", "grey", "heron", "waits"]] * 2
    found = agreement(["thegrey", "heron", "wai", "ts"], engines)
    assert found is not None
    assert (found.recall, found.precision, found.glued, found.split) == (0.25, 0.25, 1, 1)
    assert agreement(["x"], []) is None


def test_an_engine_of_single_letters_does_not_know_words() -> None:
    assert not knows_words(["t", "h", "e", "heron"])
    assert knows_words(["a", "heron", "waits"])


def test_letters_tell_whether_anything_is_missing_wherever_words_end() -> None:
    engines = [letters(["row14of", "l", "et"])] * 2
    assert recall(letters(["of", "row", "14", "let"]), engines) == 1
    assert recall(letters(["of", "row"]), engines) == 0.5
    assert recall(letters(["of"]), []) is None


def test_a_text_that_the_fonts_do_not_explain_is_nothing_to_compare_with() -> None:
    assert is_unexplained("(cid:17)(cid:3)\n(cid:9) ab")
    assert not is_unexplained("words and one (cid:17)")


def test_characters_without_meaning_are_counted() -> None:
    assert bad_characters("a\n\t\f\x02\ufffd\ue000\u0378") == 4


def test_a_file_is_read_with_its_state_time_and_memory(tmp_path: Path) -> None:
    good, bad = tmp_path / "a.md", tmp_path / "b.txt"
    good.write_text("# A heading\n")
    bad.write_bytes(b"")
    reading = read(good, Limits())
    assert (reading.state, reading.reason) == ("indexed", "")
    assert reading.document is not None
    assert reading.seconds < 60
    assert (read(bad, Limits()).state, read(bad, Limits()).document) == ("empty", None)
