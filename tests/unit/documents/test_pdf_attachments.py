"""Files attached to PDFs: their names, sizes and contents, within the limits."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pypdf
import pytest
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, StreamObject, TextStringObject

from docshelf.documents.pdf.attachments import pdf_attachments, with_attachments_read
from docshelf.documents.pdf.reader import parse_pdf
from docshelf.errors import DocumentTooLargeError, EncryptedDocumentError, ParseFailedError
from docshelf.settings import Limits
from tests.support.made_pdfs import pdf_of, show

SHARED = Path(__file__).parents[3] / "../shared/corpus"


def with_files(
    files: Sequence[tuple[str, bytes]], pinned: Sequence[tuple[str, bytes]] = (), password: str = ""
) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf_of([show("Some words", 72, 700)] * 2)))
    for name, content in files:
        writer.add_attachment(name, content)
    for name, content in pinned:
        _pin(writer, name, content)
    if password:
        writer.encrypt(password, password, algorithm="AES-256")
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def _pin(writer: pypdf.PdfWriter, name: str, content: bytes) -> None:
    stream = StreamObject()
    stream.set_data(content)
    stream[NameObject("/Subtype")] = NameObject("/text/plain")
    file = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Filespec"),
            NameObject("/F"): TextStringObject(name),
            NameObject("/UF"): TextStringObject(name),
            NameObject("/EF"): DictionaryObject({NameObject("/F"): writer._add_object(stream)}),
        }
    )
    annotation = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Annot"),
            NameObject("/Subtype"): NameObject("/FileAttachment"),
            NameObject("/Rect"): ArrayObject(map(FloatObject, (72, 600, 92, 620))),
            NameObject("/FS"): writer._add_object(file),
        }
    )
    writer.pages[1][NameObject("/Annots")] = ArrayObject([writer._add_object(annotation)])


def test_attached_and_pinned_files_are_given_with_name_size_and_content() -> None:
    data = with_files([("b.csv", b"1;2\n"), ("a.txt", b"words")], [("folder/note.txt", b"pinned words")])
    found = pdf_attachments(data, Limits())
    assert [(one.name, one.size, one.read()) for one in found] == [
        ("a.txt", 5, b"words"),
        ("b.csv", 4, b"1;2\n"),
        ("note.txt", 12, b"pinned words"),
    ]
    assert found[2].media_type == "text/plain"


def test_a_pdf_without_attachments_has_none() -> None:
    assert pdf_attachments(pdf_of([show("Some words", 72, 700)]), Limits()) == []


def test_attached_files_are_warned_of_until_they_are_read() -> None:
    document = parse_pdf(with_files([("a.txt", b"x")], [("b.txt", b"y")]), "made.pdf", Limits())
    assert document.warnings == ("2 attached files are not read.",)
    assert with_attachments_read(document).warnings == ()


def test_a_file_beyond_the_limit_is_named_and_not_read() -> None:
    (one,) = pdf_attachments(with_files([("large.bin", bytes(2_000))]), Limits(max_bytes=1_000))
    assert (one.name, one.size) == ("large.bin", 2_000)
    with pytest.raises(DocumentTooLargeError, match="2,000 bytes, more than the 1,000 of DOCSHELF_MAX_BYTES"):
        one.read()


def test_no_more_than_a_thousand_files_are_read() -> None:
    data = with_files([(f"{number:04}.txt", b"x") for number in range(1_005)])
    assert len(pdf_attachments(data, Limits())) == 1_000


def test_a_name_leads_into_no_folder() -> None:
    names = [one.name for one in pdf_attachments(with_files([("../../etc/pass\nwd", b"x"), ("..", b"y")]), Limits())]
    assert sorted(names) == ["attachment-1", "pass wd"]


def test_a_file_without_content_is_damaged() -> None:
    data = with_files([("a.txt", b"words")]).replace(b"/EF", b"/XX")
    (one,) = pdf_attachments(data, Limits())
    with pytest.raises(ParseFailedError, match="attached file is damaged"):
        one.read()


def test_attachments_of_a_sealed_or_broken_pdf_are_told_of_as_its_text_is() -> None:
    with pytest.raises(EncryptedDocumentError):
        pdf_attachments(with_files([("a.txt", b"x")], password="secret"), Limits())
    with pytest.raises(ParseFailedError):
        pdf_attachments(b"%PDF-1.7 nothing", Limits())


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared corpus is not beside the repository")
@pytest.mark.parametrize("file", ["s-with-attachment.pdf", "v-veraPDF_test_suite_6-8-t02-pass-b.pdf"])
def test_attachments_of_real_files_are_read(file: str) -> None:
    (one,) = pdf_attachments((SHARED / "files/pdf" / file).read_bytes(), Limits())
    assert len(one.read()) == one.size > 0
