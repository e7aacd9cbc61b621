"""Answering one tool call: arguments in, text out, every failure as one sentence."""

from __future__ import annotations

import logging
import secrets
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from docshelf.errors import DocshelfError, InvalidArgumentError, TimedOutError
from docshelf.mcp_server import tools
from docshelf.mcp_server.arguments import Arguments, parse
from docshelf.mcp_server.display import encodable, quoted
from docshelf.mcp_server.document_text import Range, document_answer
from docshelf.mcp_server.listings import check_collection, collections_answer, documents_answer
from docshelf.mcp_server.passages import search_answer
from docshelf.mcp_server.reports import ToolAnswer
from docshelf.mcp_server.shelf import Overview, Progress, SearchAnswer, Shelf
from docshelf.states import State

logger = logging.getLogger(__name__)

MAX_QUERY = 2_000


def answer_call(shelf: Shelf, name: str, given: Mapping[str, object]) -> ToolAnswer:
    """Run a tool and format its answer; blocks. No failure leaves this function but as a sentence."""
    tool = tools.TOOLS.get(name)
    if tool is None:
        sentence = f"There is no tool {quoted(name, 40)}; there are {', '.join(tools.TOOLS)}."
        return ToolAnswer(sentence, InvalidArgumentError.code)
    try:
        answer = _RUN[name](shelf, parse(name, tool.parameters, given))
        return replace(answer, text=encodable(answer.text))
    except DocshelfError as error:
        return ToolAnswer(encodable(error.sentence), error.code)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - the boundary: a client must get a sentence, the log what happened
        reference = _logged(name, error)
        sentence = (
            f"{name} failed because of a fault in docshelf; its log has the details under the reference {reference}."
        )
        return ToolAnswer(sentence, DocshelfError.code)


def out_of_time(name: str, seconds: float) -> ToolAnswer:
    """The answer of a tool that had none within `seconds`."""
    tool = name if name in tools.TOOLS else "The call"
    limit = f"{round(seconds, 1):g} seconds"
    error = TimedOutError(f"{tool} had no answer within {limit}; try again, or ask for less at a time.")
    return ToolAnswer(error.sentence, error.code)


def overview_for_texts(shelf: Shelf) -> Overview | None:
    """The overview, or None when it cannot be had just now: the client still learns the tools, which then say why."""
    try:
        return shelf.overview()
    except DocshelfError:
        return None
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - the boundary: a client must learn the tools, the log what happened
        _logged("overview", error)
        return None


def _logged(what: str, error: BaseException) -> str:
    """Log where `error` came from, without its message, which may hold document or query text; the reference.

    A panic of LanceDB is an error that is no `Exception`.
    """
    reference = secrets.token_hex(4)
    frames = "".join(traceback.format_tb(error.__traceback__))
    logger.error("%s failed, reference %s: %s\n%s", what, reference, type(error).__qualname__, frames)
    return reference


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gave, before it is made into text."""

    answer: SearchAnswer
    progress: Progress | None
    notes: tuple[str, ...]
    max_tokens: int

    def text(self) -> str:
        """The tool's answer."""
        return search_answer(self.answer, self.progress, self.max_tokens, self.notes)


def find_passages(shelf: Shelf, given: Mapping[str, object]) -> Found:
    """Search with the arguments of search_documents.

    Raises:
        DocshelfError: an argument cannot be used, or the shelf cannot be read.
    """
    tool = tools.TOOLS["search_documents"]
    return _find(shelf, parse(tool.name, tool.parameters, given))


def _find(shelf: Shelf, arguments: Arguments) -> Found:
    query = arguments.text("query") or ""
    notes = (f"Only the first {MAX_QUERY:,} characters of the query were used.",) if len(query) > MAX_QUERY else ()
    answer = shelf.search(
        _without_controls(query[:MAX_QUERY]),
        collection=_known_collection(shelf, arguments),
        path_prefix=_prefix(arguments.text("path_prefix")),
        limit=arguments.number("limit") or 5,
    )
    return Found(answer, shelf.indexing(), notes, arguments.number("max_tokens") or 4_000)


def _search_documents(shelf: Shelf, arguments: Arguments) -> ToolAnswer:
    found = _find(shelf, arguments)
    return ToolAnswer(found.text(), hits=len(found.answer.passages))


def _get_document(shelf: Shelf, arguments: Arguments) -> ToolAnswer:
    wanted = Range(
        arguments.number("from_page"),
        arguments.number("to_page"),
        arguments.number("from_line"),
        arguments.number("to_line"),
    )
    wanted.check()
    document = shelf.get_document(
        arguments.text("source") or "",
        from_page=wanted.from_page,
        to_page=wanted.to_page,
        from_line=wanted.from_line,
        to_line=wanted.to_line,
    )
    return ToolAnswer(document_answer(document, wanted, arguments.number("max_tokens") or 8_000))


def _list_documents(shelf: Shelf, arguments: Arguments) -> ToolAnswer:
    state = arguments.text("state")
    page = shelf.list_documents(
        collection=_known_collection(shelf, arguments),
        path_prefix=_prefix(arguments.text("path_prefix")),
        state=State(state) if state else None,
        after=arguments.text("cursor"),
        limit=arguments.number("limit") or 100,
    )
    return ToolAnswer(documents_answer(page, shelf.indexing(), tools.LIST_TOKENS))


def _list_collections(shelf: Shelf, _arguments: Arguments) -> ToolAnswer:
    return ToolAnswer(collections_answer(shelf.overview(), tools.LIST_TOKENS))


def _known_collection(shelf: Shelf, arguments: Arguments) -> str | None:
    """The collection asked for; only where one is, the overview is read, which may cost a scan of the documents."""
    name = arguments.text("collection")
    return None if name is None else check_collection(name, shelf.overview())


def _prefix(path: str | None) -> str | None:
    """Source keys never begin with a slash; callers often write one."""
    return path.removeprefix("./").lstrip("/") or None if path else None


def _without_controls(query: str) -> str:
    return "".join(character if character.isprintable() or character in "\n\t" else " " for character in query)


_RUN: Mapping[str, Callable[[Shelf, Arguments], ToolAnswer]] = {
    "search_documents": _search_documents,
    "get_document": _get_document,
    "list_documents": _list_documents,
    "list_collections": _list_collections,
}
