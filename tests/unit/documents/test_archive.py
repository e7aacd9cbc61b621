"""Archives are counted within bounds, and each file in one is handed on, or has an error of its own."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.documents import parse
from docshelf.documents.archives import members, unpacking
from docshelf.documents.archives.members import member_name
from docshelf.documents.archives.unpacking import unpack
from docshelf.errors import (
    DocumentError,
    DocumentTooLargeError,
    EmptyDocumentError,
    EncryptedDocumentError,
    ParseFailedError,
)
from docshelf.settings import Limits
from tests.support.archives import all_members, encrypted_zip, mail_of, pdf_with, tar_of, zip_of

LIMITS = Limits(max_bytes=1_000_000, max_members=50, max_unpacked_bytes=5_000_000)
FILES = {"a.md": b"# A\n", "docs/b.md": b"# B\n\nText.\n", "c.txt": b"plain"}
MAKERS: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "zip": zip_of,
    "stored zip": lambda files: zip_of(files, stored=True),
    **{mode: lambda files, mode=mode: tar_of(files, mode) for mode in ("w", "w:gz", "w:bz2", "w:xz")},  # type: ignore[misc]
}


def names(data: bytes, limits: Limits = LIMITS) -> list[str]:
    return [member.name for member in all_members(data, "a", limits)]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_an_archive_has_no_text_and_gives_its_files(make: Callable[[dict[str, bytes]], bytes]) -> None:
    data = make(FILES)
    document = parse(data, "box/notes.archive", LIMITS)
    assert (document.text, document.blocks, document.attachments, document.title) == ("", (), 3, "notes")
    found = all_members(data, "box/notes.archive", LIMITS)
    assert {member.name: member.data for member in found} == FILES
    assert {member.modified_at for member in found} == {datetime(2024, 3, 1, 10, 20, 30, tzinfo=UTC)}
    assert all(member.error is None and member.size == len(member.data) for member in found)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_files_come_in_slices_of_a_bounded_size(
    make: Callable[[dict[str, bytes]], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{number}.txt": bytes([65 + number]) * 400 for number in range(7)}
    files["empty.txt"] = b""
    data = make(files)
    monkeypatch.setattr(unpacking, "SLICE_BYTES", 1_000)
    first = unpack(data, "a", LIMITS, 0)
    assert ([member.name for member in first.members], first.more) == (["0.txt", "1.txt"], True)
    last = unpack(data, "a", LIMITS, 7)
    assert ([member.name for member in last.members], last.more) == (["empty.txt"], False)
    assert {member.name: member.data for member in all_members(data, "a", LIMITS)} == files
    monkeypatch.setattr(unpacking, "SLICE_BYTES", 100)
    monkeypatch.setattr(unpacking, "SLICE_MEMBERS", 3)
    assert {member.name: member.data for member in all_members(data, "a", LIMITS)} == files


def test_what_is_never_a_document_is_left_out() -> None:
    junk = ["__MACOSX/._a.md", "docs/.DS_Store", "Thumbs.db", "x/.git/config", "folder/", "~$a.docx"]
    files = dict.fromkeys(junk, b"") | {"a.md": b"x"}
    assert names(zip_of(files)) == names(tar_of({name: b"" for name in files if not name.endswith("/")})) == ["a.md"]
    with pytest.raises(EmptyDocumentError, match="holds no files"):
        parse(zip_of(dict.fromkeys(junk, b"")), "a.zip", LIMITS)
    for empty in (zip_of({}), tar_of({"x/.DS_Store": b""})):
        with pytest.raises(EmptyDocumentError, match="holds no files"):
            parse(empty, "a", LIMITS)


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("a.md", "a.md"),
        ("/etc/passwd", "etc/passwd"),
        ("../../etc/passwd", "etc/passwd"),
        ("docs\\guide\\a.md", "docs/guide/a.md"),
        ("C:\\Users\\ann\\a.md", "Users/ann/a.md"),
        ("c:/a.md", "a.md"),
        ("a:b.md", "a:b.md"),
        ("./a//b/./c.md", "a/b/c.md"),
        ("a\x00b\nc.md", "a\ufffdb\ufffdc.md"),
        ("a\udcffb.md", "a\ufffdb.md"),
        ("..", ""),
        ("", ""),
        (" / ", ""),
        ("x" * 1_000 + ".md", "x" * 397 + ".md"),
        ("Übersicht/日本語.md", "Übersicht/日本語.md"),
    ],
)
def test_names_are_plain_paths(raw: str, plain: str) -> None:
    assert member_name(raw) == plain
    assert member_name(plain) == plain


@given(st.text(max_size=60) | st.text("./\\:C \x00\ud800", max_size=12))
def test_no_name_leads_anywhere_else(raw: str) -> None:
    plain = member_name(raw)
    assert not {"", ".", ".."} & set(plain.split("/")) or not plain
    assert len(plain) <= 400
    assert not any(ord(character) < 32 for character in plain)
    plain.encode()
    assert member_name(plain) == plain


def test_names_without_the_mark_of_utf8_are_read_as_utf8_where_they_are() -> None:
    assert names(zip_of({"Übersicht/日本語.md": b"x"})) == ["Übersicht/日本語.md"]
    assert names(zip_of({"Übersicht/日本語.md": b"x"}, utf8=False)) == ["Übersicht/日本語.md"]


def test_a_time_in_utc_goes_before_the_one_without_a_zone() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("a.md", (2024, 3, 1, 12, 20, 30))
        info.extra = struct.pack("<HHBi", 0x5455, 5, 1, 1_709_288_430)
        archive.writestr(info, "x")
        archive.writestr(zipfile.ZipInfo("b.md"), "x")
    assert [member.modified_at for member in all_members(buffer.getvalue(), "a", LIMITS)] == [
        datetime(2024, 3, 1, 10, 20, 30, tzinfo=UTC),
        None,
    ]


def test_links_and_devices_are_not_followed_and_are_told_of() -> None:
    links = []
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
        info = tarfile.TarInfo(f"kind {kind.decode()}.md")
        info.type, info.linkname = kind, "/etc/passwd"
        links.append(info)
    data = tar_of({"a.md": b"x"}, others=links)
    assert names(data) == ["a.md"]
    assert parse(data, "a.tar", LIMITS).warnings == ("Links and devices in the archive were left out (4).",)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.md", "x")
        link = zipfile.ZipInfo("link.md")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert names(buffer.getvalue()) == ["a.md"]
    assert parse(buffer.getvalue(), "a.zip", LIMITS).warnings


def test_an_encrypted_file_is_that_files_state() -> None:
    data = encrypted_zip("secret.md")
    assert parse(data, "a.zip", LIMITS).attachments == 1
    (member,) = all_members(data, "a.zip", LIMITS)
    assert isinstance(member.error, EncryptedDocumentError)
    assert (member.name, member.data, member.size) == ("secret.md", b"", 12)


def test_a_damaged_file_in_a_zip_is_that_files_state_and_not_its_neighbours() -> None:
    data = bytearray(zip_of({"a.md": b"first" * 20, "b.md": b"second" * 20}, stored=True))
    data[data.index(b"first") + 3] ^= 0xFF
    bad, good = all_members(bytes(data), "a.zip", LIMITS)
    assert isinstance(bad.error, ParseFailedError)
    assert "damaged" in bad.error.sentence
    assert good.data == b"second" * 20


def test_a_file_packed_in_an_unknown_way_is_that_files_state() -> None:
    data = bytearray(zip_of({"a.md": b"x"}, stored=True))
    for signature, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.index(signature) + place] = 9  # Deflate64
    (member,) = all_members(bytes(data), "a.zip", LIMITS)
    assert isinstance(member.error, ParseFailedError)
    assert "not read" in member.error.sentence


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_an_archive_that_is_cut_off_is_damaged_as_a_whole(make: Callable[[dict[str, bytes]], bytes]) -> None:
    data = make({f"{number}.txt": bytes(range(256)) * 20 for number in range(10)})
    for length in (len(data) // 2, len(data) * 3 // 4):
        with pytest.raises(DocumentError, match=r"damaged or cut off|a bzip2 archive"):  # which has but one block
            parse(data[:length], "a", LIMITS)


@pytest.mark.parametrize("size", ["-512", "-1024", "-99999"])
def test_a_tar_that_tells_of_files_of_less_than_nothing_is_damaged(size: str) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("a.md")
        info.pax_headers = {"size": size}
        archive.addfile(info, io.BytesIO())
    for read in (lambda: parse(buffer.getvalue(), "a.tar", LIMITS), lambda: unpack(buffer.getvalue(), "a", LIMITS, 0)):
        with pytest.raises(ParseFailedError, match="damaged"):
            read()


@given(st.text(st.sampled_from("Ca:/\\. \n\u202e"), max_size=60), st.integers(0, 45))
def test_a_members_name_is_its_own_name_in_an_archive(name: str, repeats: int) -> None:
    plain = member_name(name + "x/y:." * repeats * 5 + name)
    assert len(plain) <= 400
    assert member_name(plain) == plain


def test_a_damaged_header_in_the_middle_of_a_tar_is_not_taken_for_its_end() -> None:
    data = bytearray(tar_of({f"{number}.txt": b"x" * 512 for number in range(4)}))
    data[2 * 1_024 + 150] ^= 0xFF
    with pytest.raises(ParseFailedError, match="damaged"):
        parse(bytes(data), "a.tar", LIMITS)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_bounds_are_named_by_their_setting(make: Callable[[dict[str, bytes]], bytes]) -> None:
    data = make({f"{number}.txt": b"x" * 1_000 for number in range(10)})
    parse(data, "a", replace(LIMITS, max_members=10, max_unpacked_bytes=10_000))
    with pytest.raises(DocumentTooLargeError, match="DOCSHELF_MAX_MEMBERS"):
        parse(data, "a", replace(LIMITS, max_members=9))
    with pytest.raises(DocumentTooLargeError, match="DOCSHELF_MAX_UNPACKED_BYTES"):
        parse(data, "a", replace(LIMITS, max_unpacked_bytes=9_999))
    small = all_members(data, "a", replace(LIMITS, max_bytes=999))
    assert all(isinstance(member.error, DocumentTooLargeError) and not member.data for member in small)


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    wide = Limits(max_unpacked_bytes=10**12)
    zeros = zip_of({"zeros.txt": bytes(150_000_000)})
    with pytest.raises(DocumentTooLargeError, match="so densely"):
        parse(zeros, "a.zip", wide)
    info = tarfile.TarInfo("zeros.txt")
    info.size = 10**15
    claimed = gzip.compress(info.tobuf() + bytes(1_024))
    with pytest.raises(DocumentTooLargeError):
        parse(claimed, "a.tar.gz", wide)
    lying = bytearray(zip_of({"a.txt": bytes(1_000_000)}))
    for signature, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", lying, lying.index(signature) + place, 10)
    (member,) = all_members(bytes(lying), "a.zip", LIMITS)
    assert isinstance(member.error, ParseFailedError)


def test_too_many_entries_of_any_kind_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("zip", "tar"):
        monkeypatch.setattr(f"docshelf.documents.archives.{module}.MOST_ENTRIES", 3)
    folders = {f"{number}/": b"" for number in range(4)}
    for data in (zip_of(folders), tar_of({name + "x/.DS_Store": b"" for name in folders})):
        with pytest.raises(DocumentTooLargeError, match="entries"):
            parse(data, "a", LIMITS)


def test_what_comes_with_a_mail_is_counted_and_handed_on() -> None:
    data = mail_of("See the files.", {"report.md": b"# Report\n", "data.zip": zip_of({"x": b"y"})})
    assert parse(data, "a.eml", LIMITS).attachments == 2
    found = all_members(data, "a.eml", LIMITS)
    assert [(member.name, member.data[:4]) for member in found] == [("report.md", b"# Re"), ("data.zip", b"PK\x03\x04")]
    box = b"".join(b"From ann Fri Mar  1 10:20:30 2024\n" + data + b"\n\n" for _ in range(3))
    assert parse(box, "a.mbox", LIMITS).attachments == 6
    assert len(all_members(box, "a.mbox", LIMITS)) == 6
    one = b"From ann Fri Mar  1 10:20:30 2024\n" + data
    assert parse(one, "a.mbox", LIMITS).attachments == len(all_members(one, "a.mbox", LIMITS)) == 2


def test_what_lies_in_a_pdf_is_counted_and_handed_on() -> None:
    data = pdf_with("Some words", {"report.md": b"# Report", "data.csv": b"1;2"})
    document = parse(data, "a.pdf", LIMITS)
    assert (document.attachments, document.warnings) == (2, ())
    assert {member.name: member.data for member in all_members(data, "a.pdf", LIMITS)} == {
        "report.md": b"# Report",
        "data.csv": b"1;2",
    }
    with pytest.raises(EmptyDocumentError) as caught:
        parse(pdf_with("", {"report.md": b"# Report"}), "scan.pdf", LIMITS)
    assert (caught.value.pages, caught.value.attachments) == (1, 1)


def test_other_formats_have_no_members() -> None:
    assert unpack(b"# Text\n", "a.md", LIMITS, 0).members == ()
    assert parse(b"# Text\n", "a.md", LIMITS).attachments == 0


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_bytes_are_counted_and_unpacked_alike_or_refused(data: st.DataObject) -> None:
    make = data.draw(st.sampled_from(list(MAKERS.values())))
    archive = bytearray(make(FILES))
    for place, byte in data.draw(
        st.lists(st.tuples(st.integers(4, len(archive) - 1), st.integers(0, 255)), max_size=4)
    ):
        archive[place] = byte
    changed = bytes(archive[: data.draw(st.integers(0, len(archive)) | st.just(len(archive)))])
    try:
        count = parse(changed, "a", LIMITS).attachments
        found = all_members(changed, "a", LIMITS)
    except DocumentError:
        return
    assert len(found) == count
    assert all(member.name and (member.error is None or not member.data) for member in found)


def test_a_slice_is_no_larger_than_the_child_may_send() -> None:
    assert Limits().max_bytes > members.SLICE_BYTES
