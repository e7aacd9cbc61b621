"""Replacing rows: few commits, nothing left behind, and right beside another writer as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docshelf.errors import DocshelfError
from docshelf.index import table_commit
from docshelf.index.filters import EVERYTHING
from docshelf.index.identity import IndexIdentity
from docshelf.index.records import PreparedDocument, ReplaceResult
from docshelf.index.row_checks import prepared_rows
from docshelf.index.rows import PreparedRows
from docshelf.index.store import Index
from docshelf.states import State
from tests.support.cloud import Cloud
from tests.support.fault_proxy import Fault, FaultProxy
from tests.support.http_wire import HttpMessage, request_line
from tests.unit.index.made_up import make


@pytest.fixture
def rows(identity: IndexIdentity) -> Callable[..., PreparedRows]:
    def made(source: str, *texts: str, version: str = "1") -> PreparedRows:
        return prepared_rows(_document(source, texts, version), identity)

    return made


def _document(source: str, texts: tuple[str, ...], version: str) -> PreparedDocument:
    return make(source, texts, version=version, state=State.INDEXED if texts else State.EMPTY)


def contents(index: Index) -> Mapping[str, tuple[str, list[str]]]:
    """Version and texts of every document; nothing may be stored that is not consistent."""
    stored = list(index.ordered_versions())
    assert all(version.consistent for version in stored)
    assert index.inconsistent_keys() == set()
    assert [version.key for version in stored] == [record.source for record in index.documents(EVERYTHING)]
    found: dict[str, tuple[str, list[str]]] = {}
    for version in stored:
        chunks = index.chunks_of(version.key)
        assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
        assert {chunk.version for chunk in chunks} <= {version.version}
        assert version.chunks == len(chunks)
        found[version.key] = (version.version or "", [chunk.text for chunk in chunks])
    return found


@pytest.mark.parametrize("together", [False, True])
def test_a_batch_costs_a_commit_a_table_whatever_it_does(
    index: Index, rows: Callable[..., PreparedRows], *, together: bool
) -> None:
    def replaced(*documents: PreparedRows, removed: tuple[str, ...] = ()) -> int:
        result = index.replace_rows(documents, removed, together=together)
        assert not result.met_another_writer
        return result.commits

    assert replaced(rows("a", "1", "2"), rows("b", "b"), rows("c", "c")) == 2
    assert replaced(rows("a", "3", "4", "5", version="2"), rows("d", "d")) == 2
    assert replaced(rows("a", "6", version="3"), rows("e", "e"), removed=("b", "never there")) == 2
    assert replaced(removed=("c",)) == 2
    assert replaced(rows("scan")) == 1
    assert replaced(removed=("scan",)) == 1
    assert replaced(removed=("scan", "b")) == 0
    assert contents(index) == {"a": ("3", ["6"]), "d": ("1", ["d"]), "e": ("1", ["e"])}


def test_in_a_large_table_removals_are_commits_of_their_own(
    index: Index, rows: Callable[..., PreparedRows], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_commit, "_MANY_ROWS", 1)
    index.replace_rows([rows("a", "1", "2"), rows("b", "b")])
    assert index.replace_rows([rows("c", "c")], ["b"]) == ReplaceResult(4, met_another_writer=False)
    # A document that shrinks is never in between, so its chunks change in one commit all the same.
    assert index.replace_rows([rows("a", "3", version="2")], ["c"]) == ReplaceResult(3, met_another_writer=False)
    assert contents(index) == {"a": ("2", ["3"])}


@pytest.mark.parametrize("together", [False, True])
def test_what_another_writer_added_meanwhile_does_not_stay(
    index: Index, root: Path, rows: Callable[..., PreparedRows], *, together: bool
) -> None:
    index.replace_rows([rows("removed", "r")])
    other = Index.open(root)
    stored = index.stored_versions(["a", "removed"])
    other.replace_rows([rows("a", "1", "2", "3", "4"), rows("other", "o")])
    other.replace_rows([rows("removed", "r", "more", version="2")])
    result = index.replace_rows([rows("a", "5", "6", version="2")], ["removed"], stored=stored, together=together)
    assert result.met_another_writer
    assert contents(index) == {"a": ("2", ["5", "6"]), "other": ("1", ["o"])}
    assert not index.replace_rows([rows("a", "7", version="3")]).met_another_writer


def test_a_source_that_another_writer_added_and_we_remove_goes(
    index: Index, root: Path, rows: Callable[..., PreparedRows]
) -> None:
    index.replace_rows([rows("b", "b")])
    stored = index.stored_versions(["a", "b"])
    Index.open(root).replace_rows([rows("a", "1")])
    assert index.replace_rows([], ["a", "b"], stored=stored).met_another_writer
    assert contents(index) == {}


@dataclass
class Step:
    """One batch: new texts by source (None: removed), and how it is committed."""

    changes: dict[str, list[str] | None]
    by_other: bool
    together: bool
    refreshed: bool
    large: bool


STEPS = st.lists(
    st.builds(
        Step,
        st.dictionaries(
            st.sampled_from(["a", "b", "it's", "\0"]),
            st.none() | st.lists(st.sampled_from(["x", "y"]), max_size=4),
            min_size=1,
        ),
        by_other=st.booleans(),
        together=st.booleans(),
        refreshed=st.booleans(),
        large=st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_the_last_writer_of_each_source_wins_whole(
    tmp_path_factory: pytest.TempPathFactory,
    identity: IndexIdentity,
    monkeypatch: pytest.MonkeyPatch,
    steps: list[Step],
) -> None:
    root = tmp_path_factory.mktemp("index")
    handles = (Index.create(root, identity), Index.open(root))
    expected: dict[str, tuple[str, list[str]]] = {}
    for number, step in enumerate(steps):
        monkeypatch.setattr(table_commit, "_MANY_ROWS", 1 if step.large else 50_000)
        index = handles[step.by_other]
        if step.refreshed:
            index.refresh()
        documents = [
            prepared_rows(_document(source, tuple(texts), str(number)), identity)
            for source, texts in step.changes.items()
            if texts is not None
        ]
        removed = [source for source, texts in step.changes.items() if texts is None]
        index.replace_rows(documents, removed, together=step.together)
        for source, texts in step.changes.items():
            expected.pop(source, None)
            if texts is not None:
                expected[source] = (str(number), texts)
    for index in handles:
        index.refresh()
        assert contents(index) == expected


@pytest.mark.parametrize("table", ["chunks", "documents"])
def test_a_table_that_fails_is_found_and_put_right_by_the_next_attempt(
    index: Index, root: Path, rows: Callable[..., PreparedRows], table: str
) -> None:
    index.replace_rows([rows("a", "1", "2"), rows("b", "b")])
    stored = index.stored_versions(["a", "b", "c"])
    data = root / "g0001" / f"{table}.lance" / "data"
    data.rename(root / "aside")
    data.write_text("in the way")
    with pytest.raises(DocshelfError):
        index.replace_rows([rows("a", "3", "4", version="2"), rows("c", "c")], stored=stored, together=True)
    data.unlink()
    (root / "aside").rename(data)
    again = Index.open(root)
    stored = again.stored_versions(["a", "b", "c"])
    assert {source for source, version in stored.items() if not version.consistent} == {"a", "c"}
    again.replace_rows([rows("a", "3", "4", version="2"), rows("c", "c")], together=True)
    assert contents(again) == {"a": ("2", ["3", "4"]), "b": ("1", ["b"]), "c": ("1", ["c"])}


class LosesAnswers:
    """Loses the answers to the first PUT of each manifest of each table."""

    def __init__(self) -> None:
        self.lost: set[str] = set()

    def decide(self, request: HttpMessage) -> Fault:
        method, path, _ = request_line(request)
        if method == "PUT" and path.endswith(".manifest") and path not in self.lost and len(self.lost) < 2:
            self.lost.add(path)
            return Fault.LOST_ANSWER
        return Fault.NONE

    def kill(self) -> None:
        raise AssertionError


@pytest.mark.parametrize("together", [False, True])
def test_a_commit_whose_answer_is_lost_is_made_once(
    cloud: Cloud,
    identity: IndexIdentity,
    rows: Callable[..., PreparedRows],
    monkeypatch: pytest.MonkeyPatch,
    *,
    together: bool,
) -> None:
    Index.create(cloud.index, identity).replace_rows([rows("a", "1", "2", "3"), rows("b", "b")])
    plan = LosesAnswers()
    with FaultProxy(cloud.url) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.listen(plan))
        index = Index.open(cloud.index)
        index.replace_rows([rows("a", "4", version="2"), rows("c", "c")], ["b"], together=together)
    assert len(plan.lost) == 2
    monkeypatch.setenv("AWS_ENDPOINT_URL", cloud.url)
    assert contents(Index.open(cloud.index)) == {"a": ("2", ["4"]), "c": ("1", ["c"])}
