"""What a commit does with archives: with all of their files, or not at all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from docshelf.commit.deciding import agrees, decide
from docshelf.content_versions import version_of
from docshelf.index.prepared_file import PreparedEntry
from docshelf.index.records import PreparedDocument, SourceVersion
from docshelf.settings import Limits
from docshelf.states import State
from tests.unit.commit.test_deciding import LIMITS, NOW, document, entries, held
from tests.unit.index.made_up import with_members

OTHER_LIMITS = Limits(max_bytes=7)


def archive(key: str, *members: PreparedDocument, state: State = State.INDEXED) -> PreparedDocument:
    return with_members(document(key, "1", state), *members)


def prepared(*members: State, state: State = State.INDEXED) -> tuple[PreparedEntry, ...]:
    """The entry of `a.zip` with members in these states; a failed one may end otherwise."""
    made = [document(f"a.zip!/{number}", "1", each) for number, each in enumerate(members)]
    return entries(("a.zip", "1", archive("a.zip", *made, state=state)))


def stored(*members: State, failures: int = 0, limits: Limits = LIMITS, state: State = State.INDEXED) -> SourceVersion:
    """What the index holds of `a.zip`."""
    versions = frozenset((each, version_of("1", each, limits)) for each in members)
    row = SourceVersion(
        "a.zip",
        version_of("1", state, limits),
        state,
        State.FAILED in (*members, state),
        NOW,
        NOW,
        0,
        consistent=True,
    )
    return replace(row, members=len(members), member_versions=versions, failures=failures)


BUCKET = {"a.zip": held("a.zip", "1")}
GOOD, LARGE, FAILED = State.INDEXED, State.TOO_LARGE, State.FAILED


@pytest.mark.parametrize(
    ("made", "row", "written"),
    [
        (prepared(GOOD, LARGE), stored(GOOD, LARGE), False),
        (prepared(GOOD, FAILED), stored(GOOD, GOOD), False),
        (prepared(GOOD, GOOD), stored(GOOD, FAILED), True),
        (prepared(GOOD, FAILED), stored(GOOD, FAILED), True),
        (prepared(GOOD, GOOD), stored(GOOD, LARGE, limits=OTHER_LIMITS), True),
        (prepared(state=FAILED), stored(GOOD, GOOD), False),
        (prepared(State.EMPTY, state=State.EMPTY), stored(State.EMPTY, state=State.EMPTY), False),
        (prepared(LARGE, state=State.EMPTY), stored(LARGE, state=State.EMPTY, limits=OTHER_LIMITS), True),
    ],
)
def test_an_archive_is_written_unless_the_index_has_it_as_good(
    made: tuple[PreparedEntry, ...], row: SourceVersion, written: bool
) -> None:
    decision = decide(made, BUCKET, {"a.zip": row}, LIMITS)
    assert (len(decision.documents) == 1) is written
    assert decision.accepted == {"a.zip"}


def test_failures_of_files_in_an_archive_are_counted_for_the_archive() -> None:
    decision = decide(prepared(GOOD, FAILED), BUCKET, {"a.zip": stored(GOOD, FAILED, failures=3)}, LIMITS)
    assert [one.record.failures for one in decision.documents] == [4]
    decision = decide(prepared(GOOD, GOOD), BUCKET, {"a.zip": stored(GOOD, FAILED, failures=3)}, LIMITS)
    assert [one.record.failures for one in decision.documents] == [0]


def test_of_two_attempts_the_one_with_fewer_failures_counts() -> None:
    both = (*prepared(GOOD, GOOD), *prepared(GOOD, FAILED))
    (document_of_a,) = decide(both, BUCKET, {}, LIMITS).documents
    assert [record.state for record in document_of_a.members] == [GOOD, GOOD]


def test_an_archive_gives_way_to_documents_of_the_names_of_its_files() -> None:
    nested = document("a.zip!/b.zip!/x", "1")
    made = entries(
        ("a.zip", "1", archive("a.zip", document("a.zip!/b.zip", "1"), nested)),
        ("a.zip!/b.zip", "2", with_members(document("a.zip!/b.zip", "2"), nested)),
        ("c.zip", "1", archive("c.zip", document("c.zip!/x", "1"))),
        ("c.zip!/x", None, None),
    )
    now = {
        **BUCKET,
        "a.zip!/b.zip": held("a.zip!/b.zip", "2"),
        "c.zip": held("c.zip", "1"),
        "c.zip!/x": None,
    }
    decision = decide(made, now, {}, LIMITS)
    assert {one.record.key for one in decision.documents} == {"a.zip!/b.zip", "c.zip"}
    assert "a.zip" not in decision.accepted


def test_an_index_agrees_with_an_archive_when_all_of_it_is_of_this_version_and_these_limits() -> None:
    there = held("a.zip", "1")
    assert agrees(there, stored(GOOD, LARGE), LIMITS)
    assert not agrees(there, stored(GOOD, LARGE, limits=OTHER_LIMITS), LIMITS)
    assert not agrees(held("a.zip", "2"), stored(GOOD), LIMITS)
    mixed = replace(stored(GOOD), member_versions=frozenset({(GOOD, "0")}))
    assert not agrees(there, mixed, LIMITS)
    assert not agrees(there, replace(stored(GOOD), consistent=False), LIMITS)
