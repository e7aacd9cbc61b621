"""EPUB: chapters in the order of the spine, their titles, the book's own, and books that cannot be read."""

from __future__ import annotations

import pytest

from docshelf.documents import Document, parse
from docshelf.errors import DocumentTooLargeError, EmptyDocumentError, EncryptedDocumentError, ParseFailedError
from docshelf.settings import Limits
from tests.support.office_files import book_parts, package

METADATA = (
    "<dc:title>The Harbour</dc:title><dc:creator>Ada L.</dc:creator><dc:creator>Bo</dc:creator>"
    "<dc:description>&lt;p&gt;About ships&lt;/p&gt;</dc:description>"
)


def read(parts: dict[str, str | bytes], limits: Limits | None = None) -> Document:
    return parse(package(parts), "book.epub", limits or Limits())


def test_chapters_are_read_in_the_order_of_the_spine() -> None:
    chapters = {
        "z.xhtml": "<h1>First</h1><p>One.</p><h2>Inner</h2><p>More.</p>",
        "a.xhtml": "<h1>Second</h1><p>Two.</p>",
    }
    document = read(book_parts(chapters, metadata=METADATA))
    assert document.text == "# First\n\nOne.\n\n## Inner\n\nMore.\n\n# Second\n\nTwo.\n"
    assert document.blocks[-1].headings == ("Second",)
    assert (document.title, document.description) == ("The Harbour", "By Ada L., Bo – About ships")
    assert document.media_type == "epub"


def test_a_chapter_without_a_heading_takes_its_title_from_the_contents() -> None:
    contents = '<a href="part%201.xhtml#top">Arrival</a>'
    parts = book_parts({"part 1.xhtml": "<p>Words.</p>"}, contents=contents)
    document = read(parts)
    assert document.text == "# Arrival\n\nWords.\n"
    assert document.blocks[1].headings == ("Arrival",)


def test_the_contents_of_older_books_are_read_too() -> None:
    parts = book_parts({"a.xhtml": "<p>Words.</p>"})
    item = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>'
    parts["OEBPS/book.opf"] = str(parts["OEBPS/book.opf"]).replace("</manifest>", item)
    parts["OEBPS/toc.ncx"] = (
        '<!DOCTYPE ncx PUBLIC "ncx" "x"><ncx><navPoint><navLabel><text>Arrival</text></navLabel>'
        '<content src="a.xhtml"/></navPoint></ncx>'
    )
    assert read(parts).text == "# Arrival\n\nWords.\n"


def test_elements_that_are_closed_at_once_do_not_swallow_what_follows() -> None:
    body = '<p>One<a id="x"/> two.</p><script src="x"/><p class="a"/><i/><p>Three<br/>four.</p>'
    assert read(book_parts({"a.xhtml": body})).text == "One two.\n\nThree\nfour.\n"


def test_a_missing_chapter_is_told_and_the_others_are_read() -> None:
    parts = book_parts({"a.xhtml": "<p>Words.</p>", "b.xhtml": "<p>Gone.</p>"})
    del parts["OEBPS/b.xhtml"]
    document = read(parts)
    assert (document.text, len(document.warnings)) == ("Words.\n", 1)


@pytest.mark.parametrize(
    ("method", "readable"),
    [("http://www.idpf.org/2008/embedding", True), ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", False)],
)
def test_a_protected_book_is_encrypted_and_one_with_disguised_fonts_is_not(method: str, *, readable: bool) -> None:
    parts = book_parts({"a.xhtml": "<p>Words.</p>"})
    entry = f'<e:EncryptedData><e:EncryptionMethod Algorithm="{method}"/></e:EncryptedData>'
    parts["META-INF/encryption.xml"] = f'<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#">{entry}</encryption>'
    if readable:
        assert read(parts).text == "Words.\n"
    else:
        with pytest.raises(EncryptedDocumentError, match="rights"):
            read(parts)


def test_a_book_without_its_parts_says_so() -> None:
    with pytest.raises(ParseFailedError, match="missing"):
        read({"mimetype": "application/epub+zip", "META-INF/other.xml": "<a/>"})
    with pytest.raises(EmptyDocumentError):
        read(book_parts({}))
    with pytest.raises(DocumentTooLargeError):
        read(book_parts({"a.xhtml": f"<p>{'word ' * 99}</p>"}), Limits(max_characters=100))
