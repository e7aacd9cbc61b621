"""The shelf over a real index with the real packaged model."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.pdfgen import canvas

from docshelf.embedding.embedder import Embedder
from docshelf.errors import InvalidArgumentError, NotFoundError
from docshelf.index.filters import Filters
from docshelf.index.records import CollectionContents
from docshelf.index.store import Index
from docshelf.mcp_server.calls import answer_call
from docshelf.mcp_server.shelf import DocumentText, LineKind, Overview, Progress, SearchAnswer
from docshelf.search.shelf import IndexShelf
from docshelf.search.shelves import Shelves
from docshelf.states import State
from tests.support.indexed_folder import IndexedFolder, new_index


def guide() -> str:
    """A document with everything that makes line counting hard."""
    steps = "".join(f"{number}. Turn screw {number} by {number} degrees.\n" for number in range(1, 40))
    code = "".join(f"    measure(river={number}, unit='cm')\n\n" for number in range(30))
    rows = "".join(f"| gauge {number} | {number} m |\n" for number in range(40))
    return (
        "\n\n# Gauge guide\n\n\n\nHow to set up a gauge.\n\n\n## Screws\n\n"
        + steps
        + "\n\n \n\t\n## Program\n\n```python\n"
        f"{code}```\n\n## Empty section\n\n## Table\n\n| Name | Height |\n|---|---|\n{rows}\n\n"
        f"{'A long paragraph about water levels. ' * 60}\n\nLast line, then blank ones.\n\n\n\n"
    )


def pdf(pages: list[str]) -> bytes:
    out = io.BytesIO()
    sheet = canvas.Canvas(out)
    for page in pages:
        text = sheet.beginText(72, 720)
        for line in page.splitlines():
            text.textLine(line)
        sheet.drawText(text)
        sheet.showPage()
    sheet.save()
    return out.getvalue()


PAGES = [
    "Annual report\n\nThe year was good for the company and its gauges.",
    "Financing\n\nThe loan was provided by Harbour Bank at a rate of 4.1 percent.",
    "Outlook\n\nThe next year will bring a radar gauge.",
]

FILES: dict[str, str] = {
    "guides/gauge.md": guide(),
    "guides/windows.md": "# Windows line ends\r\n\r\nOne line.\r\n\r\nAnother line.\r\n",
    "guides/no-end.txt": "First line\n\n  third line, indented\nno line end here",
    "guides/front.md": "---\ntitle: Front matter\n---\n# Front\n\nThe keeper of the lighthouse is Ms Holm.\n",
    "notes/README.md": "# Notes\n\nCall Harbour Bank on Monday about the mortgage.\n",
    "notes/退货说明.md": "# 退货说明\n\n客户收到仪器后三十天内可以退货。\n",
    "notes/empty.md": " \n\n",
    "poor/spread.txt": "T h e h a r b o u r l i e s a t t h e m o u t h o f t h e r i v e r\n",
    "page.html": "<html><title>Backup</title><body><h1>Backup</h1><p>The backup runs at 02:15.</p>"
    "<h2>Restore</h2><p>Restoring takes an hour.</p></body></html>",
}


@dataclass(frozen=True, slots=True)
class Shelved:
    """The shelf of `FILES` and a report, and the folder behind it."""

    folder: IndexedFolder
    shelf: IndexShelf

    def get(
        self,
        source: str,
        *,
        lines: tuple[int | None, int | None] = (None, None),
        pages: tuple[int | None, int | None] = (None, None),
    ) -> DocumentText:
        return self.shelf.get_document(
            source, from_page=pages[0], to_page=pages[1], from_line=lines[0], to_line=lines[1]
        )

    def search(
        self, query: str, *, collection: str | None = None, prefix: str | None = None, limit: int = 5
    ) -> SearchAnswer:
        return self.shelf.search(query, collection=collection, path_prefix=prefix, limit=limit)


@pytest.fixture(scope="module")
def shelved(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Shelved:
    made = new_index(tmp_path_factory.mktemp("shelf"), embedder, FILES)
    made.write("reports/annual.pdf", pdf(PAGES))
    made.scan()
    return Shelved(made, made.shelf)


def text_of(document: DocumentText) -> str:
    return "".join(segment.text for segment in document.segments)


# -- overview ------------------------------------------------------------------------------------------------------


def test_the_overview_counts_collections_states_and_names_the_model(shelved: Shelved) -> None:
    overview = shelved.shelf.overview()
    assert [(one.name, one.documents) for one in overview.collections] == [
        ("general", 1),
        ("guides", 4),
        ("notes", 2),
        ("poor", 1),
        ("reports", 1),
    ]
    assert dict(overview.states) == {State.INDEXED: 9, State.EMPTY: 1}
    assert overview.model == "all-minilm-l6-v2"
    guides = overview.collections[1]
    assert guides.chunks == sum(len(shelved.folder.index.chunks_of(key)) for key in FILES if key.startswith("guides/"))
    assert guides.titles == ("Front matter", "Gauge guide", "no-end")
    assert guides.last_indexed is not None
    assert overview.progress is None
    assert [one.languages for one in overview.collections] == [(), (), ("zh",), (), ("en",)]


def test_what_may_be_wrong_with_a_text_is_told_beside_its_state(shelved: Shelved) -> None:
    page = shelved.shelf.list_documents(collection=None, path_prefix=None, state=State.INDEXED, after=None, limit=20)
    assert {one.source: one.problems for one in page.documents if one.problems} == {"poor/spread.txt": ("split words",)}
    listed = answer_call(shelved.shelf, "list_documents", {"collection": "poor"}).text
    assert 'poor/spread.txt | "spread" | indexed (split words) | 1 chunk' in listed


class CountingIndex(Index):
    """The real index, which counts how often it was looked at and how often everything in it was read."""

    looks = 0
    reads = 0

    def latest(self) -> CountingIndex:
        self.looks += 1
        self.refresh()
        return self

    def contents(self, titles: int) -> list[CollectionContents]:
        self.reads += 1
        return super().contents(titles)


def test_the_overview_is_read_again_only_after_a_commit(tmp_path: Path, embedder: Embedder) -> None:
    made = new_index(tmp_path, embedder, {"a/one.md": "# One\n\nText.\n"})
    made.scan()
    index = CountingIndex.open(made.root)
    shelves = Shelves(index.latest, embedder)
    first = shelves.for_caller().overview()
    assert shelves.for_caller().overview() == first
    assert shelves.for_caller(frozenset("b")).overview().collections == ()
    assert index.reads == 1
    made.write("b/two.md", "# Two\n\nText.\n")
    made.scan()
    later = shelves.for_caller().overview()
    assert index.reads == 2
    assert [one.name for one in later.collections] == ["a", "b"]
    assert later.index_version != first.index_version


def test_progress_is_asked_for_each_time(shelved: Shelved, embedder: Embedder) -> None:
    moments = iter([Progress(1, 2), None, Progress(2, 3)])
    shelves = Shelves(shelved.folder.latest, embedder, lambda: next(moments))
    seen: list[Overview] = [shelves.for_caller().overview() for _ in range(2)]
    assert [overview.progress for overview in seen] == [Progress(1, 2), None]
    assert shelves.for_caller().indexing() == Progress(2, 3)


def test_a_request_looks_at_the_index_once_and_only_if_it_must(tmp_path: Path, embedder: Embedder) -> None:
    made = new_index(tmp_path, embedder, {"a/one.md": "# One\n\nText.\n"})
    made.scan()
    index = CountingIndex.open(made.root)
    shelf = Shelves(index.latest, embedder).for_caller()
    assert shelf.indexing() is None
    assert (index.looks, shelf.index_version) == (0, None)
    for name, arguments in (
        ("search_documents", {"query": "text", "collection": "a"}),
        ("get_document", {"source": "a/one.md"}),
        ("list_documents", {"collection": "a"}),
        ("list_collections", {}),
    ):
        assert not answer_call(shelf, name, arguments).is_error
    assert (index.looks, shelf.index_version) == (1, index.version)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search_documents", {"query": "text"}),
        ("get_document", {"source": "a/one.md"}),
        ("list_documents", {}),
    ],
)
def test_a_tool_that_needs_no_overview_does_not_read_everything(
    tmp_path: Path, embedder: Embedder, name: str, arguments: dict[str, object]
) -> None:
    made = new_index(tmp_path, embedder, {"a/one.md": "# One\n\nText.\n"})
    made.scan()
    index = CountingIndex.open(made.root)
    assert not answer_call(Shelves(index.latest, embedder).for_caller(), name, arguments).is_error
    assert index.reads == 0


def test_a_commit_is_seen_by_the_next_request(tmp_path: Path, embedder: Embedder) -> None:
    made = new_index(tmp_path, embedder, {"a/one.md": "# One\n\nText.\n"})
    made.scan()
    shelves = Shelves(CountingIndex.open(made.root).latest, embedder)
    shelves.for_caller().overview()
    made.write("a/two.md", "# Two\n\nMore.\n")
    made.scan()
    assert "a/two.md" in answer_call(shelves.for_caller(), "list_documents", {}).text
    assert shelves.for_caller().overview().collections[0].titles == ("One", "Two")


# -- search --------------------------------------------------------------------------------------------------------


def test_a_question_finds_the_page_that_answers_it(shelved: Shelved) -> None:
    best = shelved.search("Which bank gave the company a loan?").passages[0]
    assert (best.source, best.page, best.lines, best.text_lines) == ("reports/annual.pdf", 2, None, None)
    assert "Harbour Bank" in best.text


def test_a_passage_of_a_text_file_has_the_lines_of_the_file(shelved: Shelved) -> None:
    best = shelved.search("Who keeps the lighthouse?").passages[0]
    assert best.source == "guides/front.md"
    assert best.lines is not None
    lines = FILES["guides/front.md"].split("\n")[best.lines[0] - 1 : best.lines[1]]
    assert "\n".join(lines) == best.text
    assert best.headings == ("Front",)
    assert best.title == "Front matter"


def test_a_passage_of_html_has_lines_of_its_text(shelved: Shelved) -> None:
    best = shelved.search("when does the backup run").passages[0]
    assert best.source == "page.html"
    assert best.lines is None
    assert best.text_lines is not None
    assert text_of(shelved.get("page.html", lines=best.text_lines)).strip() == best.text


def test_a_query_in_chinese_finds_the_chinese_document(shelved: Shelved) -> None:
    assert shelved.search("退货").passages[0].source == "notes/退货说明.md"


def test_a_search_stays_within_its_collection_and_prefix(shelved: Shelved) -> None:
    everywhere = {passage.source for passage in shelved.search("Harbour Bank", limit=10).passages}
    assert {"notes/README.md", "reports/annual.pdf"} <= everywhere
    inside = shelved.search("Harbour Bank", collection="notes", limit=10).passages
    assert inside[0].source == "notes/README.md"
    assert {passage.source.split("/")[0] for passage in inside} == {"notes"}
    below = shelved.search("Harbour Bank", prefix="reports/an", limit=10).passages
    assert {passage.source for passage in below} == {"reports/annual.pdf"}
    assert shelved.search("Harbour Bank", collection="notes", prefix="reports/").passages == ()


def test_a_search_gives_as_many_passages_as_asked_for(shelved: Shelved) -> None:
    assert len(shelved.search("gauge", limit=1).passages) == 1
    found = shelved.search("gauge", limit=3).passages
    assert len(found) == 3
    scores = [passage.score for passage in found]
    assert scores == sorted(scores, reverse=True)


def test_neighbours_without_a_word_of_the_query_come_with_a_warning(shelved: Shelved) -> None:
    answer = shelved.search("a lender beside the wharf")
    assert answer.passages
    assert answer.message is not None
    assert answer.message.startswith("No document holds a word of this query")
    assert shelved.search("Harbour Bank").message is None


@pytest.mark.parametrize(
    ("query", "prefix"),
    [("Harbour Bank", "nothing/here"), ("zxqvy blorpt", None), ("the year when sulphur volcanoes erupted", None)],
    ids=["nothing there", "no word", "a word in another subject"],
)
def test_nothing_relevant_is_said_and_not_guessed(query: str, prefix: str | None, shelved: Shelved) -> None:
    answer = shelved.search(query, prefix=prefix)
    assert answer.passages == ()
    assert answer.message is not None
    assert answer.message.startswith("Nothing relevant was found")


@pytest.mark.parametrize("query", ["?!.,;:—", "🎉🎉", "\0", "   ", '""', "``", "---", "(){}[]"])
def test_a_query_without_words_is_one_sentence(shelved: Shelved, query: str) -> None:
    answer = shelved.search(query)
    assert answer.passages == ()
    assert answer.message == "The query holds no words to search for; ask a question or give a name."


@pytest.mark.parametrize(
    "query",
    [
        "the of and",
        "bank " * 20_000,
        "x" * 100_000,
        "Harbour\0Bank",
        "Harbour 🎉 Bank",
        '"Harbour Bank"',
        "'Harbour' \"Bank",
        "Harbour AND (Bank OR NOT loan) ^2 ~3 source:* \\",
        "-- '; DROP TABLE chunks; --",
        "\ud800 Bank",
        "A" * 50 + "́" * 3_000,
    ],
    ids=lambda query: repr(query[:20]),
)
def test_a_strange_query_gets_an_answer_or_a_sentence(shelved: Shelved, query: str) -> None:
    answer = shelved.search(query)
    assert answer.passages or answer.message
    if "Bank" in query and "Harbour" in query:
        assert "Harbour Bank" in answer.passages[0].text


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_query(shelved: Shelved, query: str) -> None:
    answer = shelved.search(query)
    assert answer.passages or answer.message


# -- reading -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["guides/gauge.md", "guides/windows.md", "guides/no-end.txt", "notes/README.md"])
def test_the_segments_joined_are_the_file(shelved: Shelved, key: str) -> None:
    document = shelved.get(key)
    assert text_of(document) == FILES[key].replace("\r\n", "\n")
    assert document.record.source == key
    assert document.record.state is State.INDEXED
    assert document.lines == len(FILES[key].splitlines())


@pytest.mark.parametrize("key", ["guides/gauge.md", "guides/no-end.txt", "guides/windows.md"])
def test_any_range_of_lines_is_exactly_those_lines_of_the_file(shelved: Shelved, key: str) -> None:
    lines = FILES[key].replace("\r\n", "\n").splitlines(keepends=True)
    generator = random.Random(7)
    bounds: list[tuple[int | None, int | None]] = [
        (None, None),
        (1, 1),
        (1, len(lines)),
        (len(lines), None),
        (None, 3),
        (2, 10_000),
    ]
    for _ in range(40):
        first = generator.randint(1, len(lines))
        bounds.append((first, generator.randint(first, len(lines))))
    for begin, end in bounds:
        document = shelved.get(key, lines=(begin, end))
        segments = list(document.segments)
        assert "".join(segment.text for segment in segments) == "".join(lines[(begin or 1) - 1 : end])
        line = begin or 1
        for segment in segments:
            assert (segment.first_line, segment.line_kind, segment.page) == (line, LineKind.FILE, None)
            line += segment.text.count("\n")


@pytest.mark.parametrize("bounds", [(500, None), (500, 600)])
def test_a_range_behind_the_end_gives_nothing(shelved: Shelved, bounds: tuple[int, int | None]) -> None:
    assert list(shelved.get("guides/gauge.md", lines=bounds).segments) == []
    assert list(shelved.get("reports/annual.pdf", pages=bounds).segments) == []


def test_lines_of_a_document_with_front_matter_count_in_the_file(shelved: Shelved) -> None:
    lines = FILES["guides/front.md"].splitlines(keepends=True)
    assert text_of(shelved.get("guides/front.md", lines=(4, 6))) == "".join(lines[3:6])
    assert text_of(shelved.get("guides/front.md", lines=(6, 6))) == lines[5]
    whole = shelved.get("guides/front.md")
    assert next(iter(whole.segments)).first_line == 4
    assert whole.lines == 6


@pytest.mark.parametrize(
    ("bounds", "pages"),
    [((None, None), [1, 2, 3]), ((2, 2), [2]), ((2, None), [2, 3]), ((None, 1), [1])],
)
def test_a_report_is_read_by_pages(shelved: Shelved, bounds: tuple[int | None, int | None], pages: list[int]) -> None:
    segments = list(shelved.get("reports/annual.pdf", pages=bounds).segments)
    assert list(dict.fromkeys(segment.page for segment in segments)) == pages
    for page in pages:
        text = "".join(segment.text for segment in segments if segment.page == page)
        assert text.split() == PAGES[page - 1].split()
    assert {segment.line_kind for segment in segments} == {LineKind.TEXT}


def test_the_record_of_a_report_tells_its_pages(shelved: Shelved) -> None:
    record = shelved.get("reports/annual.pdf").record
    assert (record.pages, record.state, record.reason) == (3, State.INDEXED, None)


def test_html_is_read_by_lines_of_its_text(shelved: Shelved) -> None:
    whole = shelved.get("page.html")
    lines = text_of(whole).splitlines(keepends=True)
    assert "The backup runs at 02:15.\n" in lines
    assert {segment.line_kind for segment in shelved.get("page.html").segments} == {LineKind.TEXT}
    for number, line in enumerate(lines, start=1):
        assert text_of(shelved.get("page.html", lines=(number, number))) == line


def test_a_document_without_text_has_a_record_and_no_segments(shelved: Shelved) -> None:
    document = shelved.get("notes/empty.md")
    assert document.record.state is State.EMPTY
    assert document.record.reason
    assert document.record.title == "notes/empty.md"
    assert (list(document.segments), document.lines) == ([], None)


@pytest.mark.parametrize(
    "source",
    ["guides/gone.md", "guides", "", "guides/gauge.md ", "../etc/passwd", "x" * 100_000, "a'b", "\ud800", "\0"],
)
def test_an_unknown_source_is_refused_in_one_sentence(shelved: Shelved, source: str) -> None:
    with pytest.raises(NotFoundError, match="list_documents") as caught:
        shelved.get(source)
    assert len(caught.value.sentence) < 1_000


def test_pages_of_a_document_without_pages_are_refused(shelved: Shelved) -> None:
    with pytest.raises(InvalidArgumentError, match=r"no pages.*from_line"):
        shelved.get("guides/gauge.md", pages=(1, 1))


# -- listing -------------------------------------------------------------------------------------------------------


def keys_of(read: Callable[[str | None], tuple[list[str], bool]]) -> list[str]:
    """All keys of a listing, page by page."""
    keys: list[str] = []
    more = True
    while more:
        page, more = read(keys[-1] if keys else None)
        assert page or not more
        keys += page
    return keys


@pytest.mark.parametrize("limit", [1, 2, 9, 100])
@pytest.mark.parametrize(
    ("collection", "prefix", "state"),
    [
        (None, None, None),
        ("guides", None, None),
        (None, "notes/R", None),
        (None, None, State.EMPTY),
        ("nothing", None, None),
    ],
)
def test_paging_gives_each_document_once_in_order(
    shelved: Shelved, limit: int, collection: str | None, prefix: str | None, state: State | None
) -> None:
    def read(after: str | None) -> tuple[list[str], bool]:
        page = shelved.shelf.list_documents(
            collection=collection, path_prefix=prefix, state=state, after=after, limit=limit
        )
        assert len(page.documents) <= limit
        return [document.source for document in page.documents], page.more

    whole = shelved.folder.index.documents(Filters(None if collection is None else (collection,), prefix), state)
    assert keys_of(read) == [document.source for document in whole]
    if not (collection or prefix or state):
        assert len(whole) == len(FILES) + 1


def test_a_listing_tells_state_reason_and_counts(shelved: Shelved) -> None:
    page = shelved.shelf.list_documents(collection="notes", path_prefix=None, state=None, after=None, limit=10)
    empty = next(document for document in page.documents if document.source == "notes/empty.md")
    assert (empty.state, empty.chunks, empty.pages) == (State.EMPTY, 0, None)
    assert empty.reason
    readme = next(document for document in page.documents if document.source == "notes/README.md")
    assert (readme.title, readme.state, readme.reason) == ("Notes", State.INDEXED, None)
    assert readme.modified_at is not None
    assert readme.indexed_at is not None
