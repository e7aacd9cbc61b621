import json
import re
from dataclasses import replace

import pytest

from docshelf.errors import InvalidArgumentError
from docshelf.mcp_server.listings import check_collection, collections_answer, documents_answer
from docshelf.mcp_server.shelf import Collection, DocumentPage, DocumentRecord, Overview, Progress
from docshelf.mcp_server.tokens import estimate
from docshelf.quality.record import Problem
from docshelf.states import State
from tests.support.memory_shelf import MOMENT, company_shelf

OVERVIEW = Overview((Collection("handbook", 1, 1), Collection("reports", 1, 3)), (), "none", "1")


def test_a_document_line_has_key_title_state_pages_chunks_and_dates() -> None:
    page = DocumentPage((DocumentRecord("a/b.pdf", "B", State.INDEXED, None, 3, 12, MOMENT, MOMENT),), total=1)
    assert documents_answer(page, None, 1_000).splitlines() == [
        "1 document: source | title | state | pages | chunks | dates",
        'a/b.pdf | "B" | indexed | 3 pages | 12 chunks | indexed 2026-11-02 | modified 2026-11-02',
    ]


def test_a_document_that_is_not_indexed_has_its_reason() -> None:
    page = DocumentPage((DocumentRecord("a.pdf", "", State.ENCRYPTED, "A password is needed."),))
    assert "a.pdf | encrypted (A password is needed.) | modified unknown" in documents_answer(page, None, 1_000)


def test_what_may_be_wrong_with_a_searchable_text_is_a_short_mark() -> None:
    marked = DocumentRecord("a.pdf", "A", State.INDEXED, problems=("glued words", "pages without text"))
    assert "| indexed (glued words, pages without text) |" in documents_answer(DocumentPage((marked,)), None, 1_000)
    plain = documents_answer(DocumentPage((replace(marked, problems=()),)), None, 1_000)
    everything = documents_answer(DocumentPage((replace(marked, problems=tuple(Problem)),)), None, 1_000)
    assert estimate(everything) - estimate(plain) <= 30


def test_no_documents_is_said() -> None:
    lines = documents_answer(DocumentPage(()), Progress(0, 4), 1_000).splitlines()
    assert lines[0] == "No documents match."
    assert lines[1].startswith("Indexing is under way: 0 of 4")


def test_more_documents_are_reached_by_the_cursor() -> None:
    shelf = company_shelf()
    page = shelf.list_documents(collection=None, path_prefix=None, state=None, after=None, limit=2)
    text = documents_answer(page, None, 1_000)
    assert text.startswith("2 documents of 4:")
    assert text.endswith('(more: list_documents with the same arguments and cursor="notes.txt")')


def test_a_list_that_is_too_long_is_cut_and_the_cursor_is_the_last_one_shown() -> None:
    records = tuple(DocumentRecord(f"docs/{number:04}.md", "A title", State.INDEXED) for number in range(500))
    text = documents_answer(DocumentPage(records), None, 2_000)
    assert estimate(text) <= 2_000
    shown = re.findall(r"^docs/(\d+)\.md", text, re.MULTILINE)
    assert 20 < len(shown) < 500
    assert text.endswith(f'cursor="docs/{shown[-1]}.md")')


@pytest.mark.parametrize("sign", ["\u202e", "\U000e0001", '"', "\U0001f426"])
def test_a_name_that_is_too_long_for_an_answer_does_not_end_the_list(sign: str) -> None:
    first, last = DocumentRecord("a.md", "A", State.INDEXED), DocumentRecord("z.md", "Z", State.INDEXED)
    overlong = DocumentRecord("m" + sign * 5_000, "M", State.INDEXED)
    before = documents_answer(DocumentPage((first, overlong, last)), None, 9_000)
    assert before.endswith('cursor="a.md")')
    behind = documents_answer(DocumentPage((overlong, last)), None, 9_000)
    assert "Left out: the documents whose names begin with" in behind
    assert estimate(behind) <= 9_000
    cursor = json.loads(behind.partition("cursor=")[2].removesuffix(")"))
    assert overlong.source < cursor < last.source
    assert len(cursor) > 300


def test_collections_are_listed_largest_first_with_the_states() -> None:
    overview = Overview(
        (Collection("small", 1, 2), Collection("big", 40, 2_000, MOMENT, (), ("en", "de"))),
        ((State.INDEXED, 41), (State.EMPTY, 2), (State.FAILED, 0)),
        "none",
        "1",
        Progress(43, 50),
    )
    lines = collections_answer(overview, 1_000).splitlines()
    assert lines[0] == "2 collections; documents by state: 41 indexed, 2 empty"
    assert lines[1].startswith("Indexing is under way")
    assert lines[2:] == [
        "big | 40 documents | 2,000 chunks | last indexed 2026-11-02 | languages en, de",
        "small | 1 document | 2 chunks",
    ]


def test_too_many_collections_are_counted_at_the_end() -> None:
    overview = Overview(tuple(Collection(f"team {n}", 1, 1) for n in range(5_000)), (), "none", "1")
    text = collections_answer(overview, 2_000)
    assert estimate(text) <= 2_000
    shown = len(re.findall("^team ", text, re.MULTILINE))
    assert text.endswith(f"(and {5_000 - shown} more collections)".replace("4", "4,", 1))


@pytest.mark.parametrize("name", ["handbook", "handbook/", " /handbook "])
def test_a_collection_is_known_by_its_name(name: str) -> None:
    assert check_collection(name, OVERVIEW) == "handbook"


def test_an_unknown_collection_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        check_collection("hand\nbook", OVERVIEW)
    assert caught.value.sentence == 'There is no collection "hand book"; there is "handbook", "reports".'


def test_of_many_collections_some_are_named() -> None:
    overview = Overview(tuple(Collection(f"c{number}", 1, 1) for number in range(1_040)), (), "none", "1")
    with pytest.raises(InvalidArgumentError, match=r'"c29" and 1,010 more \(see list_collections\)\.$'):
        check_collection("x", overview)


def test_an_empty_shelf_has_no_collection() -> None:
    assert check_collection(None, Overview((), (), "none", "1")) is None
    with pytest.raises(InvalidArgumentError, match="the shelf has none yet"):
        check_collection("x", Overview((), (), "none", "1"))
