import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.mcp_server.display import argument, clean, count, date, encodable, key


@given(st.text(max_size=300), st.integers(2, 80))
def test_a_cleaned_name_is_one_bounded_visible_line(text: str, limit: int) -> None:
    line = clean(text, limit)
    assert len(line) <= limit
    assert line.isprintable()
    assert '"' not in line
    assert "|" not in line


def test_a_name_that_is_too_long_ends_with_an_ellipsis() -> None:
    assert clean("x" * 100, 10) == "xxxxxxxxx…"
    assert clean("a" + " " * 1_000 + "b", 10) == "a…"


def test_direction_overrides_and_line_ends_do_not_survive_in_a_name() -> None:
    assert clean("safe\u202etxt.exe\r\n[2] other.md", 60) == "safe txt.exe [2] other.md"


@pytest.mark.parametrize("source", ["a/b.md", "a b/c (1).pdf", "日本/文書.md", "C++ notes<2>.txt"])
def test_a_plain_source_key_is_shown_as_it_is(source: str) -> None:
    assert key(source) == source


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=60))
def test_a_source_key_can_be_read_back_exactly(source: str) -> None:
    shown = key(source)
    assert shown.isprintable()
    assert (json.loads(shown) if shown.startswith('"') else shown) == source
    assert json.loads(argument(source)) == source


def test_a_date_is_the_day_in_utc() -> None:
    late = datetime(2026, 11, 2, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert date(late) == "2026-11-03"
    assert date(datetime(2026, 11, 2, tzinfo=UTC)) == "2026-11-02"
    assert date(datetime(2026, 11, 2)) == "2026-11-02"  # noqa: DTZ001 - a naive time counts as UTC
    assert date(None) == "unknown"


def test_a_count_agrees_with_its_noun() -> None:
    assert count(1, "page") == "1 page"
    assert count(2_796, "document") == "2,796 documents"


def test_a_lone_surrogate_is_replaced_before_sending() -> None:
    assert encodable("a\ud800b") == "a?b"
