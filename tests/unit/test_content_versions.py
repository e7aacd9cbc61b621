"""Names of contents tell when another look could end otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.content_versions import is_version_of, version_of
from docshelf.settings import Limits
from docshelf.states import State

OFF, ON = Limits(), Limits(ocr="textract")
STATES = st.sampled_from(State)


@given(STATES, st.sampled_from([OFF, ON, Limits(max_pages=3)]), st.booleans())
def test_what_was_stored_is_of_its_content_under_the_same_limits(state: State, limits: Limits, marked: bool) -> None:
    recognised = marked and state is State.INDEXED
    stored = version_of("1", state, limits, recognised=recognised)
    assert is_version_of(stored, "1", state, limits)
    assert not is_version_of(stored, "2", state, limits)
    assert not is_version_of(None, "1", state, limits)


@pytest.mark.parametrize("state", State)
def test_off_recognition_changes_no_name(state: State) -> None:
    assert version_of("1", state, Limits(ocr_max_pages=7), recognised=True) == version_of("1", state, OFF)


@pytest.mark.parametrize("state", [State.EMPTY, State.UNSUPPORTED, State.FAILED, State.TOO_LARGE])
def test_switching_recognition_is_another_look_at_what_has_no_text(state: State) -> None:
    assert not is_version_of(version_of("1", state, OFF), "1", state, ON)
    assert not is_version_of(version_of("1", state, ON), "1", state, OFF)


def test_a_text_of_its_own_stays_and_a_recognised_one_goes_when_recognition_is_switched_off() -> None:
    own = version_of("1", State.INDEXED, OFF)
    recognised = version_of("1", State.INDEXED, ON, recognised=True)
    assert is_version_of(own, "1", State.INDEXED, ON)
    assert is_version_of(recognised, "1", State.INDEXED, ON)
    assert not is_version_of(recognised, "1", State.INDEXED, OFF)


def test_more_pages_to_be_recognised_are_another_look_at_what_was_too_large() -> None:
    more = Limits(ocr="textract", ocr_max_pages=500)
    assert not is_version_of(version_of("1", State.TOO_LARGE, ON), "1", State.TOO_LARGE, more)
    assert is_version_of(version_of("1", State.EMPTY, ON), "1", State.EMPTY, more)
