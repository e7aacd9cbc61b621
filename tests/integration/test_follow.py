"""Following a real folder with the real watcher."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field as member
from pathlib import Path

import pytest

from docshelf.embedding.embedder import Embedder
from docshelf.local import follow
from docshelf.local.follow import Follower
from docshelf.sources.folder import FolderSource
from tests.support.indexed_folder import IndexedFolder, expected, new_index, stored

SECONDS = 20
FILES = {"a/one.md": "# One\n\nThe first.\n", "a/two.md": "# Two\n\nThe second.\n"}


@dataclass
class Said:
    """The lines that were said, and a way to wait for one."""

    lines: list[str] = member(default_factory=list)
    _more: threading.Condition = member(default_factory=threading.Condition)

    def __call__(self, text: str) -> None:
        with self._more:
            self.lines.append(text)
            self._more.notify_all()

    def wait_for(self, right: Callable[[list[str]], bool]) -> None:
        """Until the lines are right."""
        with self._more:
            assert self._more.wait_for(lambda: right(self.lines), SECONDS), self.lines


@pytest.fixture
def scanned(tmp_path: Path, embedder: Embedder) -> IndexedFolder:
    made = new_index(tmp_path, embedder, FILES)
    made.scan()
    return made


def follower(made: IndexedFolder, said: Said, errors: Said, folder: Path | None = None) -> Follower:
    source = FolderSource(folder or made.folder)
    return Follower(source, made.indexer, made.activity, threading.Event(), said, errors)


def test_what_changes_is_indexed_and_said(scanned: IndexedFolder) -> None:
    said, errors = Said(), Said()
    with follower(scanned, said, errors).watching():
        scanned.write("a/one.md", "# One\n\nChanged.\n")
        said.wait_for(lambda lines: "changed: a/one.md" in lines)
        scanned.write("a/empty.md", " \n")
        said.wait_for(lambda lines: "added: a/empty.md (empty)" in lines)
        (scanned.folder / "a/two.md").unlink()
        said.wait_for(lambda lines: "removed: a/two.md" in lines)
        beside = scanned.folder.parent / "beside"
        beside.mkdir()
        for number in range(8):
            (beside / f"{number}.txt").write_text(f"Text {number}.\n")
        beside.rename(scanned.folder / "b")
        said.wait_for(lambda lines: lines[-1] == "… and 3 files more")
    assert stored(scanned.index) == expected(scanned.folder)
    assert errors.lines == []


def test_an_index_that_cannot_be_written_is_tried_again(
    scanned: IndexedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "RETRY_SECONDS", 0.05)
    said, errors = Said(), Said()
    (generation,) = [path for path in scanned.root.iterdir() if path.is_dir()]
    transactions, aside = generation / "chunks.lance" / "_transactions", scanned.root / "aside"
    with follower(scanned, said, errors).watching():
        shutil.move(transactions, aside)
        transactions.touch()
        scanned.write("a/one.md", "# One\n\nChanged.\n")
        errors.wait_for(lambda lines: len(lines) == 1)
        assert errors.lines[0].endswith("docshelf tries again every 0 seconds.")
        transactions.unlink()
        shutil.move(aside, transactions)
        said.wait_for(lambda lines: "changed: a/one.md" in lines)
    assert stored(scanned.index) == expected(scanned.folder)
    assert len(errors.lines) == 1


def test_a_folder_that_goes_away_is_said_and_its_documents_are_kept_until_it_is_back(
    scanned: IndexedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "RETRY_SECONDS", 0.05)
    said, errors = Said(), Said()
    before = stored(scanned.index)
    with follower(scanned, said, errors).watching():
        shutil.move(scanned.folder, scanned.root.parent / "away")
        errors.wait_for(lambda lines: any("docshelf tries again" in line for line in lines))
        assert "There is no folder" in (scanned.activity.problem or "")
        assert stored(scanned.index) == before
        shutil.move(scanned.root.parent / "away", scanned.folder)
        scanned.write("a/one.md", "# One\n\nChanged.\n")
        said.wait_for(lambda lines: "changed: a/one.md" in lines)
    assert scanned.activity.problem is None
    assert stored(scanned.index) == expected(scanned.folder)


def test_the_last_directory_that_is_deleted_stops_answering(scanned: IndexedFolder) -> None:
    said, errors = Said(), Said()
    with follower(scanned, said, errors).watching():
        for directory in [path for path in scanned.folder.iterdir() if path.is_dir()]:
            shutil.rmtree(directory)
        for path in scanned.folder.iterdir():
            path.unlink()
        said.wait_for(lambda _lines: stored(scanned.index) == {})
    assert errors.lines == []


def test_a_folder_that_cannot_be_watched_is_said_and_holds_nothing_up(scanned: IndexedFolder) -> None:
    said, errors = Said(), Said()
    with follower(scanned, said, errors, scanned.folder.parent / "gone").watching():
        errors.wait_for(lambda lines: len(lines) == 1)
    assert "There is no folder" in errors.lines[0] or "cannot be read" in errors.lines[0]
    assert errors.lines[0].endswith("Changes are not followed any more: start again to pick them up.")
