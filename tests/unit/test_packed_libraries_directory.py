"""Nothing is loaded from a directory that may be somebody else's, or from a store that is damaged."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from docshelf.packed_libraries import INDEX, STORE, SUFFIX
from docshelf.packed_libraries_directory import PackedLibraryError, UnpackedLibraries
from tests.support.packed_tree import packed_tree


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One packed module without dependencies."""
    root = tmp_path_factory.mktemp("small") / "python"
    packed_tree(root, "rpds")
    return root


@pytest.fixture
def tmp(tmp_path: Path) -> Path:
    """The temporary directory that libraries are unpacked into."""
    made = tmp_path / "tmp"
    made.mkdir()
    return made


@pytest.fixture
def library(small: Path) -> str:
    """The path of the packed module's library."""
    (found,) = json.loads((small / STORE / INDEX).read_text("utf-8"))["libraries"]
    return str(found)


@pytest.fixture
def libraries(small: Path, tmp: Path, monkeypatch: pytest.MonkeyPatch) -> UnpackedLibraries:
    """What this process would unpack."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp))
    return UnpackedLibraries(small / STORE, "0123456789abcdef")


def size_of(small: Path, library: str) -> dict[str, int]:
    return {library: json.loads((small / STORE / INDEX).read_text("utf-8"))["libraries"][library]}


@pytest.mark.parametrize("kind", ["open to others", "a link", "a file"])
def test_a_directory_that_somebody_else_may_have_made_is_refused(
    kind: str, libraries: UnpackedLibraries, small: Path, library: str, tmp_path: Path
) -> None:
    if kind == "open to others":
        libraries.directory.mkdir()
        libraries.directory.chmod(0o770)
    elif kind == "a link":
        libraries.directory.symlink_to(tmp_path)
    else:
        libraries.directory.touch(0o700)
    with pytest.raises(PackedLibraryError, match="is not a directory of this user alone, so no code is loaded from it"):
        libraries.provide(size_of(small, library))


def test_a_directory_of_another_user_is_refused(
    libraries: UnpackedLibraries, small: Path, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries.directory.mkdir(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: libraries.directory.stat().st_uid + 1)
    with pytest.raises(PackedLibraryError, match="delete it"):
        libraries.provide(size_of(small, library))


def test_a_store_that_holds_another_size_than_it_says_is_refused(
    libraries: UnpackedLibraries, small: Path, library: str
) -> None:
    for wrong in (-1, 1):
        with pytest.raises(PackedLibraryError, match="is damaged: build the layers anew"):
            libraries.provide({library: size_of(small, library)[library] + wrong})
    assert not (libraries.directory / library).exists()


@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
def test_a_damaged_store_is_told(
    damage: str, small: Path, library: str, tmp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp))
    packed = (small / STORE / f"{library}{SUFFIX}").read_bytes()
    half = len(packed) // 2
    wrong = packed[:half] if damage == "cut" else packed[:half] + bytes([packed[half] ^ 1]) + packed[half + 1 :]
    target = tmp_path / STORE / f"{library}{SUFFIX}"
    target.parent.mkdir(parents=True)
    if damage != "gone":
        target.write_bytes(wrong)
    with pytest.raises(PackedLibraryError, match="is damaged: build the layers anew"):
        UnpackedLibraries(tmp_path / STORE, "0" * 16).provide(size_of(small, library))
