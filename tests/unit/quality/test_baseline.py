"""Comparing numbers with those that were accepted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docshelf.errors import InvalidArgumentError
from scripts.quality.baseline import accept, accepted, falls


def numbers(ndcg: float, *, asked: str = "x", **changed: object) -> dict[str, object]:
    return {
        "settings": {"model": "m", "passages": 20} | changed,
        "sets": {"one": {"asked": asked, "kinds": {"all": {"search": {"ndcg": ndcg, "hit_1": 0.5}}}}},
    }


def test_a_rise_and_noise_pass() -> None:
    assert falls(numbers(0.8), numbers(0.9), ("one",)) == []
    assert falls(numbers(0.8), numbers(0.791), ("one",)) == []


def test_a_fall_is_told_with_both_numbers() -> None:
    assert falls(numbers(0.8), numbers(0.78), ("one",)) == ["one: ndcg fell from 0.800 to 0.780"]


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (numbers(0.9, model="other"), r"other settings \(model\)"),
        (numbers(0.9, query_prefix="query: "), r"other settings \(query_prefix\)"),
        (numbers(0.9, asked="y"), "The questions of one"),
    ],
)
def test_numbers_of_other_settings_or_questions_are_not_compared(found: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidArgumentError, match=words):
        falls(numbers(0.8), found, ("one",))


def test_a_set_without_accepted_numbers_is_not_compared() -> None:
    with pytest.raises(InvalidArgumentError, match="no numbers for two"):
        falls(numbers(0.8), numbers(0.8), ("two",))


def test_what_is_accepted_never_falls(tmp_path: Path) -> None:
    path = tmp_path / "accepted.json"
    path.write_text(json.dumps({"full": numbers(0.8)}), "utf-8")
    for ndcg, kept in ((0.795, 0.8), (0.81, 0.81), (0.805, 0.81)):
        accept(path, numbers(ndcg), quick=False)
        assert accepted(path, quick=False) == numbers(kept)
