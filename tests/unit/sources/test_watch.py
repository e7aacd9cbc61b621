"""Watching a real folder: every wait is on an event, with a limit."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

import pytest

from docshelf.errors import SourceError
from docshelf.sources.folder import FolderSource
from docshelf.sources.naming import key_of
from docshelf.sources.polling import Changes
from docshelf.sources.watch import watch_folder

LIMIT_SECONDS = 10.0


class Watched:
    """A folder that is being watched in a thread, and what was reported so far."""

    def __init__(self, folder: Path, exclude: tuple[Path, ...] = ()) -> None:
        self.folder = folder
        self.source = FolderSource(folder, exclude)
        self._stop = threading.Event()
        self._reported: queue.Queue[Changes] = queue.Queue()
        armed = threading.Event()

        def watch() -> None:
            for changes in watch_folder(self.source, self._stop, armed.set):
                self._reported.put(changes)

        self._thread = threading.Thread(target=watch)
        self._thread.start()
        assert armed.wait(LIMIT_SECONDS)

    def until(self, enough: Callable[[Changes], bool]) -> Changes:
        """All that was reported since the last call, as soon as it is enough."""
        changes, limit = Changes(), monotonic() + LIMIT_SECONDS
        while not enough(changes):
            try:
                more = self._reported.get(timeout=max(0.001, limit - monotonic()))
            except queue.Empty:
                pytest.fail(f"only {changes} was reported")
            changes.keys |= more.keys
            changes.prefixes |= more.prefixes
        return changes

    def until_keys(self, *keys: str) -> Changes:
        return self.until(lambda changes: changes.keys >= set(keys))

    def until_prefix(self, prefix: str) -> Changes:
        return self.until(lambda changes: prefix in changes.prefixes)

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(LIMIT_SECONDS)
        assert not self._thread.is_alive()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "folder"
    (place / "sub" / "deep").mkdir(parents=True)
    for key in ("a.md", "sub/b.md", "sub/deep/c.md"):
        (place / key).write_text("text")
    return place


@pytest.fixture
def watched(folder: Path) -> Iterator[Watched]:
    watched = Watched(folder)
    yield watched
    watched.stop()


def test_saved_created_replaced_and_deleted_files_are_reported(watched: Watched, folder: Path) -> None:
    (folder / "a.md").write_text("changed")
    assert watched.until_keys("a.md").prefixes == set()
    (folder / "sub" / "deep" / "new.md").write_text("new")
    watched.until_keys("sub/deep/new.md")
    (folder / "draft").write_text("replaced")
    (folder / "draft").replace(folder / "sub" / "b.md")
    watched.until_keys("sub/b.md")
    (folder / "a.md").unlink()
    watched.until_keys("a.md")


def test_a_renamed_file_is_reported_under_both_names(watched: Watched, folder: Path) -> None:
    (folder / "a.md").rename(folder / "sub" / "moved.md")
    watched.until_keys("a.md", "sub/moved.md")


def test_a_renamed_directory_is_reported_under_both_names_and_watched_on(watched: Watched, folder: Path) -> None:
    (folder / "sub").rename(folder / "other")
    watched.until(lambda changes: {"sub/", "other/"} <= changes.prefixes)
    (folder / "other" / "deep" / "c.md").write_text("changed")
    watched.until_keys("other/deep/c.md")


def test_a_deleted_directory_is_reported(watched: Watched, folder: Path) -> None:
    shutil.rmtree(folder / "sub")
    watched.until_prefix("sub/")


def test_what_is_made_in_new_directories_is_not_missed(watched: Watched, folder: Path, tmp_path: Path) -> None:
    for number in range(10):
        place = folder / f"new{number}" / "x" / "y"
        place.mkdir(parents=True)
        (place / "file.md").write_text("text")
    (tmp_path / "elsewhere" / "z").mkdir(parents=True)
    (tmp_path / "elsewhere" / "z" / "file.md").write_text("text")
    (tmp_path / "elsewhere").rename(folder / "arrived")
    expected = {f"new{number}/x/y/file.md" for number in range(10)} | {"arrived/z/file.md"}

    def are_known(changes: Changes) -> bool:
        below = {entry.key for prefix in changes.prefixes for entry in watched.source.list(prefix)}
        return changes.keys | below >= expected

    watched.until(are_known)
    (folder / "arrived" / "z" / "file.md").write_text("changed")
    watched.until_keys("arrived/z/file.md")


def test_litter_ignored_directories_and_the_index_are_not_reported(folder: Path) -> None:
    for name in (".git", "my-index"):
        (folder / name).mkdir()
    watched = Watched(folder, (folder / "my-index",))
    try:
        for key in (".git/config", "my-index/x.md", ".a.md.swp", "a.md~", "sub/.DS_Store"):
            (folder / key).write_text("x")
        (folder / "__pycache__").mkdir()
        (folder / "a.md").write_text("changed")
        changes = watched.until_keys("a.md")
        assert (changes.keys, changes.prefixes) == ({"a.md"}, set())
    finally:
        watched.stop()


def test_links_out_of_the_folder_are_not_watched(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (folder / "out").symlink_to(tmp_path / "outside")
    watched = Watched(folder)
    try:
        (tmp_path / "outside" / "x.md").write_text("x")
        (folder / "a.md").write_text("changed")
        assert watched.until_keys("a.md").keys == {"a.md"}
    finally:
        watched.stop()


def test_changes_are_reported_under_the_names_of_links_too(folder: Path) -> None:
    (folder / "latest.md").symlink_to("sub/b.md")
    (folder / "link").symlink_to("sub")
    (folder / "to-come.md").symlink_to("sub/missing.md")
    watched = Watched(folder)
    try:
        (folder / "sub" / "b.md").write_text("changed")
        watched.until_keys("sub/b.md", "latest.md", "link/b.md")
        (folder / "sub" / "missing.md").write_text("here")
        watched.until_keys("sub/missing.md", "to-come.md")
        (folder / "latest.md").unlink()
        (folder / "latest.md").symlink_to("a.md")
        watched.until(lambda changes: "latest.md" in changes.keys and "latest.md/" in changes.prefixes)
        (folder / "a.md").write_text("changed")
        watched.until_keys("a.md", "latest.md")
        shutil.rmtree(folder / "sub")
        watched.until(lambda changes: {"sub/", "link/"} <= changes.prefixes and "to-come.md" in changes.keys)
    finally:
        watched.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems refuse such names")
@pytest.mark.parametrize("name", [b"/sub/a\xff.md", b"/d\xff/a.md"])
@pytest.mark.parametrize("before", [True, False])
def test_names_that_are_not_text_are_followed_too(
    folder: Path, name: bytes, before: bool, caplog: pytest.LogCaptureFixture
) -> None:
    path = Path(os.fsdecode(os.fsencode(folder) + name))
    if before:
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    watched = Watched(folder)
    try:
        path.parent.mkdir(exist_ok=True)
        path.write_text("changed")
        watched.until_prefix("")
        assert "it is looked through every second instead" in caplog.text
        path.write_text("changed again")
        (folder / "sub" / "b.md").write_text("changed")
        watched.until_keys(key_of(os.fsdecode(name[1:])), "sub/b.md")
    finally:
        watched.stop()


def test_a_folder_that_goes_and_comes_back_is_reported_whole(watched: Watched, folder: Path, tmp_path: Path) -> None:
    folder.rename(tmp_path / "aside")
    watched.until_prefix("")
    with pytest.raises(SourceError):
        list(watched.source.list())
    (tmp_path / "aside").rename(folder)
    watched.until_prefix("")
    (folder / "sub" / "b.md").write_text("changed")
    watched.until_keys("sub/b.md")


def test_a_missing_folder_cannot_be_watched(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        next(watch_folder(FolderSource(tmp_path / "missing"), threading.Event()))


def test_a_stopped_watch_ends(folder: Path) -> None:
    stop = threading.Event()
    stop.set()
    assert list(watch_folder(FolderSource(folder), stop)) == []


_WITHOUT_WATCHES = """
import logging, os, resource, sys, threading
from pathlib import Path
from docshelf.sources.folder import FolderSource
from docshelf.sources.watch import watch_folder

logging.basicConfig(stream=sys.stdout, format="%(message)s")
folder = Path(sys.argv[1])
source, stop = FolderSource(folder), threading.Event()
# As many files open as may be: the system refuses a watch, as it does at its own limit.
taken = [os.open(os.devnull, os.O_RDONLY)]
resource.setrlimit(resource.RLIMIT_NOFILE, (taken[0] + 3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
changes = watch_folder(source, stop, lambda: print("armed"))
assert next(changes).prefixes == {""}
(folder / "a.md").write_text("changed")
(folder / "sub" / "b.md").unlink()
(folder / "new.md").write_text("new")
print(sorted(next(changes).keys))
folder.rename(folder.parent / "aside")
print(sorted(next(changes).prefixes))
(folder.parent / "aside").rename(folder)
print(sorted(next(changes).prefixes))
stop.set()
assert next(changes, None) is None
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_without_watches_the_folder_is_looked_through_instead(folder: Path) -> None:
    home = Path(__file__).parents[3]
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", _WITHOUT_WATCHES, str(folder)],
        env={"PYTHONPATH": "layers", "PATH": ""},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stderr == ""
    warning, *lines = ended.stdout.splitlines()
    assert warning.startswith("The folder cannot be watched (")
    assert lines == ["armed", "['a.md', 'new.md', 'sub/b.md']", "['']", "['']"]
