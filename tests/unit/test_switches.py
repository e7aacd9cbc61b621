"""Settings that are on or off."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.errors import SettingsError
from docshelf.switches import switched_on

WORDS = {"1": True, "true": True, "YES": True, " 1 ": True, "0": False, "False": False, "no": False}


@pytest.mark.parametrize("default", [True, False])
@pytest.mark.parametrize(("text", "on"), WORDS.items())
def test_what_is_set_counts_whatever_the_default(text: str, on: bool, default: bool) -> None:
    assert switched_on({"DOCSHELF_X": text}, "DOCSHELF_X", default=default) is on


@pytest.mark.parametrize("default", [True, False])
@pytest.mark.parametrize("environment", [{}, {"DOCSHELF_X": ""}, {"DOCSHELF_X": "  "}])
def test_nothing_set_leaves_the_default(environment: dict[str, str], default: bool) -> None:
    assert switched_on(environment, "DOCSHELF_X", default=default) is default


@given(
    st.text().filter(lambda text: text.strip() and text.strip().lower() not in {"1", "0", "true", "false", "yes", "no"})
)
def test_anything_else_is_refused_by_the_name_of_the_variable(text: str) -> None:
    with pytest.raises(SettingsError, match="DOCSHELF_X must be 1 or 0"):
        switched_on({"DOCSHELF_X": text}, "DOCSHELF_X", default=False)
