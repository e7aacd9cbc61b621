import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.errors import InvalidArgumentError, NotFoundError
from docshelf.mcp_server.document_text import Range, document_answer
from docshelf.mcp_server.shelf import DocumentRecord, DocumentText, LineKind, Segment
from docshelf.mcp_server.tokens import estimate
from docshelf.mcp_server.tools import MIN_TOKENS
from docshelf.states import State
from tests.support.memory_shelf import MemoryShelf, StoredDocument, company_shelf


def read(shelf: MemoryShelf, source: str, wanted: Range, max_tokens: int = 8_000) -> str:
    wanted.check()
    document = shelf.get_document(
        source,
        from_page=wanted.from_page,
        to_page=wanted.to_page,
        from_line=wanted.from_line,
        to_line=wanted.to_line,
    )
    return document_answer(document, wanted, max_tokens)


def quotes(text: str) -> list[str]:
    announced = re.search(r"Text between <(quote-[a-z]+)> tags", text)
    assert announced
    mark = announced.group(1)
    return re.findall(rf"^<{mark}>\n(.*?)^</{mark}>$", text, re.DOTALL | re.MULTILINE)


def test_a_whole_text_file_is_one_quotation_with_its_lines() -> None:
    shelf = company_shelf()
    text = read(shelf, "handbook/delivery.md", Range())
    assert text.startswith('handbook/delivery.md | "Delivery guide" | indexed 2026-11-02, modified 2026-11-02\n')
    assert "\nlines 1-40:\n" in text
    assert quotes(text) == [shelf.documents[0].pages[0]]
    assert "continue" not in text


def test_each_page_is_a_quotation_of_its_own() -> None:
    shelf = company_shelf()
    text = read(shelf, "reports/annual.pdf", Range(from_page=2))
    assert "| 3 pages |" in text
    assert "\npage 2, text lines 3-4:\n" in text
    assert "\npage 3, text lines 5-6:\n" in text
    assert quotes(text) == list(shelf.documents[1].pages[1:])


def test_a_range_of_lines_names_the_lines_it_shows() -> None:
    text = read(company_shelf(), "handbook/delivery.md", Range(from_line=7, to_line=7))
    assert "\nline 7:\n" in text
    assert quotes(text) == ["Step 7: deliver the parcel to bay 7.\n"]


def test_pages_and_lines_together_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="not both"):
        Range(from_page=1, to_line=3).check()


@pytest.mark.parametrize("wanted", [Range(from_page=3, to_page=2), Range(from_line=3, to_line=2)])
def test_an_end_before_the_beginning_is_refused(wanted: Range) -> None:
    with pytest.raises(InvalidArgumentError, match=r"\(3\) must not be greater than to_.*\(2\)"):
        wanted.check()


def test_a_page_beyond_the_end_is_told_how_many_there_are() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^from_page is 9, but the document has 3 pages\.$"):
        read(company_shelf(), "reports/annual.pdf", Range(from_page=9))


def test_a_line_beyond_the_end_is_told_how_many_there_are() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^from_line is 41, but the document has 40 lines\.$"):
        read(company_shelf(), "handbook/delivery.md", Range(from_line=41))


def test_pages_of_a_text_file_are_refused_with_its_number_of_lines() -> None:
    with pytest.raises(InvalidArgumentError, match="no pages: use from_line and to_line instead; it has 40 lines"):
        read(company_shelf(), "handbook/delivery.md", Range(from_page=1))


def test_a_document_that_is_not_indexed_says_why() -> None:
    with pytest.raises(NotFoundError, match=r"no searchable text \(state: empty\): It has no text layer\.$"):
        read(company_shelf(), "reports/scan.pdf", Range(from_page=1))


def test_a_part_without_text_says_so() -> None:
    blank = MemoryShelf([StoredDocument("a.pdf", "A", ("text\n", ""), paged=True)])
    with pytest.raises(NotFoundError, match="There is no text in that part"):
        read(blank, "a.pdf", Range(from_page=2))


def follow(shelf: MemoryShelf, source: str, max_tokens: int, wanted: Range) -> list[str]:
    """The answers got by following every hint to the end."""
    answers = [read(shelf, source, wanted, max_tokens)]
    while (hint := re.search(r"from_line=(\d+)(?:, to_line=(\d+))?\)?.*\)$", answers[-1])) is not None:
        assert len(answers) < 200
        to_line = int(hint[2]) if hint[2] else None
        answers.append(read(shelf, source, Range(from_line=int(hint[1]), to_line=to_line), max_tokens))
    return answers


@pytest.mark.parametrize("paged", [True, False])
def test_following_the_hints_gives_the_whole_text(paged: bool) -> None:
    pages = tuple("".join(f"Page {page}, line {line}.\n" for line in range(50)) for page in range(6))
    shelf = MemoryShelf([StoredDocument("long/file 1", "Long", pages, paged=paged)])
    answers = follow(shelf, "long/file 1", 400, Range())
    assert len(answers) > 5
    assert "".join("".join(quotes(text)) for text in answers) == "".join(pages)
    assert 'get_document(source="long/file 1", from_line=' in answers[0]


def test_the_hint_keeps_the_end_asked_for() -> None:
    pages = tuple("A line of words.\n" * 100 for _ in range(3))
    shelf = MemoryShelf([StoredDocument("a.pdf", "A", pages, paged=True)])
    assert ", to_line=220)" in read(shelf, "a.pdf", Range(from_line=1, to_line=220), 500)
    assert "up to page 2)" in read(shelf, "a.pdf", Range(from_page=1, to_page=2), 500)
    assert quotes(follow(shelf, "a.pdf", 500, Range(to_line=220))[-1])[-1].count("\n") >= 1


def test_a_line_that_is_too_long_is_cut_and_the_hint_goes_past_it() -> None:
    shelf = MemoryShelf([StoredDocument("a.json", "A", ("x1" * 50_000 + "\nshort\n",))])
    text = read(shelf, "a.json", Range(), 400)
    assert "(line 1 is cut: it is longer than max_tokens allows)" in text
    assert quotes(read(shelf, "a.json", Range(from_line=2), 400)) == ["short\n"]
    assert "from_line=2)" in text


def test_a_last_line_that_is_cut_has_nothing_to_go_on_with() -> None:
    shelf = MemoryShelf([StoredDocument("a.json", "A", ("x1" * 50_000 + "\n",))])
    assert "continue" not in read(shelf, "a.json", Range(), 400)


def test_no_more_is_read_than_can_be_shown() -> None:
    taken = 0

    def endless() -> Iterator[Segment]:
        nonlocal taken
        while True:
            taken += 1
            yield Segment("some words on a line\n", taken, LineKind.FILE)

    record = DocumentRecord("a.txt", "A", State.INDEXED)
    assert "continue with" in document_answer(DocumentText(record, endless()), Range(), 300)
    assert taken < 1_000


WILD = st.text(st.characters(codec="utf-8"), max_size=200) | st.text("ab1 .\n語<>quote-", max_size=900)
LABELS = st.none() | st.text(max_size=40)


@given(
    source=WILD,
    title=WILD,
    parts=st.lists(st.tuples(WILD, st.integers(1, 3), LABELS), min_size=1, max_size=6),
    max_tokens=st.integers(MIN_TOKENS, 2_000),
)
def test_an_answer_stays_within_its_tokens_and_begins_with_the_text(
    source: str, title: str, parts: list[tuple[str, int, str | None]], max_tokens: int
) -> None:
    segments, line = [], 1
    for text, page, label in parts:
        segments.append(Segment(text, line, LineKind.TEXT, page, label))
        line += text.count("\n")
    record = DocumentRecord(source, title, State.INDEXED, pages=3)
    whole = "".join(text for text, _, _ in parts)
    if not whole:
        return
    answer = document_answer(DocumentText(record, segments, line), Range(), max_tokens)
    assert estimate(answer) <= max_tokens
    first = quotes(answer)[0]
    assert whole.startswith(first.removesuffix("\n"))
    assert first.strip("\n") or not whole.split("\n", 1)[0]
