"""What the queues carry."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.errors import MessageError
from docshelf.messages import LaneMessage, Maintain, Prepared, Sweep, lane_message, to_body

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
MOMENTS = st.just("") | st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat)
COUNTS = st.integers(min_value=0, max_value=10**9)


@given(
    st.one_of(
        st.just(Maintain()),
        st.builds(Prepared, TEXTS, st.lists(TEXTS, max_size=5).map(tuple), COUNTS),
        st.builds(Sweep, TEXTS, TEXTS, COUNTS, MOMENTS),
    )
)
def test_a_message_is_read_as_it_was_written(message: LaneMessage) -> None:
    assert lane_message(json.dumps(to_body(message))) == message


def test_a_schedule_needs_to_name_the_kind_only() -> None:
    assert lane_message('{"docshelf": "sweep"}') == Sweep()
    assert lane_message('{"docshelf": "maintain"}') == Maintain()


@pytest.mark.parametrize(
    "body",
    [
        "x",
        "{}",
        '{"docshelf": "key", "key": "a"}',
        '{"docshelf": "prepared"}',
        '{"docshelf": "prepared", "file": "f", "keys": "ab", "rows": 1}',
        '{"docshelf": "prepared", "file": "f", "keys": [1], "rows": 1}',
        '{"docshelf": "prepared", "file": "f", "keys": ["a"], "rows": "1"}',
        '{"docshelf": "sweep", "after": 1}',
        '{"docshelf": "sweep", "queued": "1"}',
        '{"docshelf": "sweep", "oldest": "yesterday"}',
        '{"docshelf": "sweep", "oldest": "2026-11-30"}',
        '{"docshelf": "sweep", "after": "\\ud800"}',
    ],
)
def test_anything_else_is_refused(body: str) -> None:
    with pytest.raises(MessageError):
        lane_message(body)
