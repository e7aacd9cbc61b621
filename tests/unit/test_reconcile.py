"""The whole bucket against the index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.content_versions import version_of
from docshelf.errors import SourceError
from docshelf.index.records import SourceVersion
from docshelf.reconcile import Difference, Reason, compared, differences
from docshelf.settings import Limits
from docshelf.sources import SourceEntry
from docshelf.states import State

NOW = datetime(2026, 11, 30, tzinfo=UTC)
LIMITS = Limits()
KEYS = st.text("aA/é\u0301\U0001f600 ", min_size=1, max_size=3)
VERSIONS = st.sampled_from(["1", "2"])


def entry(key: str, version: str = "1", *, archived: bool = False) -> SourceEntry:
    return SourceEntry(key, 3, NOW, version, archived=archived)


def row(
    source: str,
    version: str | None = "1",
    state: State | None = State.INDEXED,
    *,
    retryable: bool = False,
    consistent: bool = True,
    modified_at: datetime | None = NOW,
    indexed_at: datetime | None = NOW,
) -> SourceVersion:
    return SourceVersion(
        key=source,
        version=version,
        state=state,
        retryable=retryable,
        modified_at=modified_at,
        indexed_at=indexed_at,
        chunks=1,
        consistent=consistent,
    )


def failed(key: str, failures: int = 1, ago: timedelta = timedelta(0)) -> SourceVersion:
    version = version_of("1", State.FAILED, LIMITS)
    stored = row(
        key, version, State.FAILED, retryable=True, modified_at=NOW - timedelta(days=700), indexed_at=NOW - ago
    )
    return replace(stored, failures=failures)


def found(entries: Iterable[SourceEntry], rows: Iterable[SourceVersion]) -> list[tuple[str, Reason]]:
    return [(one.key, one.reason) for one in differences(iter(entries), iter(rows), LIMITS, NOW)]


@given(st.dictionaries(KEYS, VERSIONS, max_size=12), st.dictionaries(KEYS, VERSIONS, max_size=12))
def test_exactly_the_keys_that_differ_are_found(bucket: dict[str, str], index: dict[str, str]) -> None:
    entries = [entry(key, version) for key, version in sorted(bucket.items())]
    rows = [row(key, version) for key, version in sorted(index.items())]
    expected = {key for key in bucket.keys() | index.keys() if bucket.get(key) != index.get(key)}
    assert [key for key, _ in found(entries, rows)] == sorted(expected)
    every = list(compared(iter(entries), iter(rows), LIMITS, NOW))
    assert [key for key, _, _ in every] == sorted(bucket.keys() | index.keys())


def test_each_difference_says_why() -> None:
    entries = [entry("changed", "2"), entry("damaged"), entry("new"), entry("same")]
    rows = [
        row("changed"),
        row("damaged", consistent=False),
        row("gone"),
        row("orphan", None, None, consistent=False),
        row("same"),
    ]
    assert found(entries, rows) == [
        ("changed", Reason.CHANGED),
        ("damaged", Reason.DAMAGED),
        ("gone", Reason.REMOVED),
        ("new", Reason.NEW),
        ("orphan", Reason.REMOVED),
    ]
    assert list(differences(iter(entries[2:3]), iter(()), LIMITS, NOW)) == [Difference("new", Reason.NEW, entries[2])]


def test_other_limits_are_another_look_at_what_they_decided() -> None:
    states = (State.TOO_LARGE, State.FAILED, State.EMPTY)
    rows = [row(state.value, version_of("1", state, LIMITS), state) for state in sorted(states)]
    entries = [entry(one.key) for one in rows]
    assert found(entries, rows) == []
    other = Limits(max_pages=7)
    again = [one.key for one in differences(iter(entries), iter(rows), other, NOW)]
    assert again == ["failed", "too large"]


@pytest.mark.parametrize(
    ("failures", "hours", "due"),
    [
        (1, 0, True),
        (2, 1, True),
        (3, 30, False),
        (3, 40, True),
        (4, 72, False),
        (4, 90, True),
        (99, 700, False),
        (99, 760, True),
    ],
)
def test_a_failure_that_may_pass_is_looked_at_less_and_less_often(failures: int, hours: int, *, due: bool) -> None:
    stored = failed("a", failures, timedelta(hours=hours))
    assert found([entry("a")], [stored]) == ([("a", Reason.RETRY)] if due else [])


def test_every_failure_that_may_pass_can_be_asked_for() -> None:
    rows = [failed("a", 99), replace(failed("b"), retryable=False), failed("c", 99)]
    entries = [entry("a"), entry("b"), entry("c", archived=True)]
    again = differences(iter(entries), iter(rows), LIMITS, NOW, every_failure=True)
    assert [one.key for one in again] == ["a"]


def test_an_archived_object_is_not_tried_until_it_is_restored() -> None:
    assert found([entry("a", archived=True)], [failed("a")]) == []
    assert found([entry("a")], [failed("a")]) == [("a", Reason.RETRY)]


def test_a_failure_that_cannot_pass_is_left_alone() -> None:
    assert found([entry("a")], [row("a", version_of("1", State.FAILED, LIMITS), State.FAILED)]) == []


@pytest.mark.parametrize(
    ("keys", "sources"), [(["b", "a"], []), ([], ["b", "a"]), (["a", "a"], []), (["a"], ["c", "b"])]
)
def test_a_side_that_is_not_in_order_is_refused(keys: list[str], sources: list[str]) -> None:
    with pytest.raises(SourceError, match="not in order"):
        found(map(entry, keys), map(row, sources))


def test_what_is_being_recognised_is_looked_at_by_every_sweep() -> None:
    limits = Limits(ocr="textract")
    waiting = row("a", version_of("1", State.QUEUED, limits), State.QUEUED)
    looks = list(differences(iter([entry("a")]), iter([waiting]), limits, NOW))
    assert [one.reason for one in looks] == [Reason.RECOGNISING]
    assert found([entry("a")], [waiting]) == [("a", Reason.CHANGED)], "recognition was switched off"


def test_what_a_member_needs_has_its_key_looked_at_again() -> None:
    archive = replace(row("a.zip"), members=1)
    whole = replace(archive, member_versions=frozenset({(State.INDEXED, "1")}))
    older = replace(archive, member_versions=frozenset({(State.INDEXED, "0")}))
    large = replace(archive, member_versions=frozenset({(State.TOO_LARGE, version_of("1", State.TOO_LARGE, LIMITS))}))
    limits = replace(archive, member_versions=frozenset({(State.TOO_LARGE, "1@others")}))
    failed_member = replace(whole, retryable=True)
    bucket = [entry("a.zip")]
    assert found(bucket, [whole]) == found(bucket, [large]) == []
    assert found(bucket, [older]) == found(bucket, [limits]) == [("a.zip", Reason.CHANGED)]
    assert found(bucket, [failed_member]) == [("a.zip", Reason.RETRY)]
