from __future__ import annotations

import json
from pathlib import Path

import pytest

from docshelf.errors import IndexCorruptError, IndexMismatchError, IndexMissingError, IndexUnavailableError
from docshelf.index.pointer import (
    Pointer,
    claim_generation,
    generations,
    read_pointer,
    remove_generation,
    tag_of_pointer,
    write_pointer,
)


def test_what_is_written_is_read_and_nothing_else_is_left(root: Path) -> None:
    write_pointer(root, Pointer("g0001", tag=tag_of_pointer(root)))
    write_pointer(root, Pointer("g0002", tag=tag_of_pointer(root)))
    assert read_pointer(root, "rebuild").generation == "g0002"
    assert [item.name for item in root.iterdir()] == ["current.json"]
    assert json.loads((root / "current.json").read_text()) == {"format": 4, "generation": "g0002"}


def test_without_a_pointer_there_is_no_index(root: Path) -> None:
    with pytest.raises(IndexMissingError, match="no index"):
        read_pointer(root, "rebuild")


def test_a_file_in_place_of_the_directory_is_no_index(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(IndexMissingError):
        read_pointer(tmp_path / "file", "rebuild")
    with pytest.raises(IndexUnavailableError, match="cannot be written"):
        write_pointer(tmp_path / "file", Pointer("g0001"))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1]",
        b"\xff\xfe",
        b'{"format": 4}',
        b'{"format": 4, "generation": "../x"}',
        b'{"generation": "g0001"}',
    ],
)
def test_a_damaged_pointer_is_a_corrupt_index(root: Path, content: bytes) -> None:
    root.mkdir()
    (root / "current.json").write_bytes(content)
    with pytest.raises(IndexCorruptError, match=r"damaged\); rebuild it"):
        read_pointer(root, "rebuild it")


def test_a_pointer_of_another_format_is_a_mismatch(root: Path) -> None:
    root.mkdir()
    (root / "current.json").write_text('{"format": 1, "place": "elsewhere"}')
    with pytest.raises(IndexMismatchError, match="another version"):
        read_pointer(root, "rebuild it")


def test_a_pointer_that_is_a_directory_cannot_be_read(root: Path) -> None:
    (root / "current.json").mkdir(parents=True)
    with pytest.raises(IndexUnavailableError):
        read_pointer(root, "rebuild it")


def test_only_a_generation_can_be_pointed_to(root: Path) -> None:
    with pytest.raises(ValueError, match="named like g0001"):
        write_pointer(root, Pointer("../elsewhere"))


def test_generations_are_counted_by_number(root: Path) -> None:
    assert generations(root) == []
    assert claim_generation(root) == "g0001"
    for name in ("g0002", "g10000", "g9999", "other"):
        (root / name).mkdir(parents=True)
    assert generations(root) == ["g0001", "g0002", "g9999", "g10000"]
    assert claim_generation(root) == "g10001"


def test_only_a_generation_out_of_use_is_removed(root: Path) -> None:
    (root / "g0001").mkdir(parents=True)
    (root / "g0002").mkdir()
    write_pointer(root, Pointer("g0002", tag=tag_of_pointer(root)))
    with pytest.raises(ValueError, match="in use"):
        remove_generation(root, "g0002", "rebuild")
    remove_generation(root, "g0001", "rebuild")
    assert generations(root) == ["g0002"]


def test_a_leftover_generation_is_removed_before_there_is_a_pointer(root: Path) -> None:
    (root / "g0001").mkdir(parents=True)
    remove_generation(root, "g0001", "rebuild")
    assert generations(root) == []
