"""Creating, opening, replacing, removing and reading, in a real index."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import lancedb
import numpy as np
import pytest

from docshelf.errors import IndexCorruptError, IndexMissingError, IndexUnavailableError
from docshelf.index.filters import EVERYTHING, Filters
from docshelf.index.identity import IndexIdentity
from docshelf.index.pointer import Pointer, generations, read_pointer, tag_of_pointer, write_pointer
from docshelf.index.records import StoredChunk
from docshelf.index.store import Index
from docshelf.quality.record import Problem, Quality
from docshelf.states import State
from tests.unit.index.made_up import make, vector_of


def texts_of(index: Index, source: str) -> list[str]:
    return [chunk.text for chunk in index.chunks_of(source)]


def sources(index: Index) -> list[str]:
    return [record.source for record in index.documents(EVERYTHING)]


def test_a_document_comes_back_as_it_was_stored(index: Index, root: Path) -> None:
    document = make("docs/a.md", ["first", "second"])
    index.replace([document])
    for handle in (index, Index.open(root)):
        assert handle.document("docs/a.md") == document.record
        stored = handle.chunks_of("docs/a.md")
        for chunk, record in zip(stored, document.chunks, strict=True):
            assert chunk == StoredChunk(**{name: getattr(record, name) for name in StoredChunk.__slots__})
    assert index.chunks_at([]) == {}


def test_what_was_measured_comes_back_as_it_was_stored(index: Index) -> None:
    quality = Quality(12, 0.5, 0.25, 0.125, "de", 2, 1, (Problem.GLUED_WORDS,))
    index.replace([make("a.md", ["one"], quality=quality), make("b.md", ["two"])])
    assert [document.quality for document in index.all_documents()] == [quality, None]


def test_a_value_that_is_not_what_was_measured_is_a_damaged_index(index: Index, root: Path) -> None:
    index.replace([make("a.md", ["one"], quality=Quality(3))])
    table = lancedb.connect(root / index.generation).open_table("documents")
    table.update(values={"quality": "[]"})
    with pytest.raises(IndexCorruptError):
        Index.open(root).document("a.md")


def test_the_identity_survives_commits_maintenance_and_opening(
    index: Index, root: Path, identity: IndexIdentity
) -> None:
    index.replace([make("a.md", ["x"])])
    index.maintain(force=True)
    assert Index.open(root).identity == identity
    assert Index.open(root).generation == "g0001"


def test_a_replacement_may_shrink_grow_and_end_without_chunks(index: Index) -> None:
    index.replace([make("a.md", ["1", "2", "3"]), make("b.md", ["b"])])
    index.replace([make("a.md", ["4"], version="2")])
    assert texts_of(index, "a.md") == ["4"]
    index.replace([make("a.md", ["5", "6"], version="3")])
    assert texts_of(index, "a.md") == ["5", "6"]
    index.replace([make("a.md", state=State.EMPTY, version="4", reason="It has no text.")])
    assert texts_of(index, "a.md") == []
    stored = index.document("a.md")
    assert stored is not None
    assert (stored.state, stored.reason, stored.chunks) == (State.EMPTY, "It has no text.", 0)
    assert texts_of(index, "b.md") == ["b"]


def test_a_removed_document_is_gone_and_its_neighbours_stay(index: Index) -> None:
    index.replace([make("a.md", ["a"]), make("b.md", ["b"]), make("c.md", ["c"])])
    index.replace([make("b.md", ["b2"], version="2")], removed=["a.md", "never there.md"])
    index.replace([], removed=["c.md"])
    assert sources(index) == ["b.md"]
    assert texts_of(index, "b.md") == ["b2"]
    assert index.document("a.md") is None
    assert index.inconsistent_keys() == set()


def test_an_empty_batch_commits_nothing(index: Index) -> None:
    before = index.version
    index.replace([], [])
    assert index.version == before


def test_a_document_without_chunks_costs_one_commit(index: Index) -> None:
    _, documents, chunks = index.version.split(".")
    index.replace([make("scan.pdf", state=State.EMPTY, reason="It has no text.")])
    assert index.version == f"g0001.{int(documents) + 1}.{chunks}"


def test_names_are_exact(index: Index) -> None:
    names = [
        "caf\u00e9.md",
        "cafe\u0301.md",
        "A.md",
        "a.md",
        "it's 100%.md",
        "a_b.md",
        "axb.md",
        "#1.md",
        "n\0l",
        "😀\\",
    ]
    index.replace([make(name, [name]) for name in names])
    index.replace([make("a_b.md", ["changed"], version="2")], removed=["cafe\u0301.md"])
    assert {name: texts_of(index, name) for name in names} == {
        **{name: [name] for name in names},
        "cafe\u0301.md": [],
        "a_b.md": ["changed"],
    }


@pytest.mark.parametrize(
    "sources_and_removed",
    [(["a.md", "a.md"], []), (["a.md"], ["a.md"]), ([], ["a.md", "a.md"])],
)
def test_a_source_twice_in_one_batch_is_refused(index: Index, sources_and_removed: tuple[list[str], list[str]]) -> None:
    prepared, removed = sources_and_removed
    with pytest.raises(ValueError, match="twice"):
        index.replace([make(source, ["x"]) for source in prepared], removed)


def test_documents_that_contradict_themselves_are_refused(index: Index) -> None:
    good = make("a.md", ["x", "y"])
    first, second = good.chunks
    bad = {
        "says it has 2 chunks": replace(good, chunks=(first,)),
        "stands at place": replace(good, chunks=(second, first)),
        "another source": replace(good, chunks=(first, replace(second, source="b.md"))),
        "'empty'": replace(good, record=replace(good.record, state=State.EMPTY)),
        "the shape": replace(good, chunks=(first, replace(second, vector=second.vector[:3]))),
        "not finite": replace(good, chunks=(first, replace(second, vector=second.vector * np.nan))),
        "no name": replace(make(""), record=replace(make("").record, source="")),
        "surrogates": make("\ud800.md"),
    }
    for words, document in bad.items():
        with pytest.raises(ValueError, match=words):
            index.replace([document])
    assert sources(index) == []


def test_documents_are_listed_in_order_in_pages_and_by_filter(index: Index) -> None:
    names = [f"docs/{letter}.md" for letter in "hgfedcba"] + ["notes/a.md", "top.md", "docs_old/a.md"]
    index.replace([make(name, ["x"]) for name in names])
    index.replace([make("docs/z.pdf", state=State.ENCRYPTED, reason="It needs a password.")])
    pages, after = [], None
    while page := index.documents(Filters(("docs",)), after=after, limit=4):
        pages.append([record.source for record in page])
        after = page[-1].source
    assert pages == [
        ["docs/a.md", "docs/b.md", "docs/c.md", "docs/d.md"],
        ["docs/e.md", "docs/f.md", "docs/g.md", "docs/h.md"],
        ["docs/z.pdf"],
    ]
    found = index.documents(Filters(path_prefix="docs/"), State.ENCRYPTED)
    assert [record.source for record in found] == ["docs/z.pdf"]
    assert [record.source for record in index.documents(Filters(path_prefix="docs_"))] == ["docs_old/a.md"]
    assert [record.source for record in index.documents(Filters(("general",)))] == ["top.md"]
    assert index.documents(Filters(())) == []


def test_all_documents_come_in_order_and_in_pages(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docshelf.index.reading._PAGE_ROWS", 3)
    index.replace([make(f"{number:02}.md", ["x"]) for number in reversed(range(7))])
    assert [record.source for record in index.all_documents()] == [f"{number:02}.md" for number in range(7)]


def test_counts_by_collection_and_state(index: Index) -> None:
    assert index.collections() == []
    assert index.state_counts() == {}
    index.replace([make("b/1.md", ["x", "y"]), make("b/2.md", ["z"]), make("a/1.md", ["x"])])
    index.replace([make("b/3.pdf", state=State.FAILED, reason="It is damaged.")])
    assert [(item.name, item.documents, item.indexed, item.chunks) for item in index.collections()] == [
        ("a", 1, 1, 1),
        ("b", 3, 2, 3),
    ]
    assert index.state_counts() == {State.INDEXED: 3, State.FAILED: 1}
    assert index.state_counts(("b",)) == {State.INDEXED: 2, State.FAILED: 1}
    assert index.state_counts(()) == {}
    assert index.size_bytes() > 1_000


def test_versions_are_iterated(index: Index) -> None:
    assert list(index.ordered_versions()) == []
    documents = [make(f"{number}.md", ["x"], version=str(number)) for number in range(30)]
    index.replace(documents)
    found = {item.key: item for item in index.ordered_versions()}
    assert set(found) == {document.record.source for document in documents}
    record = documents[7].record
    item = found["7.md"]
    assert (item.version, item.content_sha256, item.state, item.retryable, item.modified_at) == (
        record.version, record.content_sha256, record.state, record.retryable, record.modified_at
    )  # fmt: skip


def test_chunks_are_read_in_ranges(index: Index) -> None:
    index.replace([make("a.md", [str(number) for number in range(25)]), make("b.md", ["x"])])
    assert [chunk.ordinal for chunk in index.chunks_of("a.md", 3, 6)] == [3, 4, 5, 6]
    assert [chunk.ordinal for chunk in index.chunks_of("a.md", first_ordinal=23)] == [23, 24]
    assert [chunk.ordinal for chunk in index.chunks_of("a.md", last_ordinal=1)] == [0, 1]
    assert index.chunks_of("none.md") == []


def test_vectors_are_found_again_by_what_was_embedded(index: Index) -> None:
    documents = [make(f"{number}.md", [f"text {number}", "the same"]) for number in range(300)]
    index.replace(documents)
    vectors = index.vectors_of([document.record.source for document in documents])
    assert len(vectors) == 301
    for chunk in (documents[0].chunks[0], documents[299].chunks[1]):
        assert np.array_equal(vectors[chunk.embedded_sha256], vector_of(chunk.text))
    assert vectors[documents[0].chunks[0].embedded_sha256].dtype == np.float32
    assert index.vectors_of([]) == {}
    assert index.vectors_of(["none.md"]) == {}


def test_a_reader_never_sees_a_mixture_nor_a_gap(index: Index, root: Path) -> None:
    sizes = [5, 2, 7, 1]
    index.replace([make("a.md", ["v0"] * 5, version="v0")])
    stop, seen, failures = threading.Event(), set[str](), list[list[str]]()
    reader = Index.open(root)

    def poll() -> None:
        while not stop.is_set():
            reader.refresh()
            versions = [chunk.version for chunk in reader.chunks_of("a.md")]
            if len(set(versions)) != 1 or len(versions) != sizes[int(versions[0][1:]) % 4]:
                failures.append(versions)
            seen.update(versions)

    polling = threading.Thread(target=poll)
    polling.start()
    for number in range(1, 17):
        version = f"v{number}"
        index.replace([make("a.md", [version] * sizes[number % 4], version=version)])
        if number % 5 == 0:
            index.maintain(force=True)
    stop.set()
    polling.join()
    assert failures == []
    assert len(seen) > 2


def test_threads_that_write_at_once_lose_nothing(index: Index) -> None:
    def write(thread: int) -> None:
        for number in range(4):
            index.replace([make(f"{thread}-{number}.md", [f"{thread} {number}"])])

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(sources(index)) == 16
    assert index.inconsistent_keys() == set()


def test_two_handles_that_write_leave_no_rows_behind(index: Index, root: Path) -> None:
    other = Index.open(root)
    index.replace([make("a.md", ["1", "2", "3", "4"], version="1")])
    other.replace([make("a.md", ["5", "6"], version="2")])
    index.replace([make("b.md", ["b"])])
    other.refresh()
    assert texts_of(other, "a.md") == ["5", "6"]
    assert sources(other) == ["a.md", "b.md"]


def test_a_version_changes_with_every_commit_and_is_seen_after_refresh(index: Index, root: Path) -> None:
    reader = Index.open(root)
    before = reader.version
    index.replace([make("a.md", ["x"])])
    assert reader.version == before
    assert sources(reader) == []
    reader.refresh()
    assert reader.version == index.version != before
    assert sources(reader) == ["a.md"]


def test_what_a_crash_between_two_commits_leaves_is_found(index: Index) -> None:
    index.replace([make("changed.md", ["old"], version="1"), make("same.md", ["x"]), make("removed.md", ["x"])])
    # The first of the two commits of a replacement, of a removal, and of a new document.
    documents = index._documents.search().to_arrow()
    index.replace([make("changed.md", ["new"], version="2"), make("new.md", ["n"])], removed=["removed.md"])
    index._documents.add(documents, mode="overwrite")
    assert index.inconsistent_keys() == {"changed.md", "removed.md", "new.md"}
    index.replace([make("changed.md", ["new"], version="2")], removed=["removed.md", "new.md"])
    assert index.inconsistent_keys() == set()


def test_there_is_no_index_before_one_is_made(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match="no index"):
        Index.open(tmp_path)


def test_a_generation_is_made_beside_the_one_in_use(index: Index, root: Path, identity: IndexIdentity) -> None:
    index.replace([make("a.md", ["old"])])
    following = Index.create(root, replace(identity, model="other-model"), activate=False)
    following.replace([make("a.md", ["new"])])
    assert generations(root) == ["g0001", "g0002"]
    assert texts_of(Index.open(root), "a.md") == ["old"]
    assert texts_of(Index.open(root, "g0002"), "a.md") == ["new"]
    write_pointer(root, Pointer("g0002", tag=tag_of_pointer(root)))
    assert texts_of(Index.open(root), "a.md") == ["new"]
    assert texts_of(index, "a.md") == ["old"]


def test_a_generation_is_not_made_twice(index: Index, root: Path, identity: IndexIdentity) -> None:
    with pytest.raises(ValueError, match="exists"):
        Index.create(root, identity, "g0001")
    assert read_pointer(root, "rebuild").generation == index.generation


def test_an_index_cannot_be_made_where_a_file_is(tmp_path: Path, identity: IndexIdentity) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(IndexUnavailableError, match="cannot be made"):
        Index.create(tmp_path / "file", identity)
    (tmp_path / "root" / "current.json").mkdir(parents=True)
    with pytest.raises(IndexUnavailableError, match="cannot be read"):
        Index.create(tmp_path / "root", identity)
    assert generations(tmp_path / "root") == []
