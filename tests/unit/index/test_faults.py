"""A damaged, read-only or full place, and other writers: one sentence, and an index as good as before."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from docshelf.errors import DocshelfError, IndexCorruptError, IndexUnavailableError
from docshelf.index.engine import translated
from docshelf.index.filters import EVERYTHING
from docshelf.index.store import Index
from docshelf.index.table_commit import committing
from tests.support.hits import text_hits, vector_hits
from tests.unit.index.made_up import make, vector_of

Damage = Callable[[Path], None]


def _files(place: Path, pattern: str) -> list[Path]:
    files = [item for item in place.glob(pattern) if item.is_file()]
    assert files
    return files


def truncate(pattern: str) -> Damage:
    def damage(place: Path) -> None:
        for file in _files(place, pattern):
            os.truncate(file, file.stat().st_size // 2)

    return damage


def overwrite(pattern: str) -> Damage:
    def damage(place: Path) -> None:
        for file in _files(place, pattern):
            file.write_bytes(b"\x00garbage" * 200)

    return damage


def delete(pattern: str) -> Damage:
    def damage(place: Path) -> None:
        for file in _files(place, pattern):
            file.unlink()

    return damage


def _use(root: Path) -> None:
    index = Index.open(root, remedy="run ./scripts/local --rebuild")
    index.documents(EVERYTHING)
    index.document("a.md")
    list(index.ordered_versions())
    index.inconsistent_keys()
    index.chunks_of("a.md")
    text_hits(index, "fox", 5)
    vector_hits(index, vector_of("x"), 5)


@pytest.mark.parametrize("table", ["documents", "chunks"])
@pytest.mark.parametrize(
    "damage",
    [
        truncate("data/*.lance"),
        overwrite("data/*.lance"),
        delete("data/*.lance"),
        truncate("_versions/*.manifest"),
        overwrite("_versions/*.manifest"),
        delete("_versions/*.manifest"),
        delete("_indices/**/*"),
        overwrite("_indices/**/*"),
        shutil.rmtree,
    ],
)
def test_a_damaged_index_is_reported_with_its_remedy(index: Index, root: Path, table: str, damage: Damage) -> None:
    index.replace([make(f"{number}.md", ["a fox", "a dog"]) for number in range(5)] + [make("a.md", ["x"])])
    index.maintain(force=True)
    damage(root / "g0001" / f"{table}.lance")
    with pytest.raises(IndexCorruptError) as caught:
        _use(root)
    assert str(caught.value) == (
        f"The index at {root / 'g0001'} is damaged and cannot be read; run ./scripts/local --rebuild."
    )


def test_tables_of_different_identities_are_a_damaged_index(index: Index, root: Path) -> None:
    other = Index.create(root, replace(index.identity, model="other-model"), activate=False)
    shutil.rmtree(root / "g0001" / "chunks.lance")
    (root / other.generation / "chunks.lance").rename(root / "g0001" / "chunks.lance")
    with pytest.raises(IndexCorruptError):
        Index.open(root)


_WITHOUT_ROOM = """
import resource, signal, sys
from pathlib import Path
from docshelf.errors import IndexUnavailableError
from docshelf.index.filters import EVERYTHING
from docshelf.index.store import Index
from tests.unit.index.made_up import make
from tests.support.hits import text_hits, vector_hits

root = Path(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
index, limits = Index.open(root), resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
try:
    index.replace([make("a.md", [f"{n} " + "y" * 500 for n in range(200)], version="2"), make("b.md", ["b"])])
except IndexUnavailableError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, limits)
for handle in (index, Index.open(root)):
    handle.refresh()
    assert [chunk.text for chunk in handle.chunks_of("a.md")] == ["the old text"]
    assert [record.source for record in handle.documents(EVERYTHING)] == ["a.md"]
    assert handle.inconsistent_keys() == set()
index.replace([make("a.md", ["new"], version="2")])
print([chunk.text for chunk in Index.open(root).chunks_of("a.md")])
"""


def test_a_write_that_does_not_fit_leaves_the_index_as_it_was(index: Index, root: Path) -> None:
    index.replace([make("a.md", ["the old text"])])
    home = Path(__file__).parents[3]
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", _WITHOUT_ROOM, str(root)],
        env={"PYTHONPATH": f"layers{os.pathsep}.", "PATH": ""},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stderr == ""
    first, second = ended.stdout.splitlines()
    assert first == f"The index at {root / 'g0001'} cannot be used: a file would exceed the size that is allowed."
    assert second == "['new']"


def test_a_place_that_cannot_be_written_is_named(index: Index, root: Path) -> None:
    index.replace([make("a.md", ["x"])])
    data = root / "g0001" / "chunks.lance" / "data"
    data.rename(root / "aside")
    data.write_text("in the way")
    with pytest.raises(DocshelfError):
        index.replace([make("b.md", ["y"])])
    data.unlink()
    (root / "aside").rename(data)
    assert [chunk.text for chunk in Index.open(root).chunks_of("a.md")] == ["x"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_index_is_readable_and_says_why_it_cannot_be_written(index: Index, root: Path) -> None:
    index.replace([make("a.md", ["x"])])
    directories = [item for item in (root, *root.rglob("*")) if item.is_dir()]
    for directory in directories:
        directory.chmod(0o555)
    try:
        assert [chunk.text for chunk in Index.open(root).chunks_of("a.md")] == ["x"]
        with pytest.raises(IndexUnavailableError, match="permission is denied"):
            index.replace([make("b.md", ["y"])])
    finally:
        for directory in directories:
            directory.chmod(0o755)


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("LanceError(IO): No space left on device (os error 28)", IndexUnavailableError, "the disk is full"),
        ("Unable to create: Permission denied (os error 13)", IndexUnavailableError, "permission is denied"),
        ("Read-only file system (os error 30)", IndexUnavailableError, "read-only"),
        ("lance error: Too many concurrent writers. Attempted 4 times", IndexUnavailableError, "another process"),
        ("lance error: Not found: x.lance", IndexCorruptError, "damaged"),
    ],
)
def test_what_the_engine_reports_becomes_a_sentence(text: str, kind: type[DocshelfError], words: str) -> None:
    error = translated(RuntimeError(text), Path("place"), "index again")
    assert type(error) is kind
    assert words in error.sentence


def test_a_commit_is_tried_again_only_where_another_writer_came_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docshelf.index.table_commit._LONGEST_FIRST_PAUSE", 0)
    errors = [RuntimeError("Retryable commit conflict for version 2"), RuntimeError("Too many concurrent writers")]

    def commit() -> None:
        if errors:
            raise errors.pop()

    committing(commit)
    assert errors == []
    errors.extend([RuntimeError("Please retry")] * 4)
    with pytest.raises(RuntimeError, match="retry"):
        committing(commit)
    errors.extend([RuntimeError("Too many concurrent writers"), RuntimeError("no conflict")])
    with pytest.raises(RuntimeError, match="no conflict"):
        committing(commit)
    assert len(errors) == 1
