"""Listing and reading a real folder."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.errors import DocumentTooLargeError, SourceError, SourceVanishedError, UnreadableFileError
from docshelf.sources import collection_of
from docshelf.sources.folder import FolderSource
from docshelf.sources.naming import key_of, path_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "folder"
    place.mkdir()
    return place


def write(folder: Path, *keys: str) -> None:
    for key in keys:
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        (folder / key).write_text(f"text of {key}")


def keys(source: FolderSource, prefix: str = "") -> list[str]:
    return [entry.key for entry in source.list(prefix)]


@pytest.mark.parametrize(
    ("key", "collection"),
    [("a/b/c.md", "a"), ("top.md", "general"), ("general/x.md", "general"), ("/odd.md", "general"), ("a b/x", "a b")],
)
def test_the_first_folder_is_the_collection(key: str, collection: str) -> None:
    assert collection_of(key) == collection


def test_files_are_listed_with_size_and_time(folder: Path) -> None:
    write(folder, "b.md", "a/x.md", "a/deep/er/y.txt", ".github/workflows/ci.yml", ".env.example", "Makefile")
    os.utime(folder / "b.md", ns=(0, 1_700_000_000_123_456_789))
    source = FolderSource(folder)
    assert keys(source) == [".env.example", "Makefile", "b.md", ".github/workflows/ci.yml", "a/x.md", "a/deep/er/y.txt"]
    entry = next(entry for entry in source.list() if entry.key == "b.md")
    assert entry.size == len("text of b.md")
    assert entry.modified_at == datetime(2023, 11, 14, 22, 13, 20, 123456, tzinfo=UTC)
    assert source.stat("b.md") == entry
    assert source.unreadable == ()


def test_an_empty_folder_has_no_documents(folder: Path) -> None:
    assert keys(FolderSource(folder)) == []


def test_a_listing_of_a_directory_that_vanishes_meanwhile_goes_on(folder: Path) -> None:
    write(folder, "a.md", "b/c.md", "d/e.md")
    source = FolderSource(folder)
    listing = source.list()
    assert next(listing).key == "a.md"
    (folder / "b" / "c.md").unlink()
    (folder / "b").rmdir()
    assert [entry.key for entry in listing] == ["d/e.md"]
    assert source.unreadable == ()


def test_part_of_the_folder_is_listed_by_prefix(folder: Path) -> None:
    write(folder, "a/1.md", "a/b/2.md", "ab/3.md", "c.md", ".git/config")
    source = FolderSource(folder)
    assert keys(source, "a/") == ["a/1.md", "a/b/2.md"]
    assert keys(source, "a/b/") == ["a/b/2.md"]
    for nothing in ("none/", ".git/", "../", "c.md/", "a//"):
        assert keys(source, nothing) == []


def test_what_tools_and_editors_leave_behind_is_passed_over(folder: Path) -> None:
    litter = [
        ".git/config", ".hg/x", "web/node_modules/m/README.md", "sub/__pycache__/a.md", ".venv/x.md", ".docshelf/x.md",
        ".DS_Store", "sub/Thumbs.db", "~$report.docx", ".~lock.report.odt#", ".notes.md.swp", "notes.md~", ".#notes.md",
        "#notes.md#",
    ]  # fmt: skip
    kept = ["kept.md", "git/kept.md", "node_modules/m/kept.md", "sub/kept.md", "web/package.json"]
    write(folder, *kept, *litter)
    source = FolderSource(folder)
    assert keys(source) == kept
    assert set(source.ignored_directories()) == {
        ".git/", ".hg/", "web/node_modules/", "sub/__pycache__/", ".venv/", ".docshelf/"
    }  # fmt: skip
    for key in litter:
        assert source.stat(key) is None
        with pytest.raises(SourceVanishedError):
            source.read(key, 100)


def test_an_excluded_directory_is_passed_over(folder: Path) -> None:
    write(folder, "a.md", "my-index/x.md")
    source = FolderSource(folder, exclude=[folder / "my-index", folder, folder.parent])
    assert keys(source) == ["a.md"]
    assert source.stat("my-index/x.md") is None


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems change or refuse such names")
def test_names_are_kept_exactly(folder: Path) -> None:
    names = [
        "caf\u00e9.md",
        "cafe\u0301.md",
        "A.md",
        "a.md",
        "it's 100% #1+2.md",
        "new\nline.md",
        "back\\slash.md",
        "😀.md",
    ]
    write(folder, *names)
    source = FolderSource(folder)
    assert sorted(keys(source)) == sorted(names)
    for name in names:
        assert source.read(name, 1_000).data.decode() == f"text of {name}"


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems refuse such names")
def test_names_that_are_not_text_get_a_printable_key_and_can_be_read(folder: Path) -> None:
    raw = os.fsencode(folder)
    for name in (b"a\xff.md", b"a\xfe.md", "a\ufffdFF.md".encode()):
        (Path(os.fsdecode(raw + b"/" + name))).write_bytes(name)
    deep = Path(os.fsdecode(raw + b"/d\xe9/x.md"))
    deep.parent.mkdir()
    deep.write_text("deep")
    source = FolderSource(folder)
    found = keys(source)
    assert sorted(found) == sorted(["a\ufffdFF.md", "a\ufffdFE.md", "a\ufffdEF\ufffdBF\ufffdBDFF.md", "d\ufffdE9/x.md"])
    assert source.read("a\ufffdFF.md", 100).data == b"a\xff.md"
    assert source.read("a\ufffdEF\ufffdBF\ufffdBDFF.md", 100).data == "a\ufffdFF.md".encode()
    assert source.read("d\ufffdE9/x.md", 100).data == b"deep"
    assert keys(source, "d\ufffdE9/") == ["d\ufffdE9/x.md"]


@given(st.lists(st.binary(min_size=1, max_size=9), min_size=1, max_size=3))
def test_every_path_has_one_key_that_leads_back(parts: list[bytes]) -> None:
    raw = b"/".join(part.replace(b"\0", b"0").replace(b"/", b"_").replace(b".", b"_") for part in parts)
    path = os.fsdecode(raw)
    key = key_of(path)
    assert key.encode().decode() == key
    assert path_of(key) == path


@given(st.text())
def test_a_key_leads_to_a_path_only_if_that_path_has_it(key: str) -> None:
    path = path_of(key)
    assert path is None or key_of(path) == key


@pytest.mark.parametrize(
    "key", ["", "/etc/passwd", "../x.md", "a/../../x.md", "a//b", "./a.md", "a\0b", "\ud800", "a/", "\ufffdzz"]
)
def test_a_key_that_no_document_can_have_leads_nowhere(folder: Path, key: str) -> None:
    write(folder, "a.md")
    (folder.parent / "x.md").write_text("outside")
    source = FolderSource(folder)
    assert source.stat(key) is None
    with pytest.raises(SourceVanishedError):
        source.read(key, 100)


def test_links_that_leave_the_folder_are_not_followed(folder: Path, tmp_path: Path) -> None:
    write(folder, "a.md")
    outside = tmp_path / "folder-outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (folder / "file-link.md").symlink_to(outside / "secret.md")
    (folder / "directory-link").symlink_to(outside)
    (folder / "relative.md").symlink_to("../folder-outside/secret.md")
    source = FolderSource(folder)
    assert keys(source) == ["a.md"]
    assert keys(source, "directory-link/") == []
    for key in ("file-link.md", "relative.md", "directory-link/secret.md"):
        assert source.stat(key) is None
        with pytest.raises(SourceVanishedError):
            source.read(key, 100)


def test_links_within_the_folder_are_followed_and_loops_end(folder: Path) -> None:
    write(folder, "real/a.md", "real/deep/b.md", "other/c.md", ".git/config")
    (folder / "latest.md").symlink_to(folder / "real" / "a.md")
    (folder / "link").symlink_to("real")
    (folder / "real" / "deep" / "up").symlink_to(folder / "real")
    (folder / "real" / "whole").symlink_to(folder)
    (folder / "other" / "to-real").symlink_to(folder / "real")
    (folder / "self.md").symlink_to("self.md")
    (folder / "dangling.md").symlink_to("nothing.md")
    (folder / "into-git.md").symlink_to(".git/config")
    source = FolderSource(folder)
    assert keys(source) == [
        "latest.md", "link/a.md", "link/deep/b.md", "other/c.md", "other/to-real/a.md", "other/to-real/deep/b.md",
        "real/a.md", "real/deep/b.md",
    ]  # fmt: skip
    assert source.read("latest.md", 100).data == b"text of real/a.md"
    assert source.read("link/deep/b.md", 100).data == b"text of real/deep/b.md"
    assert keys(source, "link/") == ["link/a.md", "link/deep/b.md"]
    assert source.unreadable == ()


def test_the_folder_itself_may_be_a_link(folder: Path, tmp_path: Path) -> None:
    write(folder, "a.md")
    (tmp_path / "link").symlink_to(folder)
    source = FolderSource(tmp_path / "link")
    assert keys(source) == ["a.md"]
    assert source.read("a.md", 100).data == b"text of a.md"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
def test_pipes_and_sockets_are_never_opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, "a.md")
    os.mkfifo(folder / "pipe.md")
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.md")
        source = FolderSource(folder)
        assert keys(source) == ["a.md"]
        for key in ("pipe.md", "socket.md"):
            assert source.stat(key) is None
        with pytest.raises(SourceVanishedError):
            source.read("pipe.md", 100)
        with pytest.raises(UnreadableFileError, match="cannot be read"):
            source.read("socket.md", 100)


def test_reading_gives_bytes_hash_and_time(folder: Path) -> None:
    data = os.urandom(3_000_000)
    (folder / "a.bin").write_bytes(data)
    content = FolderSource(folder).read("a.bin", len(data))
    assert content.data == data
    assert (content.size, content.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert content.modified_at is not None


def test_a_file_above_the_limit_is_not_read(folder: Path) -> None:
    with (folder / "big.pdf").open("wb") as file:
        file.truncate(1 << 40)  # a hole: it takes no room, and reading it would take all memory
    with pytest.raises(DocumentTooLargeError, match=r"1,099,511,627,776 bytes, more than the limit of 100,000,000"):
        FolderSource(folder).read("big.pdf", 100_000_000)


def test_what_vanished_or_became_a_directory_is_said_to_have_vanished(folder: Path) -> None:
    write(folder, "a.md", "b/c.md")
    source = FolderSource(folder)
    (folder / "a.md").unlink()
    (folder / "a.md").mkdir()
    for key in ("a.md", "b", "gone.md", "b/c.md/d.md"):
        assert source.stat(key) is None
        with pytest.raises(SourceVanishedError):
            source.read(key, 100)


class WrittenMeanwhile(FolderSource):
    """A folder in which a file is completed while it is read for the first time."""

    rest = b"the second half"

    def _read_once(self, key: str, max_bytes: int) -> tuple[os.stat_result, bytes, os.stat_result]:
        before, data, after = super()._read_once(key, max_bytes)
        if self.rest:
            with (self.root / key).open("ab") as file:
                file.write(self.rest)
            self.rest, after = b"", (self.root / key).stat()
        return before, data, after


def test_a_file_that_is_written_while_it_is_read_is_read_again(folder: Path) -> None:
    (folder / "a.md").write_bytes(b"the first half, ")
    assert WrittenMeanwhile(folder).read("a.md", 100).data == b"the first half, the second half"


def test_a_file_that_grows_all_the_time_is_read_all_the_same(folder: Path) -> None:
    path, stop = folder / "log.txt", threading.Event()
    path.write_text("start\n")

    def grow() -> None:
        with path.open("a") as file:
            while not stop.is_set():
                file.write("line\n")
                file.flush()

    growing = threading.Thread(target=grow)
    growing.start()
    content = FolderSource(folder).read("log.txt", 1 << 30)
    stop.set()
    growing.join()
    assert content.data.startswith(b"start\n")
    assert content.sha256 == hashlib.sha256(content.data).hexdigest()


def test_a_missing_folder_or_a_file_in_its_place_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"There is no folder .*/missing\."):
        keys(FolderSource(tmp_path / "missing"))
    (tmp_path / "file").write_text("x")
    with pytest.raises(SourceError, match=r"file is a file, not a folder\."):
        keys(FolderSource(tmp_path / "file"))
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(SourceError, match=r"cannot be read"):
        keys(FolderSource(tmp_path / "loop"))


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file whose first byte cannot be read")
def test_a_file_whose_bytes_cannot_be_read_is_unreadable() -> None:
    with pytest.raises(UnreadableFileError, match=r"cannot be read: Input/output error"):
        FolderSource(Path("/proc/self")).read("mem", 100)


def test_a_folder_that_cannot_be_listed_is_named_and_the_listing_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "a.md", "z/b.md")
    # Deeper than a path may be long: no right, not even the superuser's, makes it readable by its whole path.
    monkeypatch.chdir(folder)
    for _ in range(20):
        Path("d" * 250).mkdir()
        os.chdir("d" * 250)
    monkeypatch.undo()
    source = FolderSource(folder)
    try:
        assert keys(source) == ["a.md", "z/b.md"]
        assert [prefix[:251] for prefix, _ in source.unreadable] == ["d" * 250 + "/"]
        assert source.unreadable[0][1].endswith(": File name too long.")
        with pytest.raises(UnreadableFileError):
            source.stat("/".join(["d" * 250] * 20))
    finally:
        subprocess.run(["rm", "-rf", str(folder / ("d" * 250))], check=True)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="the superuser may read everything")
def test_what_may_not_be_read_is_named_and_the_listing_goes_on(folder: Path) -> None:
    write(folder, "a.md", "locked/b.md", "names-only/c.md", "z.md")
    (folder / "locked").chmod(0)
    (folder / "names-only").chmod(0o444)
    (folder / "z.md").chmod(0)
    source = FolderSource(folder)
    try:
        assert keys(source) == ["a.md", "z.md"]
        assert [prefix for prefix, _ in source.unreadable] == ["locked/", "names-only/c.md"]
        with pytest.raises(UnreadableFileError, match="Permission denied"):
            source.read("z.md", 100)
        with pytest.raises(UnreadableFileError, match="Permission denied"):
            source.stat("locked/b.md")
    finally:
        for name in ("locked", "names-only"):
            (folder / name).chmod(0o755)


def test_a_time_beyond_the_calendar_is_no_error(folder: Path) -> None:
    write(folder, "a.md")
    os.utime(folder / "a.md", ns=(0, 9 * 10**18))
    entry = FolderSource(folder).stat("a.md")
    assert entry is not None
    assert entry.modified_at is None or entry.modified_at.year > 2200


def test_links_that_lead_out_are_named_and_others_are_not(folder: Path, tmp_path: Path) -> None:
    write(folder, "a.md", ".git/config")
    (tmp_path / "secret.md").write_text("secret")
    (folder / "out.md").symlink_to(tmp_path / "secret.md")
    (folder / "up").symlink_to(tmp_path)
    (folder / "in.md").symlink_to("a.md")
    (folder / "broken.md").symlink_to("nothing.md")
    (folder / "config").symlink_to(".git/config")
    source = FolderSource(folder)
    assert source.links_outside() == ()
    assert "secret.md" not in "".join(keys(source))
    assert source.links_outside() == ("out.md", "up")
