from __future__ import annotations

import threading
from pathlib import Path

import pytest

from docshelf.errors import IndexUnavailableError, InvalidArgumentError, PreconditionFailedError
from docshelf.index.location import LocalLocation, location_of


def test_a_place_is_a_directory_or_an_address(tmp_path: Path) -> None:
    for place in (tmp_path, str(tmp_path)):
        location = location_of(place)
        assert isinstance(location, LocalLocation)
        assert (str(location), location.uri, location.name) == (str(tmp_path), str(tmp_path), tmp_path.name)
        assert location.storage_options() == {}
    address = location_of("s3://some-bucket/a/index/").child("g0001")
    assert (str(address), address.uri, address.name) == (*["s3://some-bucket/a/index/g0001"] * 2, "g0001")
    assert location_of("s3://some-bucket").child("g0001").uri == "s3://some-bucket/g0001"
    with pytest.raises(InvalidArgumentError):
        location_of("s3://")


def test_a_file_is_written_only_over_the_content_that_was_read(tmp_path: Path) -> None:
    location = LocalLocation(tmp_path / "new")
    assert location.read("x") is None
    first = location.write("x", b"1", None)
    assert location.read("x") == (b"1", first)
    with pytest.raises(PreconditionFailedError):
        location.write("x", b"2", None)
    second = location.write("x", b"2", first)
    with pytest.raises(PreconditionFailedError):
        location.write("x", b"3", first)
    with pytest.raises(PreconditionFailedError):
        location.write("y", b"3", first)
    assert location.read("x") == (b"2", second)
    assert [path for path, _ in location.files()] == ["x"]


def test_of_those_who_write_the_first_content_at_once_one_wins(tmp_path: Path) -> None:
    location = LocalLocation(tmp_path)
    start, won = threading.Barrier(8), list[bytes]()

    def write(data: bytes) -> None:
        start.wait()
        try:
            location.write("x", data, None)
            won.append(data)
        except PreconditionFailedError:
            pass

    threads = [threading.Thread(target=write, args=(b"%d" % number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    found = location.read("x")
    assert found is not None
    assert found[0] == won[0]


def test_a_name_is_claimed_once(tmp_path: Path) -> None:
    location = LocalLocation(tmp_path / "new")
    assert location.children("g") == []
    assert location.claim("g0001")
    assert not location.claim("g0001")
    assert location.children("g") == ["g0001"]
    assert location.children("h") == []
    (tmp_path / "file").write_text("x")
    with pytest.raises(IndexUnavailableError, match="cannot be made"):
        LocalLocation(tmp_path / "file").claim("g0001")


def test_files_are_listed_with_their_sizes(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").write_bytes(b"123")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    assert list(LocalLocation(tmp_path).files()) == [("a/b/c", 3)]
