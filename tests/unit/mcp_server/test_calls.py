import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.errors import IndexCorruptError
from docshelf.mcp_server.calls import answer_call, out_of_time, overview_for_texts
from docshelf.mcp_server.shelf import Progress
from tests.support.memory_shelf import MemoryShelf, company_shelf


def test_a_search_returns_the_passage_with_its_page() -> None:
    answer = answer_call(company_shelf(), "search_documents", {"query": "Harbour Bank loan", "collection": "reports"})
    assert not answer.is_error
    assert '[1] reports/annual.pdf | "Annual report" | page 2 |' in answer.text


def test_a_path_prefix_may_begin_with_a_slash() -> None:
    for prefix in ("/reports", "./reports/", "reports/a"):
        answer = answer_call(company_shelf(), "search_documents", {"query": "Bank", "path_prefix": prefix})
        assert answer.text.startswith("1 passage, best first.")


def test_a_search_without_hits_is_no_error() -> None:
    answer = answer_call(company_shelf(), "search_documents", {"query": "zebra"})
    assert not answer.is_error
    assert answer.text == "No passages found.\nNothing on the shelf matches the query."


def test_a_very_long_query_is_used_in_part_and_said_so() -> None:
    shelf = company_shelf()
    answer = answer_call(shelf, "search_documents", {"query": "Bank " * 20_000})
    assert not answer.is_error
    assert "Only the first 2,000 characters of the query were used." in answer.text
    assert len(shelf.queries[0]) == 2_000


@pytest.mark.parametrize("query", ["\x00Bank\x00", "Bank 🚀 \ud83d", '"Bank" AND (\'', "?!;--", "the of and"])
def test_an_odd_query_is_answered(query: str) -> None:
    shelf = company_shelf()
    assert not answer_call(shelf, "search_documents", {"query": query}).is_error
    assert "\x00" not in shelf.queries[0]
    assert shelf.queries[0].encode()


def test_a_document_is_read_to_its_end() -> None:
    answer = answer_call(company_shelf(), "get_document", {"source": "notes.txt"})
    assert "Call Harbour Bank on Monday." in answer.text


def test_documents_are_listed_by_state_and_cursor() -> None:
    shelf = company_shelf()
    assert "reports/scan.pdf" in answer_call(shelf, "list_documents", {"state": "empty"}).text
    text = answer_call(shelf, "list_documents", {"cursor": "notes.txt", "limit": 1}).text
    assert "reports/annual.pdf" in text
    assert 'cursor="reports/annual.pdf"' in text


def test_collections_are_listed_with_progress() -> None:
    shelf = company_shelf()
    shelf.progress = Progress(3, 9)
    text = answer_call(shelf, "list_collections", {}).text
    assert "3 of 9 documents" in text
    assert "handbook | 1 document | 1 chunk | last indexed 2026-11-02" in text


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("search", {}, 'There is no tool "search"; there are search_documents, get_document, list_documents, list_'),
        ("search_documents", {}, "query is missing: "),
        ("search_documents", {"query": "x", "limit": 0}, "limit must be a whole number from 1 to 20, not 0."),
        ("search_documents", {"query": "x", "collection": "zzz"}, 'There is no collection "zzz"; there is "general"'),
        ("get_document", {"source": "../etc/passwd"}, "There is no document with that source key"),
        ("get_document", {"source": "notes.txt", "from_page": 1, "from_line": 1}, "Give either from_page"),
    ],
)
def test_a_call_that_cannot_be_answered_is_one_sentence(tool: str, arguments: dict[str, object], sentence: str) -> None:
    answer = answer_call(company_shelf(), tool, arguments)
    assert answer.is_error
    assert answer.text.startswith(sentence)
    assert answer.text.isprintable()


def failing(error: BaseException) -> MemoryShelf:
    def fault(_method: str) -> None:
        raise error

    shelf = company_shelf()
    shelf.fault = fault
    return shelf


@pytest.mark.parametrize("tool", ["search_documents", "list_documents", "list_collections"])
def test_an_error_of_the_shelf_is_its_sentence(tool: str) -> None:
    broken = failing(IndexCorruptError("The index cannot be read; rebuild it."))
    answer = answer_call(broken, tool, {"query": "x"} if tool == "search_documents" else {})
    assert answer.is_error
    assert answer.text == "The index cannot be read; rebuild it."


class PanicError(BaseException):
    """As Rust's panics are in Python: no `Exception`."""


@pytest.mark.parametrize("kind", [ValueError, MemoryError, PanicError])
def test_an_unexpected_error_is_logged_without_its_text_and_answered_with_a_reference(
    caplog: pytest.LogCaptureFixture, kind: type[BaseException]
) -> None:
    with caplog.at_level(logging.ERROR, logger="docshelf"):
        answer = answer_call(failing(kind("the secret text")), "search_documents", {"query": "private words"})
    assert answer.is_error
    reference = answer.text.removesuffix(".").rsplit(" ", 1)[1]
    assert len(reference) == 8
    assert reference in caplog.text
    assert kind.__name__ in caplog.text
    assert "memory_shelf.py" in caplog.text
    assert "secret" not in answer.text + caplog.text
    assert "private words" not in answer.text + caplog.text


def test_after_a_panic_a_client_still_learns_the_tools(caplog: pytest.LogCaptureFixture) -> None:
    assert overview_for_texts(failing(PanicError("the secret text"))) is None
    assert "overview failed" in caplog.text
    assert "secret" not in caplog.text


def test_the_end_of_the_process_is_no_failure_of_a_tool() -> None:
    with pytest.raises(KeyboardInterrupt):
        answer_call(failing(KeyboardInterrupt()), "list_collections", {})


@given(
    tool=st.sampled_from(["search_documents", "get_document", "list_documents", "list_collections", "other"]),
    arguments=st.dictionaries(
        st.sampled_from(["query", "source", "collection", "path_prefix", "limit", "max_tokens", "cursor", "from_line"]),
        st.none() | st.text(max_size=60) | st.integers(-5, 10**6) | st.floats() | st.lists(st.text(), max_size=2),
    ),
)
def test_any_call_is_answered_with_text_that_can_be_sent(tool: str, arguments: dict[str, object]) -> None:
    answer = answer_call(company_shelf(), tool, arguments)
    assert answer.text.encode("utf-8")
    assert "fault in docshelf" not in answer.text


@pytest.mark.parametrize(("seconds", "shown"), [(24.9987, "25 seconds"), (0.2, "0.2 seconds"), (120, "120 seconds")])
def test_a_tool_without_an_answer_says_how_long_it_had(seconds: float, shown: str) -> None:
    answer = out_of_time("get_document", seconds)
    assert answer.error_code == "timed_out"
    assert answer.text.startswith(f"get_document had no answer within {shown}; ")
