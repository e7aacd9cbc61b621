"""What a commit does with each prepared entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from docshelf.commit import deciding
from docshelf.commit.deciding import Decision, Versions, agrees
from docshelf.content_versions import version_of
from docshelf.index.identity import IndexIdentity
from docshelf.index.prepared_file import PreparedEntry, prepared_file_bytes, read_prepared_file
from docshelf.index.records import DocumentRecord, PreparedDocument, SourceVersion
from docshelf.ingest.looking import UNKNOWN_VERSION
from docshelf.settings import Limits
from docshelf.sources import SourceEntry, collection_of
from docshelf.states import State

NOW = datetime(2026, 11, 30, tzinfo=UTC)
LIMITS = Limits()
IDENTITY = IndexIdentity("m", "0" * 64, "1" * 64, 2, "mean", "", "", 512, 200, "1", "1")


def decide(
    made: Iterable[PreparedEntry], now: Versions, found: Mapping[str, SourceVersion], limits: Limits = LIMITS
) -> Decision:
    return deciding.decide(made, now, found, limits)


def document(
    key: str, version: str, state: State = State.EMPTY, limits: Limits = LIMITS, *, recognised: bool = False
) -> PreparedDocument:
    reason = None if state is State.INDEXED else "It is so."
    record = DocumentRecord(
        source=key,
        key=key,
        collection=collection_of(key),
        state=state,
        reason=reason,
        retryable=state is State.FAILED,
        version=version_of(version, state, limits, recognised=recognised),
        content_sha256="",
        title=None,
        media_type=None,
        pages=None,
        chunks=0,
        characters=0,
        bytes=0,
        line_kind=None,
        first_line=1,
        modified_at=NOW,
        indexed_at=NOW,
    )
    return PreparedDocument(record)


def entries(*made: tuple[str, str | None, PreparedDocument | None]) -> tuple[PreparedEntry, ...]:
    return tuple(entry for one in made for entry in read_prepared_file(prepared_file_bytes(IDENTITY, [one])).entries)


def held(key: str, version: str) -> SourceEntry:
    return SourceEntry(key, 1, NOW, version)


def stored(
    key: str,
    version: str | None,
    state: State | None,
    limits: Limits = LIMITS,
    *,
    consistent: bool = True,
    recognised: bool = False,
) -> SourceVersion:
    if version is not None and state is not None:
        version = version_of(version, state, limits, recognised=recognised)
    return SourceVersion(key, version, state, False, NOW, NOW, 0, consistent)


def test_an_entry_made_from_an_older_version_is_dropped() -> None:
    decision = decide(entries(("a", "1", document("a", "1"))), {"a": held("a", "2")}, {})
    assert (decision.documents, decision.removed, decision.accepted) == ([], [], set())


def test_a_removal_is_dropped_when_the_object_came_back() -> None:
    made = entries(("a", None, None))
    assert decide(made, {"a": held("a", "2")}, {"a": stored("a", "1", State.EMPTY)}).removed == []
    decision = decide(made, {"a": None}, {"a": stored("a", "1", State.EMPTY)})
    assert (decision.removed, decision.accepted) == (["a"], {"a"})


def test_of_two_entries_of_a_key_the_one_of_the_current_version_counts() -> None:
    made = entries(("a", "2", document("a", "2")), ("a", "1", document("a", "1")))
    decision = decide(made, {"a": held("a", "2")}, {})
    assert [one.record.version for one in decision.documents] == ["2"]
    assert decision.accepted == {"a"}


def test_what_the_index_holds_already_is_not_written_again() -> None:
    made = entries(("a", "1", document("a", "1")), ("b", None, None))
    decision = decide(made, {"a": held("a", "1"), "b": None}, {"a": stored("a", "1", State.EMPTY)})
    assert (decision.documents, decision.removed, decision.accepted) == ([], [], {"a", "b"})


def test_a_damaged_document_is_written_again() -> None:
    made = entries(("a", "1", document("a", "1")), ("b", None, None))
    now = {"a": held("a", "1"), "b": None}
    damaged = {"a": stored("a", "1", State.EMPTY, consistent=False), "b": stored("b", None, None, consistent=False)}
    decision = decide(made, now, damaged)
    assert [one.record.source for one in decision.documents] == ["a"]
    assert decision.removed == ["b"]


@pytest.mark.parametrize("first", [State.INDEXED, State.FAILED])
def test_a_failure_never_takes_the_place_of_a_success_at_the_same_version(first: State) -> None:
    second = State.FAILED if first is State.INDEXED else State.INDEXED
    made = entries(("a", "1", document("a", "1", first)), ("a", "1", document("a", "1", second)))
    decision = decide(made, {"a": held("a", "1")}, {})
    assert [one.record.state for one in decision.documents] == [State.INDEXED]
    late = entries(("a", "1", document("a", "1", State.FAILED)))
    assert decide(late, {"a": held("a", "1")}, {"a": stored("a", "1", State.INDEXED)}).documents == []


def test_failures_of_a_version_are_counted_so_that_the_next_attempt_is_later() -> None:
    made = entries(("a", "1", document("a", "1", State.FAILED)))
    before = replace(stored("a", "1", State.FAILED), failures=3)
    assert [one.record.failures for one in decide(made, {"a": held("a", "1")}, {"a": before}).documents] == [4]
    assert [one.record.failures for one in decide(made, {"a": held("a", "1")}, {}).documents] == [1]
    other = replace(before, version="0")
    assert [one.record.failures for one in decide(made, {"a": held("a", "1")}, {"a": other}).documents] == [1]


def test_an_index_agrees_when_it_holds_the_version_with_the_limits_of_now() -> None:
    here = held("a", "1")
    assert agrees(None, None, LIMITS)
    assert agrees(here, stored("a", "1", State.INDEXED), LIMITS)
    assert agrees(here, stored("a", "1", State.TOO_LARGE), LIMITS)
    assert not agrees(here, stored("a", "1", State.TOO_LARGE), Limits(max_pages=1))
    assert not agrees(here, stored("a", "2", State.INDEXED), LIMITS)
    assert not agrees(here, stored("a", "1", State.INDEXED, consistent=False), LIMITS)
    assert not agrees(here, None, LIMITS)
    assert not agrees(None, stored("a", "1", State.INDEXED), LIMITS)
    assert not agrees(here, stored("a", None, None, consistent=True), LIMITS)


def test_what_ingest_may_not_ask_about_is_failed_at_the_version_that_the_lane_sees() -> None:
    made = entries(("a", UNKNOWN_VERSION, document("a", UNKNOWN_VERSION, State.FAILED)))
    decision = decide(made, {"a": held("a", "2")}, {"a": stored("a", "1", State.INDEXED)})
    assert [one.record.version for one in decision.documents] == [version_of("2", State.FAILED, LIMITS)]
    assert decision.accepted == {"a"}
    assert decide(made, {"a": held("a", "2")}, {"a": stored("a", "2", State.INDEXED)}).documents == []


def test_what_ingest_may_not_ask_about_is_removed_when_the_lane_sees_that_it_is_gone() -> None:
    made = entries(("a", UNKNOWN_VERSION, document("a", UNKNOWN_VERSION, State.FAILED)))
    decision = decide(made, {"a": None}, {"a": stored("a", "1", State.INDEXED)})
    assert (decision.documents, decision.removed, decision.accepted) == ([], ["a"], {"a"})


def test_what_the_lane_may_not_ask_about_is_taken_as_ingest_saw_it() -> None:
    made = entries(("a", "1", document("a", "1")), ("b", None, None))
    now = {key: held(key, UNKNOWN_VERSION) for key in ("a", "b")}
    decision = decide(made, now, {"b": stored("b", "1", State.EMPTY)})
    assert [one.record.version for one in decision.documents] == ["1"]
    assert (decision.removed, decision.accepted) == (["b"], {"a", "b"})


RECOGNISES = Limits(ocr="textract")


@pytest.mark.parametrize("held_state", [State.INDEXED, State.EMPTY])
def test_a_late_word_that_a_text_is_being_recognised_does_not_take_the_place_of_what_came_of_it(
    held_state: State,
) -> None:
    late = entries(("a", "1", document("a", "1", State.QUEUED, RECOGNISES)))
    recognised = stored("a", "1", held_state, RECOGNISES, recognised=True)
    assert decide(late, {"a": held("a", "1")}, {"a": recognised}, RECOGNISES).documents == []
    older = stored("a", "0", held_state, RECOGNISES, recognised=True)
    assert len(decide(late, {"a": held("a", "1")}, {"a": older}, RECOGNISES).documents) == 1
    failed = stored("a", "1", State.FAILED, RECOGNISES)
    assert len(decide(late, {"a": held("a", "1")}, {"a": failed}, RECOGNISES).documents) == 1


def test_a_document_whose_text_was_recognised_gives_way_when_recognition_is_switched_off() -> None:
    recognised = stored("a", "1", State.INDEXED, RECOGNISES, recognised=True)
    made = entries(("a", "1", document("a", "1", State.EMPTY)))
    assert len(decide(made, {"a": held("a", "1")}, {"a": recognised}, LIMITS).documents) == 1
    assert agrees(held("a", "1"), recognised, RECOGNISES)
    assert not agrees(held("a", "1"), recognised, LIMITS)


def test_what_is_being_recognised_is_not_what_a_key_ends_as() -> None:
    waiting = stored("a", "1", State.QUEUED, RECOGNISES)
    again = entries(("a", "1", document("a", "1", State.QUEUED, RECOGNISES)))
    decision = decide(again, {"a": held("a", "1")}, {"a": waiting}, RECOGNISES)
    assert (decision.documents, decision.accepted) == ([], {"a"})
    assert not agrees(held("a", "1"), waiting, RECOGNISES)
