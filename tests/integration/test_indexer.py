"""The indexer keeps a real index equal to a real folder, with the real packaged model."""

from __future__ import annotations

import random
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from dataclasses import field as member
from pathlib import Path

import pytest

from docshelf.embedding.embedder import Embedder
from docshelf.errors import IndexUnavailableError, SourceError, SourceVanishedError, UnreadableFileError
from docshelf.index.store import Index
from docshelf.local import indexer as indexer_module
from docshelf.local import looking
from docshelf.local.activity import Change
from docshelf.settings import Limits
from docshelf.sources import SourceContent, SourceEntry
from docshelf.sources.folder import FolderSource
from docshelf.states import State
from tests.support.indexed_folder import IndexedFolder, expected, new_index, stored

PARAGRAPHS = [f"Paragraph {number}: " + f"the gauge at river {number} stands still. " * 18 for number in range(4)]
FILES = {
    "a/one.md": "# One\n\nThe first document is about rivers.\n",
    "a/two.md": "# Two\n\nThe second document is about lakes.\n",
    "b/three.md": "# Three\n\n" + "\n\n".join(PARAGRAPHS) + "\n",
    "four.txt": "The fourth document has no heading.\n",
    "empty.md": "  \n",
}
NOTHING_DONE = {Change.UNCHANGED: len(FILES)}


@dataclass
class Watched(FolderSource):
    """A folder whose reading a test can watch and hold up."""

    folder: Path
    before_read: Callable[[str], None] = lambda _key: None
    after_read: Callable[[str], None] = lambda _key: None
    after_list: Callable[[], None] = lambda: None
    faults: dict[str, Exception] = member(default_factory=dict)
    hidden: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__init__(self.folder)

    @property
    def unreadable(self) -> Sequence[tuple[str, str]]:
        return [(prefix, f"The folder {prefix} cannot be read.") for prefix in self.hidden]

    def list(self, prefix: str = "") -> Iterator[SourceEntry]:
        yield from (entry for entry in super().list(prefix) if not entry.key.startswith(self.hidden or "\0"))
        self.after_list()

    def read(self, key: str, max_bytes: int) -> SourceContent:
        self.before_read(key)
        if key in self.faults:
            raise self.faults[key]
        content = super().read(key, max_bytes)
        self.after_read(key)
        return content


@pytest.fixture
def made(tmp_path: Path, embedder: Embedder) -> IndexedFolder:
    """`FILES` in a folder, nothing indexed yet."""
    return new_index(tmp_path, embedder, FILES)


@pytest.fixture
def scanned(made: IndexedFolder) -> IndexedFolder:
    """`FILES` in a folder, and indexed."""
    made.scan()
    return made


def vectors(index: Index) -> dict[str, bytes]:
    """Every vector of the index by the hash of its text."""
    found = index.vectors_of([document.source for document in index.all_documents()])
    return {digest: vector.tobytes() for digest, vector in found.items()}


# -- scanning ------------------------------------------------------------------------------------------------------


def test_the_first_scan_indexes_everything(made: IndexedFolder) -> None:
    counts = made.scan()
    assert stored(made.index) == expected(made.folder)
    assert counts.changes == {Change.ADDED: 5}
    assert (counts.done, counts.total, counts.running) == (5, 5, False)
    assert counts.bytes_done == counts.bytes_total == sum(map(len, FILES.values()))
    assert counts.chunks == sum(document.chunks for document in made.index.all_documents())
    assert stored(made.index)["empty.md"] == (State.EMPTY, "")


def test_the_second_scan_embeds_nothing_and_writes_nothing(scanned: IndexedFolder) -> None:
    again = scanned.restarted()
    version = again.index.version
    counts = again.scan()
    assert counts.changes == NOTHING_DONE
    assert counts.chunks == 0
    assert again.index.version == version


def test_a_touched_file_is_unchanged(scanned: IndexedFolder) -> None:
    scanned.write("a/one.md", FILES["a/one.md"])
    counts = scanned.restarted().scan()
    assert (counts.changes, counts.chunks) == (NOTHING_DONE, 0)


def test_of_a_changed_file_only_what_changed_is_embedded(scanned: IndexedFolder) -> None:
    before = scanned.index.document("b/three.md")
    assert before is not None
    assert before.chunks >= 4
    scanned.write("b/three.md", FILES["b/three.md"] + "\nA last line.\n")
    counts = scanned.restarted().scan()
    assert counts.changes == {Change.CHANGED: 1, Change.UNCHANGED: 4}
    assert 1 <= counts.chunks <= 2
    assert stored(scanned.index) == expected(scanned.folder)


def test_a_file_that_becomes_unsearchable_loses_its_text(scanned: IndexedFolder) -> None:
    scanned.write("a/one.md", "\n")
    counts = scanned.restarted().scan()
    assert counts.changes[Change.CHANGED] == 1
    assert stored(scanned.index)["a/one.md"] == (State.EMPTY, "")


def test_a_renamed_file_keeps_its_vectors(scanned: IndexedFolder) -> None:
    before = vectors(scanned.index)
    (scanned.folder / "b/three.md").rename(scanned.folder / "a/drei.md")
    counts = scanned.restarted().scan()
    assert counts.changes == {Change.RENAMED: 1, Change.UNCHANGED: 4}
    assert counts.chunks == 0
    assert stored(scanned.index) == expected(scanned.folder)
    assert vectors(scanned.index) == before


def test_a_renamed_directory_keeps_its_vectors(scanned: IndexedFolder) -> None:
    (scanned.folder / "a").rename(scanned.folder / "z")
    counts = scanned.restarted().scan()
    assert counts.changes == {Change.RENAMED: 2, Change.UNCHANGED: 3}
    assert counts.chunks == 0
    assert stored(scanned.index) == expected(scanned.folder)


def test_a_deleted_file_is_removed_with_all_of_its_chunks(scanned: IndexedFolder) -> None:
    (scanned.folder / "b/three.md").unlink()
    counts = scanned.restarted().scan()
    assert counts.changes == {Change.REMOVED: 1, Change.UNCHANGED: 4}
    assert (counts.done, counts.total) == (4, 4)
    assert stored(scanned.index) == expected(scanned.folder)


def test_one_of_two_equal_files_that_went_away_is_moved_and_the_other_removed(scanned: IndexedFolder) -> None:
    scanned.write("a/copy.md", FILES["a/one.md"])
    scanned.restarted().scan()
    for key in ("a/one.md", "a/copy.md"):
        (scanned.folder / key).unlink()
    scanned.write("c/moved.md", FILES["a/one.md"])
    counts = scanned.restarted().scan()
    assert counts.changes == {Change.RENAMED: 1, Change.REMOVED: 1, Change.UNCHANGED: 4}
    assert counts.chunks == 0
    assert stored(scanned.index) == expected(scanned.folder)


def test_an_emptied_folder_prunes_nothing(scanned: IndexedFolder) -> None:
    before = stored(scanned.index)
    shutil.rmtree(scanned.folder)
    scanned.folder.mkdir()
    with pytest.raises(SourceError, match=r"no files any more, .* holds 5 documents.*nothing was removed"):
        scanned.restarted().scan()
    assert stored(scanned.index) == before


def test_a_folder_that_went_away_prunes_nothing(scanned: IndexedFolder) -> None:
    before = stored(scanned.index)
    shutil.rmtree(scanned.folder)
    with pytest.raises(SourceError, match="There is no folder"):
        scanned.restarted().scan()
    assert stored(scanned.index) == before


def test_an_empty_folder_is_scanned_to_nothing(tmp_path: Path, embedder: Embedder) -> None:
    made = new_index(tmp_path, embedder)
    assert made.scan().changes == {}
    assert stored(made.index) == {}


# -- files that cannot be read -------------------------------------------------------------------------------------


def test_an_unreadable_file_fails_until_it_can_be_read(made: IndexedFolder) -> None:
    source = Watched(made.folder, faults={"a/one.md": UnreadableFileError("The file cannot be read: no luck.")})
    made.restarted(source).scan()
    record = made.restarted().index.document("a/one.md")
    assert record is not None
    assert (record.state, record.reason, record.retryable) == (State.FAILED, "The file cannot be read: no luck.", True)
    assert record.bytes == len(FILES["a/one.md"])
    assert record.modified_at is not None
    assert made.restarted(source).scan().changes == NOTHING_DONE
    counts = made.restarted().scan()
    assert counts.changes == {Change.CHANGED: 1, Change.UNCHANGED: 4}
    assert stored(made.index) == expected(made.folder)


def test_a_file_that_is_too_large_is_named_and_is_unchanged_the_next_time(made: IndexedFolder) -> None:
    limits = Limits(max_bytes=1_000)
    counts = made.restarted(limits=limits).scan()
    assert counts.changes == {Change.ADDED: 5}
    record = made.restarted().index.document("b/three.md")
    assert record is not None
    assert record.state is State.TOO_LARGE
    assert "DOCSHELF_MAX_BYTES" in (record.reason or "")
    assert made.restarted(limits=limits).scan().changes == NOTHING_DONE
    made.write("b/three.md", FILES["b/three.md"] + "more\n")
    assert made.restarted(limits=limits).scan().changes == {Change.CHANGED: 1, Change.UNCHANGED: 4}
    made.restarted().scan()
    assert stored(made.index) == expected(made.folder)


def test_a_document_of_too_many_chunks_is_too_large(made: IndexedFolder) -> None:
    made.restarted(limits=Limits(max_chunks=3)).scan()
    record = made.restarted().index.document("b/three.md")
    assert record is not None
    assert record.state is State.TOO_LARGE
    assert "at most 3" in (record.reason or "")
    assert "DOCSHELF_MAX_CHUNKS" in (record.reason or "")


def test_documents_of_a_folder_that_cannot_be_listed_are_kept(scanned: IndexedFolder) -> None:
    scanned.write("a/one.md", "# One\n\nChanged.\n")
    before = stored(scanned.index)
    counts = scanned.restarted(Watched(scanned.folder, hidden=("a/",))).scan()
    assert counts.changes == {Change.UNCHANGED: 3}
    assert stored(scanned.index) == before
    scanned.restarted().scan()
    assert stored(scanned.index) == expected(scanned.folder)


def test_a_file_that_vanishes_between_listing_and_reading_is_gone(scanned: IndexedFolder) -> None:
    scanned.write("new.md", "# New\n\nShort-lived.\n")
    source = Watched(scanned.folder)

    def vanish(key: str) -> None:
        if key in ("new.md", "a/two.md"):
            (scanned.folder / key).unlink(missing_ok=True)

    source.before_read = vanish
    counts = scanned.restarted(source).scan()
    assert counts.changes == {Change.REMOVED: 1, Change.UNCHANGED: 5}
    assert counts.done == counts.total == 6
    assert stored(scanned.index) == expected(scanned.folder)


# -- interruptions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["change", "delete", "rename"])
def test_an_end_between_the_two_commits_is_put_right_by_the_next_scan(scanned: IndexedFolder, change: str) -> None:
    (generation,) = [path for path in scanned.root.iterdir() if path.is_dir()]
    old = scanned.root.parent / "documents before"
    shutil.copytree(generation / "documents.lance", old)
    if change == "change":
        scanned.write("b/three.md", "# Three\n\nMuch shorter.\n")
    elif change == "delete":
        (scanned.folder / "b/three.md").unlink()
    else:
        (scanned.folder / "b/three.md").rename(scanned.folder / "drei.md")
    scanned.restarted().scan()
    # As if the process had ended with the chunks written and the documents not.
    shutil.rmtree(generation / "documents.lance")
    old.rename(generation / "documents.lance")
    again = scanned.restarted()
    assert again.index.inconsistent_keys()
    again.scan()
    assert stored(again.index) == expected(scanned.folder)
    assert scanned.restarted().scan().changes == {Change.UNCHANGED: len(expected(scanned.folder))}


@pytest.mark.parametrize("files_before_the_stop", [0, 1, 2, 4])
def test_a_scan_that_was_stopped_goes_on_where_it_was(
    made: IndexedFolder, tmp_path: Path, embedder: Embedder, files_before_the_stop: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = new_index(tmp_path / "other", embedder, FILES)
    undisturbed.scan()
    monkeypatch.setattr(indexer_module, "FILES_A_BATCH", 1)
    monkeypatch.setattr(looking, "READ_AHEAD", 1)
    source = Watched(made.folder)
    stopped = made.restarted(source)
    read: list[str] = []

    def stop(key: str) -> None:
        read.append(key)
        if len(read) > files_before_the_stop:
            stopped.indexer.stop()

    source.before_read = stop
    counts = stopped.scan()
    assert not counts.running
    assert counts.done < len(FILES)
    assert stored(stopped.index).items() <= expected(made.folder).items()
    again = made.restarted()
    again.scan()
    assert stored(again.index) == stored(undisturbed.index) == expected(made.folder)
    assert vectors(again.index) == vectors(undisturbed.index)


def test_a_stop_while_looking_for_renamed_files_removes_nothing(scanned: IndexedFolder) -> None:
    (scanned.folder / "a").rename(scanned.folder / "z")
    source = Watched(scanned.folder)
    stopped = scanned.restarted(source)
    source.before_read = lambda _key: stopped.indexer.stop()
    before = stored(scanned.index)
    stopped.scan()
    assert stored(scanned.index) == before


def test_an_index_that_cannot_be_written_ends_the_scan_and_stays_as_it_was(scanned: IndexedFolder) -> None:
    before = stored(scanned.index)
    scanned.write("a/one.md", "# One\n\nChanged.\n")
    (generation,) = [path for path in scanned.root.iterdir() if path.is_dir()]
    data = generation / "chunks.lance" / "_transactions"
    again = scanned.restarted()
    shutil.move(data, scanned.root / "aside")
    data.touch()
    with pytest.raises(IndexUnavailableError):
        again.scan()
    assert not again.activity.snapshot().running
    data.unlink()
    shutil.move(scanned.root / "aside", data)
    assert stored(scanned.restarted().index) == before
    scanned.restarted().scan()
    assert stored(scanned.restarted().index) == expected(scanned.folder)


# -- following -----------------------------------------------------------------------------------------------------


def test_following_takes_changed_new_renamed_and_deleted_files(scanned: IndexedFolder) -> None:
    scanned.write("a/one.md", "# One\n\nChanged.\n")
    scanned.write("c/new.md", "# New\n\nAdded.\n")
    (scanned.folder / "a/two.md").unlink()
    (scanned.folder / "b/three.md").rename(scanned.folder / "b/drei.md")
    before = scanned.activity.snapshot().chunks
    looked = scanned.indexer.follow(["a/one.md", "c/new.md", "a/two.md", "b/three.md", "b/drei.md", "four.txt"])
    assert {one.key: one.change for one in looked} == {
        "a/one.md": Change.CHANGED,
        "a/two.md": Change.REMOVED,
        "b/drei.md": Change.ADDED,
        "b/three.md": Change.REMOVED,
        "c/new.md": Change.ADDED,
        "four.txt": Change.UNCHANGED,
    }
    assert scanned.activity.snapshot().chunks - before == 2
    assert stored(scanned.index) == expected(scanned.folder)


def test_a_file_that_came_and_went_is_no_change(scanned: IndexedFolder) -> None:
    version = scanned.index.version
    looked = scanned.indexer.follow(["a/.save-7.tmp", "a", "../outside", ""])
    assert {one.change for one in looked} == {Change.UNCHANGED}
    assert scanned.index.version == version


def test_following_a_moved_directory_of_many_files_embeds_nothing(tmp_path: Path, embedder: Embedder) -> None:
    texts = {f"a/{number:02}.md": f"# File {number}\n\nText of file {number}.\n" for number in range(40)}
    made = new_index(tmp_path, embedder, texts)
    made.scan()
    before = made.activity.snapshot().chunks
    (made.folder / "a").rename(made.folder / "b")
    keys = made.indexer.keys_under(("a/", "b/"))
    assert len(keys) == 80
    made.indexer.follow(keys)
    assert made.activity.snapshot().chunks == before
    assert stored(made.index) == expected(made.folder)


def test_keys_under_a_prefix_are_those_of_the_folder_and_of_the_index(scanned: IndexedFolder) -> None:
    (scanned.folder / "a/one.md").unlink()
    scanned.write("a/new.md", "new")
    assert scanned.indexer.keys_under(("a/", "c/")) == {"a/one.md", "a/two.md", "a/new.md"}
    assert scanned.indexer.keys_under(("",)) == {*FILES, "a/new.md"}


def test_a_folder_that_was_replaced_by_an_empty_one_is_not_followed_into_nothing(scanned: IndexedFolder) -> None:
    shutil.rmtree(scanned.folder)
    scanned.folder.mkdir()
    with pytest.raises(SourceError, match="nothing was removed"):
        scanned.indexer.keys_under(("",))


def test_a_deleted_directory_is_followed_even_when_it_was_the_last(scanned: IndexedFolder) -> None:
    for path in scanned.folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert scanned.indexer.keys_under(("a/",)) == {"a/one.md", "a/two.md"}


def test_a_stop_ends_following_between_two_parts(tmp_path: Path, embedder: Embedder) -> None:
    made = new_index(tmp_path, embedder, {f"{number:02}.txt": f"Text {number}.\n" for number in range(40)})
    made.indexer.stop()
    assert made.indexer.follow(f"{number:02}.txt" for number in range(40)) == []
    assert stored(made.index) == {}


def test_following_overtakes_a_scan_and_an_older_content_never_replaces_a_newer(made: IndexedFolder) -> None:
    read, go_on = threading.Event(), threading.Event()
    source = Watched(made.folder)
    busy = made.restarted(source)

    def hold(key: str) -> None:
        if key == "a/one.md" and not read.is_set():
            read.set()
            assert go_on.wait(20)

    source.after_read = hold
    with ThreadPoolExecutor(1) as pool:
        scan = pool.submit(busy.scan)
        assert read.wait(20)
        made.write("a/one.md", "# One\n\nA newer content.\n")
        busy.indexer.follow(["a/one.md"])
        assert stored(busy.index)["a/one.md"][1].endswith("A newer content.\n")
        assert busy.activity.snapshot().running
        go_on.set()
        counts = scan.result(30)
    assert counts.done == counts.total == len(FILES)
    assert stored(busy.index) == expected(made.folder)


def test_a_scan_that_read_later_is_not_undone_by_following(scanned: IndexedFolder) -> None:
    read, go_on = threading.Event(), threading.Event()
    source = Watched(scanned.folder)
    busy = scanned.restarted(source)

    def hold(key: str) -> None:
        if key == "a/one.md" and not read.is_set():
            read.set()
            assert go_on.wait(20)

    source.after_read = hold
    scanned.write("a/one.md", "# One\n\nAn older content.\n")
    with ThreadPoolExecutor(1) as pool:
        followed = pool.submit(busy.indexer.follow, ["a/one.md"])
        assert read.wait(20)
        scanned.write("a/one.md", "# One\n\nA newer content.\n")
        busy.scan()
        go_on.set()
        followed.result(30)
    assert stored(busy.index) == expected(scanned.folder)


def test_a_file_made_and_followed_while_the_scan_lists_is_kept(scanned: IndexedFolder) -> None:
    source = Watched(scanned.folder)
    busy = scanned.restarted(source)

    def add() -> None:
        source.after_list = lambda: None
        scanned.write("new.md", "# New\n\nMade in the meantime.\n")
        busy.indexer.follow(["new.md"])

    source.after_list = add
    busy.scan()
    assert stored(busy.index) == expected(scanned.folder)


@pytest.mark.parametrize("moved", [False, True])
def test_a_file_that_comes_back_while_the_scan_removes_it_is_kept(scanned: IndexedFolder, moved: bool) -> None:
    (scanned.folder / "a/one.md").unlink()
    if moved:
        scanned.write("z.md", FILES["a/one.md"])
    source = Watched(scanned.folder)
    busy = scanned.restarted(source)

    def come_back() -> None:
        source.after_list, source.before_read = lambda: None, lambda _key: None
        scanned.write("a/one.md", FILES["a/one.md"])
        busy.indexer.follow(["a/one.md"])

    if moved:
        source.before_read = lambda _key: come_back()
    else:
        source.after_list = come_back
    busy.scan()
    assert stored(busy.index) == expected(scanned.folder)


def test_a_followed_file_that_cannot_be_written_is_taken_by_the_next_try(scanned: IndexedFolder) -> None:
    (generation,) = [path for path in scanned.root.iterdir() if path.is_dir()]
    data = generation / "chunks.lance" / "_transactions"
    shutil.move(data, scanned.root / "aside")
    data.touch()
    scanned.write("a/one.md", "# One\n\nChanged.\n")
    with pytest.raises(IndexUnavailableError):
        scanned.indexer.follow(["a/one.md"])
    data.unlink()
    shutil.move(scanned.root / "aside", data)
    scanned.indexer.follow(["a/one.md"])
    assert stored(scanned.index) == expected(scanned.folder)


# -- any sequence --------------------------------------------------------------------------------------------------

KEYS = ["a/x.md", "a/y.md", "b/x.md", "b/y.txt", "z.md"]
TEXTS: list[str | bytes] = [
    "# Heading\n\nSome text.\n",
    "# Heading\n\nOther text.\n",
    "",
    "plain words\n",
    "# Long\n\n" + "\n\n".join(PARAGRAPHS[:2]),
    b"\x00\x01\x02\x03",
]


def step(made: IndexedFolder, generator: random.Random) -> list[str]:
    """Change one thing in the folder; the keys that a watcher would report."""
    files = [key for key in KEYS if (made.folder / key).exists()]
    key = generator.choice(KEYS)
    action = generator.choice(["put", "put", "put", "delete", "rename"])
    if action == "put" or not files:
        made.write(key, generator.choice(TEXTS))
        return [key]
    old = generator.choice(files)
    if action == "delete":
        (made.folder / old).unlink()
        return [old]
    (made.folder / key).parent.mkdir(exist_ok=True)
    (made.folder / old).rename(made.folder / key)
    return [old, key]


@pytest.mark.parametrize("seed", range(5))
def test_after_any_sequence_of_changes_the_index_is_the_folder(tmp_path: Path, embedder: Embedder, seed: int) -> None:
    generator = random.Random(seed)
    made = new_index(tmp_path, embedder, {"keep.md": "# Kept\n\nSo that the folder is never empty.\n"})
    made.scan()
    waiting: list[str] = []
    for _ in range(8):
        for _ in range(generator.randint(1, 3)):
            waiting += step(made, generator)
        match generator.choice(["scan", "follow", "both", "restart"]):
            case "scan":
                made.scan()
            case "follow":
                made.indexer.follow(waiting)
            case "both":
                with ThreadPoolExecutor(1) as pool:
                    scan = pool.submit(made.scan)
                    waiting += step(made, generator)
                    made.indexer.follow(waiting)
                    scan.result(60)
            case _:
                made = made.restarted()
                made.scan()
        waiting = []
        assert stored(made.index) == expected(made.folder)


def test_the_source_of_these_tests_reads_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("text")
    source = Watched(tmp_path, faults={"two.md": UnreadableFileError("No.")})
    assert source.read("one.md", 100).data == b"text"
    with pytest.raises(UnreadableFileError):
        source.read("two.md", 100)
    with pytest.raises(SourceVanishedError):
        source.read("three.md", 100)


def test_a_limit_that_was_raised_lets_a_document_in_at_the_next_scan(tmp_path: Path, embedder: Embedder) -> None:
    made = new_index(
        tmp_path, embedder, {"long.md": "# Long\n\nMore than ten characters.\n", "bad.pdf": "%PDF-1.7 no more"}
    )
    tight = made.restarted(limits=Limits(max_characters=10))
    tight.scan()
    assert stored(made.index)["long.md"][0] is State.TOO_LARGE
    again = made.restarted(limits=Limits(max_characters=10)).scan()
    assert again.changes == {Change.UNCHANGED: 2}
    raised = made.restarted().scan()
    assert raised.changes == {Change.CHANGED: 2}
    assert stored(made.index) == expected(made.folder)
    assert made.restarted().scan().changes == {Change.UNCHANGED: 2}
