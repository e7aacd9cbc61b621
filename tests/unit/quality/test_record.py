"""What was measured, as it is stored."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.quality.record import Problem, Quality, quality_of

GOOD = Quality(1_234, 0.01, 0.02, 0.03, "de", 7, 1, (Problem.GLUED_WORDS, Problem.PAGES_WITHOUT_TEXT))


def test_it_comes_back_as_it_was_stored() -> None:
    assert quality_of(GOOD.text()) == GOOD
    assert len(GOOD.text()) < 200


def test_what_a_later_version_adds_is_passed_over() -> None:
    later = {**json.loads(GOOD.text()), "contrast": 0.5, "problems": ["glued words", "faded ink", 3]}
    assert quality_of(json.dumps(later)).problems == (Problem.GLUED_WORDS,)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("characters", "9"), ("characters", None), ("bad", True), ("glued", -0.1), ("split", float("nan")),
        ("language", 5), ("pages", []), ("problems", None), ("problems", "glued words"),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused(name: str, value: object) -> None:
    with pytest.raises(ValueError, match="stored as something else"):
        quality_of(json.dumps({**json.loads(GOOD.text()), name: value}))


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_anything_else_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="stored as something else"):
        quality_of(json.dumps(value))
