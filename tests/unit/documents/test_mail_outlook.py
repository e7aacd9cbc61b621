"""Mail as Outlook saves it."""

from __future__ import annotations

import struct
from datetime import UTC, datetime

import pytest

from docshelf.documents import Document, parse
from docshelf.documents.mail.outlook import outlook_attachments
from docshelf.errors import EncryptedDocumentError
from docshelf.settings import Limits
from tests.support.outlook_messages import Tree, binary, container, fixed, narrow, ticks, wide

SENT = ticks(datetime(2024, 3, 1, 9, 15, tzinfo=UTC))


def message(*properties: tuple[str, bytes | Tree], header: int = 32, code_page: int = 0) -> Tree:
    values = {0x0039: SENT} | ({0x3FFD: code_page} if code_page else {})
    return dict([fixed(values, header), wide(0x0037, "Rollout"), wide(0x0C1A, "Ada"), *properties])


def attached(number: int, *properties: tuple[str, bytes | Tree]) -> tuple[str, Tree]:
    return f"__attach_version1.0_#{number:08X}", dict([fixed({}, 8), *properties])


def read(tree: Tree) -> Document:
    return parse(container(tree), "a.msg", Limits())


def test_a_message_has_subject_people_date_and_text() -> None:
    document = read(
        message(
            wide(0x5D01, "ada@example.org"), wide(0x0E04, "Ben"), wide(0x1000, "The drain\r\nstarts.\r\n\r\nAt nine.")
        )
    )
    assert (document.title, document.media_type) == ("Rollout", "msg")
    assert document.text == (
        "# Rollout\n\nFrom: Ada <ada@example.org>\nTo: Ben\nDate: 2024-03-01 09:15 +0000\n\n"
        "The drain\nstarts.\n\nAt nine.\n"
    )


def test_text_of_before_unicode_is_read_in_its_code_page() -> None:
    assert "Кафе" in read(message(narrow(0x1000, "Кафе".encode("cp1251")), code_page=1251)).text


def test_html_is_read_where_there_is_no_plain_text() -> None:
    assert read(message(binary(0x1013, b"<p>The <b>rich</b> words.</p>"))).text.endswith("\n\nThe rich words.\n")


def test_packed_rtf_is_read_where_there_is_nothing_else() -> None:
    # Literals, then a run of five bytes from the start of the window ("{\rtf"), then literals.
    content = b"\x01" + struct.pack(">H", 0 << 4 | 3) + b"1 Words" + b"\x00" + b" kept.}"
    packed = struct.pack("<IIII", len(content) + 12, 20, 0x75465A4C, 0) + content
    assert read(message(binary(0x1009, packed))).text.endswith("\n\nWords kept.\n")


def test_attachments_are_named_and_messages_among_them_are_sections() -> None:
    inner = message(wide(0x1000, "It was the cable."), wide(0x0037, "Cause"), header=24)
    tree = message(
        wide(0x1000, "See below."),
        attached(0, wide(0x3707, "plan.csv"), wide(0x370E, "text/csv"), binary(0x3701, b"a,b\n" * 2_000)),
        attached(1, ("__substg1.0_3701000D", inner)),
        attached(2, wide(0x3707, "logo.png"), binary(0x3701, b"x")),
    )
    document = read(tree)
    assert "- plan.csv (text/csv, 8,000 bytes)\n- logo.png (application/octet-stream, 1 bytes)\n" in document.text
    assert "## Cause\n\nFrom: Ada\nDate: 2024-03-01 09:15 +0000\n\nIt was the cable.\n" in document.text
    assert outlook_attachments(container(tree), Limits())[0].read() == b"a,b\n" * 2_000


def test_a_message_with_an_encrypted_workbook_attached_is_no_encrypted_workbook() -> None:
    workbook = container({"EncryptedPackage": b"x" * 5_000, "WordDocument": b"x"})
    tree = message(wide(0x1000, "Words."), attached(0, wide(0x3707, "a.xlsx"), binary(0x3701, workbook)))
    assert read(tree).media_type == "msg"


def test_a_sealed_message_is_encrypted_and_a_signed_one_is_read() -> None:
    with pytest.raises(EncryptedDocumentError):
        read(message(wide(0x001A, "IPM.Note.SMIME")))
    signed = b"Content-Type: multipart/signed; boundary=X\n\n--X\nContent-Type: text/plain\n\nSigned words.\n--X--\n"
    tree = message(wide(0x001A, "IPM.Note.SMIME.MultipartSigned"), attached(0, binary(0x3701, signed)))
    assert read(tree).text.endswith("\n\nSigned words.\n")
