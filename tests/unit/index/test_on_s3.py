"""The index in a bucket: what a directory gives for nothing must be so there too."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from docshelf.aws.objects import ObjectStore
from docshelf.errors import IndexCorruptError, IndexMissingError, IndexUnavailableError, PreconditionFailedError
from docshelf.index.engine import translated
from docshelf.index.filters import EVERYTHING
from docshelf.index.identity import IndexIdentity
from docshelf.index.live import LiveIndex
from docshelf.index.location import location_of
from docshelf.index.pointer import (
    Pointer,
    claim_generation,
    generations,
    read_pointer,
    remove_generation,
    tag_of_pointer,
    write_pointer,
)
from docshelf.index.store import Index
from docshelf.states import State
from tests.support.cloud import Cloud
from tests.support.fault_proxy import Fault, FaultProxy
from tests.support.hits import text_hits, vector_hits
from tests.support.http_wire import HttpMessage
from tests.unit.index.made_up import make, vector_of

STRANGE = [
    "it's.md",
    'a"b.md',
    "n\0l.md",
    "line\nbreak",
    "\x7f\x01",
    "😀/né.md",
    "e\u0301",
    "%2F+ #?",
    "a//b/../c",
    "\\",
]


def texts_of(index: Index, source: str) -> list[str]:
    return [chunk.text for chunk in index.chunks_of(source)]


def test_documents_are_replaced_searched_and_maintained(cloud: Cloud, identity: IndexIdentity) -> None:
    index = Index.open_or_create(cloud.index, identity)
    assert index.generation == "g0001"
    index.replace([make("a.md", ["a fox", "a dog"]), make("b.md", ["b"]), make("c.md", ["c"])])
    index.replace([make("a.md", ["a cat"], version="2")], removed=["b.md"])
    again = Index.open_or_create(cloud.index, replace(identity, model="of another caller"))
    for handle in (index, again):
        assert texts_of(handle, "a.md") == ["a cat"]
        assert [record.source for record in handle.documents(EVERYTHING)] == ["a.md", "c.md"]
        assert [hit.chunk.source for hit in text_hits(handle, "cat", 5)] == ["a.md"]
        assert vector_hits(handle, vector_of("a cat"), 1)[0].chunk.text == "a cat"
        assert handle.identity == identity
    assert index.maintain(force=True)
    assert texts_of(index, "c.md") == ["c"]
    measured = index.measurements()
    assert (measured.documents, measured.chunks, measured.unindexed_rows) == (2, 2, 0)
    assert measured.bytes == index.size_bytes() > 10_000
    assert measured.versions > 2


def test_any_key_is_found_under_its_exact_name(cloud: Cloud, identity: IndexIdentity) -> None:
    index = Index.create(cloud.index, identity)
    index.replace([make(key, [key]) for key in STRANGE])
    stored = index.stored_versions([*STRANGE, "E\u0301", "it''s.md"])
    assert {key for key, version in stored.items() if version.consistent} == set(STRANGE)
    index.replace([], removed=STRANGE[:5])
    assert set(index.stored_versions(STRANGE)) == set(STRANGE[5:])
    assert [version.key for version in index.ordered_versions()] == sorted(STRANGE[5:])


def test_the_pointer_is_written_only_over_the_one_that_was_read(cloud: Cloud) -> None:
    with pytest.raises(IndexMissingError, match=f"no index at {cloud.index} yet"):
        read_pointer(cloud.index, "rebuild")
    first = write_pointer(cloud.index, Pointer("g0001"))
    with pytest.raises(PreconditionFailedError, match="Another process"):
        write_pointer(cloud.index, Pointer("g0002"))
    second = write_pointer(cloud.index, replace(first, building="g0002"))
    with pytest.raises(PreconditionFailedError):
        write_pointer(cloud.index, replace(first, generation="g0003"))
    assert read_pointer(cloud.index, "rebuild") == second == Pointer("g0001", "g0002", second.tag)


def test_an_answer_that_was_lost_is_recognised_by_what_is_stored(cloud: Cloud) -> None:
    first = write_pointer(cloud.index, Pointer("g0001"))
    assert write_pointer(cloud.index, Pointer("g0001")) == first
    second = write_pointer(cloud.index, replace(first, generation="g0002"))
    assert write_pointer(cloud.index, replace(first, generation="g0002")) == second


def test_of_those_who_make_the_first_index_at_once_one_wins(cloud: Cloud, identity: IndexIdentity) -> None:
    made: list[Index] = []
    start = threading.Barrier(4)

    def make_it() -> None:
        start.wait()
        made.append(Index.open_or_create(cloud.index, identity))

    threads = [threading.Thread(target=make_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    generation = read_pointer(cloud.index, "rebuild").generation
    assert [index.generation for index in made] == [generation] * 4
    assert generations(cloud.index) == [generation]


def test_a_generation_is_removed_with_everything_below_it_and_nothing_else(
    cloud: Cloud, identity: IndexIdentity
) -> None:
    Index.create(cloud.index, identity)
    other = Index.create(cloud.index, identity, activate=False)
    store = ObjectStore.from_uri(cloud.index)
    store.put("g00021/other", b"x")
    store.put("prepared/x.arrow", b"x")
    assert generations(cloud.index) == ["g0001", "g0002", "g00021"]
    with pytest.raises(ValueError, match="in use"):
        remove_generation(cloud.index, "g0001", "rebuild")
    remove_generation(cloud.index, other.generation, "rebuild")
    assert generations(cloud.index) == ["g0001", "g00021"]
    assert claim_generation(cloud.index) == "g0022"
    assert Index.open(cloud.index).generation == "g0001"


def test_a_generation_that_exists_is_not_made_again(cloud: Cloud, identity: IndexIdentity) -> None:
    Index.create(cloud.index, identity, "g0005")
    with pytest.raises(ValueError, match="g0005 exists"):
        Index.create(cloud.index, identity, "g0005")


def test_a_damaged_pointer_is_replaced_on_demand(cloud: Cloud, identity: IndexIdentity) -> None:
    ObjectStore.from_uri(cloud.index).put("current.json", b"{")
    with pytest.raises(IndexCorruptError):
        Index.open(cloud.index)
    assert tag_of_pointer(cloud.index)
    Index.create(cloud.index, identity)
    assert Index.open(cloud.index).generation == "g0001"


def test_a_reader_follows_the_switch_to_another_generation(cloud: Cloud, identity: IndexIdentity) -> None:
    live = LiveIndex(cloud.index, pointer_seconds=3_600)
    with pytest.raises(IndexMissingError):
        live.current()
    old = Index.create(cloud.index, identity)
    old.replace([make("a.md", ["old"])])
    assert texts_of(live.current(), "a.md") == ["old"]
    new = Index.create(cloud.index, identity, activate=False)
    new.replace([make("a.md", ["new"])])
    pointer = read_pointer(cloud.index, "rebuild")
    write_pointer(cloud.index, Pointer(new.generation, tag=pointer.tag))
    assert live.current().generation == "g0001"
    remove_generation(cloud.index, "g0001", "rebuild")
    assert texts_of(live.current(), "a.md") == ["new"]


def test_states_survive_in_a_bucket_whose_prefix_is_empty(cloud: Cloud, identity: IndexIdentity) -> None:
    place = f"s3://{cloud.index_bucket}"
    index = Index.create(place, identity)
    index.replace([make("scan.pdf", state=State.EMPTY, reason="It has no text.")])
    assert generations(place) == ["g0001"]
    assert Index.open(place).state_counts() == {State.EMPTY: 1}


@pytest.mark.parametrize("table", ["documents", "chunks"])
def test_an_index_with_missing_files_is_damaged(cloud: Cloud, identity: IndexIdentity, table: str) -> None:
    index = Index.create(cloud.index, identity)
    index.replace([make("a.md", ["x"])])
    store = ObjectStore.from_uri(cloud.index)
    store.delete([entry.key for entry in store.list(f"g0001/{table}.lance/data/")])
    with pytest.raises(IndexCorruptError, match="damaged"):
        _read(Index.open(cloud.index))


def _read(index: Index) -> None:
    list(index.all_documents())
    index.chunks_of("a.md")


class AllFail:
    """Every request ends in this fault."""

    def __init__(self) -> None:
        self.fault = Fault.NONE

    def decide(self, request: HttpMessage) -> Fault:
        return self.fault

    def kill(self) -> None:
        raise AssertionError


USES: dict[Fault, tuple[Callable[[Index], object], str]] = {
    Fault.SLOW_DOWN: (Index.refresh, "asks to slow down"),
    Fault.LOST_ANSWER: (Index.maintain, "does not answer"),
}


@pytest.mark.parametrize("fault", USES)
def test_a_bucket_in_trouble_is_no_damaged_index(
    cloud: Cloud, identity: IndexIdentity, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    Index.create(cloud.index, identity).replace([make("a.md", ["x"])])
    plan = AllFail()
    use, words = USES[fault]
    with FaultProxy(cloud.url) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.listen(plan))
        index = Index.open(cloud.index)
        plan.fault = fault
        with pytest.raises(IndexUnavailableError, match=words):
            use(index)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The operation lacked the necessary privileges to complete for path x: … 403 Forbidden: …", "refuses access"),
        ('ListRequest { source: RetryError(… inner: Status { status: 403, body: Some("…") } }) }', "refuses access"),
        ("Generic S3 error: … non-2xx status code: 404 Not Found: …<Code>NoSuchBucket</Code>", "no such bucket"),
        ("Failed to get AWS credentials: CredentialsNotLoaded(…)", "nobody is logged in"),
        ("Generic S3 error: … non-2xx status code: 400 Bad Request: …ExpiredToken", "login has run out"),
        ("Generic S3 error: Error performing GET … HTTP error: error sending request", "does not answer"),
    ],
)
def test_what_the_bucket_refuses_is_said(text: str, words: str) -> None:
    place = location_of("s3://some-bucket/index")
    error = translated(RuntimeError(f"lance error: LanceError(IO): {text}"), place, "index again")
    assert isinstance(error, IndexUnavailableError)
    assert words in error.sentence
    assert "s3://some-bucket/index" in error.sentence


def test_a_file_that_is_cut_short_is_damage() -> None:
    place = location_of("s3://some-bucket/index")
    error = RuntimeError("Generic S3 error: … non-2xx status code: 416 Range Not Satisfiable: …")
    assert isinstance(translated(error, place, "index again"), IndexCorruptError)


def test_requests_of_lance_are_bounded(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCSHELF_REQUEST_SECONDS", "7")
    options = location_of(cloud.index).storage_options()
    assert options["timeout"] == "7s"
    assert options["client_retry_timeout"] == "3"
    assert options["endpoint"] == cloud.url
