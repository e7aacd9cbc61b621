"""Where indexes are kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from docshelf.errors import IndexMismatchError, IndexMissingError, IndexUnavailableError
from docshelf.local.places import claim_for_folder, current_root, home, index_root, remember_current


def test_home_is_the_setting_or_a_directory_of_the_person() -> None:
    assert home({"DOCSHELF_HOME": "/somewhere/else"}) == Path("/somewhere/else")
    assert home({"DOCSHELF_HOME": "~/shelf"}) == Path.home() / "shelf"
    assert home({"DOCSHELF_HOME": ""}) == Path.home() / ".docshelf"
    assert home({}) == Path.home() / ".docshelf"


def test_an_index_is_named_after_its_folder(tmp_path: Path) -> None:
    root = index_root(tmp_path / "My docs (2026)", tmp_path)
    assert root.parent == tmp_path / "indexes"
    assert root.name.startswith("My-docs-2026-")


@pytest.mark.parametrize("name", ["文档", "...", "-", "a" * 200, os.fsdecode(b"\xff\xfe")])
def test_any_folder_has_a_plain_short_name(tmp_path: Path, name: str) -> None:
    found = index_root(tmp_path / name, tmp_path).name
    assert found.isascii()
    assert found[0].isalnum()
    assert len(found) < 60


def test_folders_of_one_name_have_different_indexes_and_one_folder_has_one(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "docs").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "one" / "docs")
    one, two, link = (index_root(tmp_path / name, tmp_path) for name in ("one/docs", "two/docs", "link"))
    assert one != two
    assert one == link == index_root(tmp_path / "two" / ".." / "one" / "docs", tmp_path)


def test_a_link_that_leads_to_itself_has_a_place_too(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert index_root(tmp_path / "loop", tmp_path).name.startswith("loop-")


def test_the_current_index_is_the_last_that_was_remembered(tmp_path: Path) -> None:
    place = tmp_path / "new" / "home"
    for name in ("one", "two", os.fsdecode(b"not text \xff")):
        remember_current(tmp_path / name, place)
        assert current_root(place) == tmp_path / name
    assert [path.name for path in place.iterdir()] == ["current-index"]


def test_a_relative_index_is_remembered_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    remember_current(Path("here"), tmp_path)
    assert current_root(tmp_path) == tmp_path / "here"


def test_no_current_index_is_one_sentence_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match=r"^There is no index yet: run \./scripts/local first.*--index DIR\.$"):
        current_root(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\n", b"\0"])
def test_a_damaged_note_of_the_current_index_is_no_index(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "current-index").write_bytes(content)
    with pytest.raises(IndexMissingError):
        current_root(tmp_path)


def test_a_home_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(IndexUnavailableError, match=r"cannot be written: .+\.$"):
        remember_current(tmp_path / "index", tmp_path / "file" / "home")


def test_an_index_is_not_turned_to_another_folder_unless_its_own_has_gone(tmp_path: Path) -> None:
    root, mine, other = tmp_path / "index", tmp_path / "mine", tmp_path / "other"
    for directory in (root, mine, other):
        directory.mkdir()
    claim_for_folder(root, mine)
    claim_for_folder(root, mine)
    with pytest.raises(IndexMismatchError, match=r"mine; following .*other"):
        claim_for_folder(root, other)
    mine.rmdir()
    claim_for_folder(root, other)
    mine.mkdir()
    with pytest.raises(IndexMismatchError, match=r"other; following .*mine"):
        claim_for_folder(root, mine)


def test_an_index_that_cannot_be_claimed_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailableError, match="cannot be written"):
        claim_for_folder(tmp_path / "missing", tmp_path)
    (tmp_path / "index" / "folder").mkdir(parents=True)
    with pytest.raises(IndexUnavailableError, match="cannot be read"):
        claim_for_folder(tmp_path / "index", tmp_path)
