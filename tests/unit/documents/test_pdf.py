"""Reading PDF: pages and labels, outline, hyphens, states of files that cannot be searched."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf.constants import PageLabelStyle
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, TextStringObject
from reportlab.pdfgen.canvas import Canvas

from docshelf.documents.model import Document
from docshelf.documents.pdf.bookmarks import Entry
from docshelf.documents.pdf.outline import Headings
from docshelf.documents.pdf.reader import parse_pdf
from docshelf.documents.pdf.text import clean_pages
from docshelf.documents.tiling import tiles
from docshelf.errors import (
    DocumentTooLargeError,
    EmptyDocumentError,
    EncryptedDocumentError,
    ParseFailedError,
)
from docshelf.settings import Limits

SHARED = Path(__file__).parents[3] / "../shared/corpus"
Mark = tuple[int, int, str]


def made(pages: Sequence[str], outline: Sequence[Mark] = (), title: str = "", subject: str = "") -> bytes:
    """A PDF of `pages` (lines parted by line ends); `outline` has (page, level, title)."""
    written = io.BytesIO()
    canvas = Canvas(written)
    canvas.setTitle(title)
    canvas.setSubject(subject)
    for number, text in enumerate(pages, 1):
        for position, (page, level, heading) in enumerate(outline):
            if page == number:
                canvas.bookmarkPage(str(position))
                canvas.addOutlineEntry(heading, str(position), level)
        for line, content in enumerate(text.split("\n") if text else []):
            canvas.drawString(72, 750 - 20 * line, content)
        canvas.showPage()
    canvas.save()
    return written.getvalue()


def rewritten(
    data: bytes, password: str = "", owner_password: str | None = None, algorithm: str = "AES-256"
) -> pypdf.PdfWriter:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    if owner_password is not None:
        writer.encrypt(password, owner_password, algorithm=algorithm)
    return writer


def as_bytes(writer: pypdf.PdfWriter) -> bytes:
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def read(data: bytes, key: str = "reports/annual.pdf", limits: Limits | None = None) -> Document:
    document = parse_pdf(data, key, limits or Limits())
    assert tiles(document.blocks, len(document.text))
    return document


def by_page(document: Document) -> list[tuple[int | None, tuple[str, ...], str]]:
    return [(block.page, block.headings, document.text[block.start : block.end].strip()) for block in document.blocks]


def test_pages_count_from_one_as_they_lie_in_the_file() -> None:
    document = read(made(["The amber fact.", "", "The cobalt fact."]))
    assert by_page(document) == [(1, (), "The amber fact."), (3, (), "The cobalt fact.")]
    assert (document.pages, document.media_type, document.source_lines) == (3, "pdf", False)
    assert document.text == "The amber fact.\n\nThe cobalt fact.\n"


def test_lines_of_a_page_stay_lines() -> None:
    assert read(made(["First line\nsecond line"])).text == "First line\nsecond line\n"


def test_a_page_label_is_told_only_where_it_differs() -> None:
    writer = rewritten(made(["a", "b", "c", "d"]))
    writer.set_page_label(0, 1, PageLabelStyle.LOWERCASE_ROMAN)
    writer.set_page_label(2, 3, PageLabelStyle.DECIMAL, start=3)
    labels = [(block.page, block.page_label) for block in read(as_bytes(writer)).blocks]
    assert labels == [(1, "i"), (2, "ii"), (3, None), (4, None)]


def test_outline_entries_hold_from_the_line_that_shows_them() -> None:
    pages = [
        "Cover",
        "Part One\n1 Loans\nThe bank is North.\n2 Rates\n4.1 percent.",
        "More on rates.",
        "Part Two\nEnd.",
    ]
    outline = [(2, 0, "Part One"), (2, 1, "Loans"), (2, 1, "Rates"), (4, 0, "Part Two")]
    assert by_page(read(made(pages, outline))) == [
        (1, (), "Cover"),
        (2, ("Part One",), "Part One"),
        (2, ("Part One", "Loans"), "1 Loans\nThe bank is North."),
        (2, ("Part One", "Rates"), "2 Rates\n4.1 percent."),
        (3, ("Part One", "Rates"), "More on rates."),
        (4, ("Part Two",), "Part Two\nEnd."),
    ]


def test_an_entry_whose_title_is_not_on_the_page_holds_from_its_top_or_from_the_next_section() -> None:
    outline = [(1, 0, "Overview"), (1, 0, "Elsewhere"), (2, 0, "Last")]
    pages = ["Text without titles.", "Last\nwords", "after"]
    assert by_page(read(made(pages, outline))) == [
        (1, ("Overview",), "Text without titles."),
        (2, ("Last",), "Last\nwords"),
        (3, ("Last",), "after"),
    ]


def test_a_title_over_two_lines_is_found_and_the_text_before_it_keeps_the_old_heading() -> None:
    headings = Headings([Entry(0, "Old", 1), Entry(0, "A very long\x00title", 2), Entry(9, "Too deep", 2)])
    assert list(headings.sections(1, "Old\ntext")) == [(0, ("Old",))]
    text = "rest\nA very\nlong title\nnew"
    assert list(headings.sections(2, text)) == [(0, ("Old",)), (5, ("A very long title",))]


def test_an_outline_that_goes_in_a_circle_is_cut_with_a_warning() -> None:
    writer = rewritten(made(["The text."]))
    page = writer.pages[0].indirect_reference
    assert page is not None
    destination = ArrayObject([page, NameObject("/Fit")])
    entries = [DictionaryObject({NameObject("/Title"): TextStringObject(title)}) for title in ("Start", "End")]
    references = [writer._add_object(entry) for entry in entries]
    for entry, following in zip(entries, reversed(references), strict=True):
        entry[NameObject("/Dest")] = destination
        entry[NameObject("/Next")] = following
    root = DictionaryObject({NameObject("/First"): references[0], NameObject("/Count"): NumberObject(2)})
    writer.root_object[NameObject("/Outlines")] = writer._add_object(root)
    document = read(as_bytes(writer))
    assert by_page(document) == [(1, ("Start",), "The text.")]
    assert document.warnings == ("The outline goes in a circle or is too large; it was cut there.",)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Annual  report", "Annual report"),
        ("", "annual"),
        ("untitled", "annual"),
        ("(anonymous)", "(anonymous)"),
        ("Microsoft Word - report.doc", "annual"),
        ("report_final.docx", "annual"),
        ("C:\\Users\\x\\report", "annual"),
        ("/tmp/x", "annual"),
        ("Presentation1", "annual"),
        ("12-34", "annual"),
    ],
)
def test_a_title_that_a_program_filled_in_gives_way_to_the_file_name(title: str, expected: str) -> None:
    assert read(made(["x"], title=title)).title == expected


def test_the_subject_is_the_description() -> None:
    assert read(made(["x"], subject="How  we grew")).description == "How we grew"


def test_attached_files_are_told_of() -> None:
    writer = rewritten(made(["x"]))
    writer.add_attachment("a.csv", b"1")
    assert read(as_bytes(writer)).warnings == ("1 attached file is not read.",)
    writer.add_attachment("b.csv", b"2")
    assert read(as_bytes(writer)).warnings == ("2 attached files are not read.",)


@pytest.mark.parametrize(
    ("pages", "words"), [(1, r"\(1 page looks like a scan\)"), (3, r"\(3 pages look like scans\)")]
)
def test_a_pdf_without_text_layer_is_empty(pages: int, words: str) -> None:
    with pytest.raises(EmptyDocumentError, match=f"no text layer {words}; run OCR"):
        read(made([""] * pages))


def test_a_pdf_that_needs_a_password_is_encrypted() -> None:
    data = as_bytes(rewritten(made(["secret"]), "user", "owner"))
    with pytest.raises(EncryptedDocumentError, match="needs a password"):
        read(data)


@pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256-R5", "AES-256"])
def test_a_pdf_with_an_owner_password_only_is_read(algorithm: str) -> None:
    assert read(as_bytes(rewritten(made(["open"]), "", "owner", algorithm))).text == "open\n"


def test_an_unknown_protection_is_reported_as_encrypted() -> None:
    data = as_bytes(rewritten(made(["x"]), "", "owner")).replace(b"/Filter /Standard", b"/Filter /Unknown1")
    with pytest.raises(EncryptedDocumentError, match="protected"):
        read(data)


@pytest.mark.parametrize("data", [b"%PDF-1.7 nothing", b"", made(["x" * 50])[:400]])
def test_a_damaged_pdf_fails_with_a_sentence(data: bytes) -> None:
    with pytest.raises(ParseFailedError, match="damaged"):
        read(data)


def test_pages_that_fail_are_named_and_the_others_read() -> None:
    writer = rewritten(made([f"page {number}" for number in range(1, 4)]))
    tree = writer.root_object["/Pages"]
    assert isinstance(tree, DictionaryObject)
    kids = tree["/Kids"]
    assert isinstance(kids, ArrayObject)
    circle = DictionaryObject({NameObject("/Type"): NameObject("/Pages"), NameObject("/Count"): NumberObject(1)})
    reference = kids[2] = writer._add_object(circle)
    circle[NameObject("/Kids")] = ArrayObject([reference])
    document = read(as_bytes(writer))
    assert by_page(document) == [(1, (), "page 1"), (2, (), "page 2")]
    assert document.warnings == ("Page 3 could not be read.",)
    kids[0] = kids[1] = reference
    with pytest.raises(ParseFailedError, match="none of its pages"):
        read(as_bytes(writer))


def test_too_many_pages_and_too_much_text_are_refused_with_the_setting() -> None:
    data = made(["some words"] * 3)
    with pytest.raises(DocumentTooLargeError, match="DOCSHELF_MAX_PAGES"):
        read(data, limits=Limits(max_pages=2))
    with pytest.raises(DocumentTooLargeError, match="DOCSHELF_MAX_CHARACTERS"):
        read(data, limits=Limits(max_characters=20))


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("The co\x02ordinator keeps the configu\uffferation.", "The coordinator keeps the configuration."),
        ("until the re\x02election of the pre\x02emptive", "until the re-election of the pre-emptive"),
        ("a well-\r\nknown fact that is well-known", "a well-known fact that is well-known"),
        ("a data-\nbase, another database", "a database, another database"),
        ("North\x02South and A4\x02paper", "North-South and A4-paper"),
        ("soft\u00adhyphen and soft\u00ad\nhyphen", "softhyphen and softhyphen"),
        ("a list:\n- one\n- two", "a list:\n- one\n- two"),
        ("e\ufb03cient \ufb01le \ufb06yle", "efficient file style"),
        ("\u2f2f\u4f5c \uf98a x\u00b2 \u2460", "\u5de5\u4f5c \u529b x\u00b2 \u2460"),
        ("\ufee1\ufefc\ufeb3", "\u0645\u0644\u0627\u0633"),
        ("a\x0cb\x0bc\x07d\x00e\ufeff", "a\nb\ncde"),
        ("full\u00a0stop ½ ﹣", "full stop ½ ﹣"),
        ("lone \ud800 surrogate \U0001f680", "lone \ufffd surrogate \U0001f680"),
        ("  a  \r\n\r\n\r\n\r\n b ", "a\n\nb"),
        ("The\x02Technology\x02of\x02a\x02font", "The Technology of a font"),
    ],
)
def test_page_text_is_repaired(raw: str, cleaned: str) -> None:
    ordinary = "This line only makes the page as long as an ordinary page of text would be."
    if "Technology" in raw:
        assert clean_pages([raw]) == [cleaned]
    else:
        assert clean_pages([f"{ordinary}\r\n{ordinary}\r\n{raw}"]) == [f"{ordinary}\n{ordinary}\n{cleaned}"]


def test_a_word_of_very_many_letters_is_cleaned_in_the_time_that_it_takes_to_read() -> None:
    letters = "a" * 1_000_000
    assert clean_pages([f"{letters} of a chain-\nlink"]) == [f"{letters} of a chainlink"]


def test_a_word_split_over_several_lines_is_joined_throughout() -> None:
    long = "A long line of text that is there for its length only. "
    assert clean_pages([f"{long}{long}Donau\x02dampf\x02schiff"])[0].endswith("Donaudampfschiff")


def test_the_words_of_other_pages_decide_whether_a_hyphen_stays() -> None:
    long = "A long line of text that is there for its length only. "
    assert clean_pages([f"{long}co\x02operation", "co-operation"])[0].endswith("co-operation")
    assert clean_pages([f"{long}re\x02enter", "reenter"])[0].endswith("reenter")


@given(st.lists(st.text(max_size=40), min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_cleaned_text_has_no_control_character_and_keeps_its_letters(pages: list[str]) -> None:
    for cleaned, page in zip(clean_pages(pages), pages, strict=True):
        assert all(
            character.isprintable() or character == "\n" or ord(character) > 0x9F or character == "\t"
            for character in cleaned
        )
        assert sum(map(str.isdigit, cleaned)) == sum(map(str.isdigit, page))


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared corpus is not beside the repository")
def test_real_files_end_in_the_right_state() -> None:
    ends: dict[str, list[str]] = {}
    for file in sorted(SHARED.glob("files/pdf/*.pdf")):
        try:
            read(file.read_bytes(), file.name)
        except (EmptyDocumentError, EncryptedDocumentError, ParseFailedError) as error:
            ends.setdefault(error.code, []).append(file.name)
    assert ends["empty"] == [
        "j-GHOSTSCRIPT-698804-1-fuzzed.pdf",
        "j-arial_unicode_ab_cidfont.pdf",
        "j-empty#hash.pdf",
        "p-git.pdf",
        "s-imagemagick-CCITTFaxDecode.pdf",
        "s-imagemagick-images.pdf",
        "v-veraPDF_test_suite_6-3-8-t01-pass-b.pdf",
        "v-veraPDF_test_suite_6-8-2-2-t01-pass-a.pdf",
        "v-veraPDF_test_suite_6-8-t02-pass-a.pdf",
    ]
    assert ends["encrypted"] == [
        "c-health_protected.pdf",
        "l-password-example.pdf",
        "p-r4-aes-user-password.pdf",
        "s-libreoffice-writer-password.pdf",
        "x-user-pw.pdf",
    ]
    assert ends["parse_failed"] == [
        "j-REDHAT-1531897-0.pdf",
        "j-poppler-395-0-fuzzed.pdf",
        "j-poppler-742-0-fuzzed.pdf",
        "j-poppler-937-0-fuzzed.pdf",
        "x-html-named-pdf.pdf",
        "x-tracemonkey-truncated-60pct.pdf",
    ]
