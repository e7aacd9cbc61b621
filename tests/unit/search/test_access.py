"""What a caller may not see is not there: every tool answers as over an index that holds nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from docshelf.access.caller import Caller
from docshelf.access.policy import AccessPolicy
from docshelf.index.filters import EVERYTHING, Filters
from docshelf.index.records import Candidate, DocumentRecord, StoredChunk
from docshelf.index.store import Index
from docshelf.mcp_server.calls import answer_call, find_passages
from docshelf.mcp_server.shelf import Progress
from docshelf.search.shelves import Shelves
from docshelf.states import State
from tests.unit.index.made_up import make
from tests.unit.search.access_cases import (
    MadeUpModel,
    comparable,
    documents_of,
    guesses,
    index_of,
    shelves_over,
    texts,
)

TOOL_NAMES = {"search_documents", "get_document", "list_documents", "list_collections"}
SHELVES = [("a", "ab", "general"), ("*", 'it\'s "a" -- x', "日本 é😀")]


def subsets(names: Sequence[str]) -> list[frozenset[str]]:
    return [frozenset(chosen) for size in range(len(names) + 1) for chosen in combinations(names, size)]


# -- small cases, all of them --------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", SHELVES, ids=["plain", "odd"])
def test_every_tool_answers_as_if_nothing_else_were_stored(tmp_path: Path, names: tuple[str, ...]) -> None:
    documents = {name: documents_of(name, f"secret{number}") for number, name in enumerate(names)}
    everything = [document for name in names for document in documents[name]]
    calls = list(guesses(names, [document.record.source for document in everything]))
    shelves = shelves_over(index_of(tmp_path / "all", everything))
    assert {call[0] for call in calls} == TOOL_NAMES
    for number, allowed in enumerate(subsets(names)):
        seen = [document for name in names if name in allowed for document in documents[name]]
        alone = shelves_over(index_of(tmp_path / f"some{number}", seen)).for_caller()
        shelf = shelves.for_caller(allowed)
        secrets = {f"secret{place}" for place, name in enumerate(names) if name not in allowed}
        assert texts(shelf) == texts(alone)
        for call in calls:
            answer = comparable(shelf, call)
            assert answer == comparable(alone, call), (allowed, call)
            asked = " ".join(map(str, call[1].values()))
            assert not any(secret in line for secret in secrets if secret not in asked for line in answer)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The collections a, b and general."""
    documents = [*documents_of("a", "alpha"), *documents_of("b", "beta"), *documents_of("general", "gamma")]
    return index_of(tmp_path_factory.mktemp("access") / "index", documents)


def test_two_callers_take_turns_and_never_see_what_is_the_others(full: Index) -> None:
    shelves = shelves_over(full)
    for _ in range(3):
        for mine, theirs in (("a", "b"), ("b", "a")):
            secret = {"a": "alpha", "b": "beta"}
            shelf = shelves.for_caller(frozenset({mine}))
            answers = [
                answer_call(shelf, "search_documents", {"query": "harbour", "limit": 20}).text,
                answer_call(shelf, "list_documents", {}).text,
                answer_call(shelf, "list_collections", {}).text,
                answer_call(shelf, "get_document", {"source": f"{mine}/one.md"}).text,
                *texts(shelf),
            ]
            assert all(mine in text for text in answers)
            assert not any(f"{theirs}/" in text or secret[theirs] in text for text in answers)
            assert answer_call(shelf, "list_collections", {}).text.startswith("1 collection; documents by state: 1 f")
            assert answer_call(shelf, "get_document", {"source": f"{theirs}/one.md"}).error_code == "not_found"


def test_what_says_the_same_is_named_only_to_who_may_see_it(tmp_path: Path) -> None:
    text = "The harbour opens at nine for all boats that come from the north.\n"
    copies = [make(key, [text], title=None) for key in ("a/x.md", "a/y.zip!/x.md", "b/x.md", "x.md")]
    shelves = shelves_over(index_of(tmp_path / "index", copies))
    for allowed, sources in (
        ({"a"}, {"a/x.md", "a/y.zip!/x.md"}),
        ({"b"}, {"b/x.md"}),
        ({"a", "general"}, {"a/x.md", "a/y.zip!/x.md", "x.md"}),
        (set(), set()),
    ):
        shelf = shelves.for_caller(frozenset(allowed))
        passages = find_passages(shelf, {"query": "harbour"}).answer.passages
        assert len(passages) == bool(sources)
        assert {source for one in passages for source in (one.source, *one.also_in)} == sources
        narrowed = find_passages(shelf, {"query": "harbour", "path_prefix": "b/"}).answer.passages
        assert {source for one in narrowed for source in (one.source, *one.also_in)} == sources & {"b/x.md"}


def test_the_groups_of_a_caller_decide_what_there_is(full: Index) -> None:
    policy = AccessPolicy.parse('{"crew": ["a"], "office": ["b", "general"], "*": []}')
    shelves = shelves_over(full)
    seen = {}
    for groups in ((), ("crew",), ("office",), ("crew", "office"), ("strangers",)):
        caller = Caller("subject", "client", groups, frozenset({"docs:read"}))
        shelf = shelves.for_caller(policy.collections_for(caller))
        seen[groups] = [collection.name for collection in shelf.overview().collections]
    assert seen == {
        (): [],
        ("crew",): ["a"],
        ("office",): ["b", "general"],
        ("crew", "office"): ["a", "b", "general"],
        ("strangers",): [],
    }


def test_a_caller_of_all_collections_by_name_sees_what_a_caller_of_everything_sees(full: Index) -> None:
    shelves = shelves_over(full)
    for call in guesses(("a", "b", "general"), ["a/one.md"]):
        assert comparable(shelves.for_caller(frozenset({"a", "b", "general"})), call) == comparable(
            shelves.for_caller(), call
        )


@pytest.mark.parametrize(
    "name", ["A", "a/", "a ", "a%", "_", "*", "", "a/deep", "\ud800", "a\0", "Ａ", "') OR ('1'='1"]
)
def test_a_name_that_is_only_like_a_collection_opens_nothing(full: Index, name: str) -> None:
    shelf = shelves_over(full).for_caller(frozenset({name}))
    assert shelf.overview().collections == ()
    assert answer_call(shelf, "list_documents", {}).text == "No documents match."
    assert answer_call(shelf, "search_documents", {"query": "harbour"}).hits == 0
    assert answer_call(shelf, "get_document", {"source": "a/one.md"}).error_code == "not_found"


def test_a_lone_surrogate_is_not_the_character_that_stands_for_it(tmp_path: Path) -> None:
    index = index_of(tmp_path / "index", documents_of("\ufffd", "alpha"))
    shelf = shelves_over(index).for_caller(frozenset({"\ud800"}))
    assert answer_call(shelf, "search_documents", {"query": "harbour"}).hits == 0
    assert answer_call(shelf, "list_documents", {}).text == "No documents match."


def test_progress_is_told_only_to_who_sees_everything(full: Index) -> None:
    shelves = Shelves(lambda: full, MadeUpModel(), lambda: Progress(3, 9))
    assert shelves.for_caller().indexing() == shelves.for_caller().overview().progress == Progress(3, 9)
    limited = shelves.for_caller(frozenset({"a", "b", "general"}))
    assert limited.indexing() is limited.overview().progress is None


def test_a_document_that_is_filed_otherwise_than_its_key_says_is_read_by_neither(tmp_path: Path) -> None:
    document = documents_of("a", "alpha")[2]
    moved = replace(document, record=replace(document.record, collection="b"))
    shelves = shelves_over(index_of(tmp_path / "index", [moved]))
    for name in ("a", "b"):
        shelf = shelves.for_caller(frozenset({name}))
        assert answer_call(shelf, "get_document", {"source": "a/scan.pdf"}).error_code == "not_found"
        assert "There is no document" in answer_call(shelf, "get_document", {"source": "a/scan.pdf"}).text


def test_a_forbidden_collection_is_empty_to_whoever_reaches_the_shelf_itself(full: Index) -> None:
    shelf = shelves_over(full).for_caller(frozenset({"a"}))
    assert shelf.search("harbour", collection="b", path_prefix=None, limit=5).passages == ()
    assert shelf.search("harbour", collection=None, path_prefix="b/", limit=5).passages == ()
    page = shelf.list_documents(collection="b", path_prefix=None, state=None, after=None, limit=5)
    assert (page.documents, page.more) == ((), False)


# -- the same work ---------------------------------------------------------------------------------------------------


class WatchedIndex(Index):
    """The real index, which notes what it was asked for."""

    def _noted(self, what: str, filters: Filters | None = None) -> None:
        self.__dict__.setdefault("asked", []).append((what, filters))

    def document(self, source: str) -> DocumentRecord | None:
        self._noted("document")
        return super().document(source)

    def chunks_of(
        self, source: str, first_ordinal: int | None = None, last_ordinal: int | None = None
    ) -> list[StoredChunk]:
        self._noted("chunks_of")
        return super().chunks_of(source, first_ordinal, last_ordinal)

    def documents(
        self, filters: Filters, state: State | None = None, after: str | None = None, limit: int = 100
    ) -> list[DocumentRecord]:
        self._noted("documents", filters)
        return super().documents(filters, state, after, limit)

    def vector_candidates(
        self, vector: NDArray[np.float32], limit: int, filters: Filters = EVERYTHING
    ) -> list[Candidate]:
        self._noted("vector_candidates", filters)
        return super().vector_candidates(vector, limit, filters)

    def text_candidates(
        self, query: str, limit: int, filters: Filters = EVERYTHING, *, every_word: bool = False
    ) -> list[Candidate]:
        self._noted("text_candidates", filters)
        return super().text_candidates(query, limit, filters, every_word=every_word)

    def phrase_candidates(self, phrase: str, limit: int, filters: Filters = EVERYTHING) -> list[Candidate]:
        self._noted("phrase_candidates", filters)
        return super().phrase_candidates(phrase, limit, filters)

    def taken(self) -> list[tuple[str, Filters | None]]:
        """What was asked since the last time."""
        asked: list[tuple[str, Filters | None]] = self.__dict__.pop("asked", [])
        return asked


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> WatchedIndex:
    place = tmp_path_factory.mktemp("watched") / "index"
    index_of(place, [*documents_of("a", "alpha"), *documents_of("b", "beta")])
    return WatchedIndex.open(place)


@pytest.mark.parametrize(
    "arguments", [{"source": "{}/one.md"}, {"source": "{}/scan.pdf"}, {"source": "{}/one.md", "from_page": "1"}]
)
def test_a_forbidden_document_costs_what_one_of_no_collection_costs(
    watched: WatchedIndex, arguments: dict[str, str]
) -> None:
    work, sentences = [], []
    for name in ("b", "zzz"):
        shelf = shelves_over(watched).for_caller(frozenset({"a"}))
        written = {key: value.format(name) for key, value in arguments.items()}
        sentences.append(answer_call(shelf, "get_document", written).text.replace(name, "…"))
        work.append(watched.taken())
    # Its spelling alone says that it is none: a look-up of what is there could take longer than of what is not.
    assert work == [[], []]
    assert sentences[0] == sentences[1]


def test_every_look_of_a_limited_caller_is_limited_to_the_collections(watched: WatchedIndex) -> None:
    for call in guesses(("a", "b"), ["a/one.md", "b/one.md"]):
        answer_call(shelves_over(watched).for_caller(frozenset({"a"})), *call)
        for what, filters in watched.taken():
            assert filters is None or filters.collections in {("a",), ()}, (call, what)
