"""The answers of list_documents and list_collections: one line each, within a number of tokens."""

from __future__ import annotations

from docshelf.errors import InvalidArgumentError
from docshelf.mcp_server.display import argument, clean, count, date, key, quoted
from docshelf.mcp_server.shelf import Collection, DocumentPage, DocumentRecord, Overview, Progress
from docshelf.mcp_server.texts import progress_sentence
from docshelf.mcp_server.tokens import NEWLINE, Answer, clip, cost
from docshelf.states import State

_MAX_TITLE = 80
_MAX_REASON = 160
_MAX_PROBLEMS = 80
_MAX_NAMES = 30
_LAST = "\U0010ffff"


def documents_answer(page: DocumentPage, progress: Progress | None, max_tokens: int) -> str:
    """The documents with their state, and the cursor to go on with where more follow."""
    result = Answer(max_tokens)
    total = f" of {page.total:,}" if page.total is not None and page.total > len(page.documents) else ""
    if page.documents:
        result.add(f"{count(len(page.documents), 'document')}{total}: source | title | state | pages | chunks | dates")
    else:
        result.add("No documents match.")
    if sentence := progress_sentence(progress):
        result.add(sentence)
    shown: DocumentRecord | None = None
    cut = False
    for document in page.documents:
        line = _document(document)
        if cost(line) + NEWLINE + cost(_next(document)) > result.room:
            cut = True
            if shown is None:
                _add_overlong(result, document.source)
            break
        result.add(line)
        shown = document
    if shown is not None and (cut or page.more):
        result.add(_next(shown))
    return result.text()


def collections_answer(overview: Overview, max_tokens: int) -> str:
    """The collections, largest first, and how many documents are in which state."""
    result = Answer(max_tokens)
    collections = sorted(overview.collections, key=lambda item: (-item.documents, item.name))
    states = ", ".join(f"{number:,} {state}" for state, number in overview.states if number)
    result.add(f"{count(len(collections), 'collection')}" + (f"; documents by state: {states}" if states else ""))
    if sentence := progress_sentence(overview.progress):
        result.add(sentence)
    for index, collection in enumerate(collections):
        rest = f"(and {count(len(collections) - index, 'more collection')})"
        line = _collection(collection)
        if cost(line) + NEWLINE + cost(rest) > result.room:
            result.add(rest)
            break
        result.add(line)
    return result.text()


def check_collection(name: str | None, overview: Overview) -> str | None:
    """The collection meant by `name`, None for None; a trailing slash is forgiven.

    Raises:
        InvalidArgumentError: there is no such collection; the sentence names those that there are.
    """
    if name is None:
        return None
    names = [collection.name for collection in overview.collections]
    for candidate in (name, name.strip().strip("/")):
        if candidate in names:
            return candidate
    if not names:
        raise InvalidArgumentError(f"There is no collection {quoted(name, 60)}: the shelf has none yet.")
    listed = ", ".join(quoted(known, 60) for known in names[:_MAX_NAMES])
    more = f" and {len(names) - _MAX_NAMES:,} more (see list_collections)" if len(names) > _MAX_NAMES else ""
    raise InvalidArgumentError(f"There is no collection {quoted(name, 60)}; there is {listed}{more}.")


def _document(document: DocumentRecord) -> str:
    state = str(document.state)
    if document.state is not State.INDEXED and document.reason:
        state += f" ({clean(document.reason, _MAX_REASON)})"
    if document.state is State.INDEXED and document.problems:
        state += f" ({clean(', '.join(document.problems), _MAX_PROBLEMS)})"
    parts = [
        key(document.source),
        quoted(document.title, _MAX_TITLE) if document.title.strip() else "",
        state,
        count(document.pages, "page") if document.pages is not None else "",
        count(document.chunks, "chunk") if document.state is State.INDEXED else "",
        f"{count(document.members, 'document')} within it" if document.members else "",
        f"indexed {date(document.indexed_at)}" if document.indexed_at else "",
        f"modified {date(document.modified_at)}",
    ]
    return " | ".join(part for part in parts if part)


def _next(last: DocumentRecord) -> str:
    return _go_on_behind(last.source)


def _go_on_behind(source: str) -> str:
    return f"(more: list_documents with the same arguments and cursor={argument(source)})"


def _add_overlong(result: Answer, source: str) -> None:
    """Say that a name is longer than an answer may be, and go on behind it: else no list would ever pass it."""
    beginning = clip(source, result.room // 6)  # escapes cost up to 4.5 times what they stand for
    result.add(
        f"Left out: the documents whose names begin with the {len(beginning):,} characters that the cursor below has "
        "before its last one. They are too long to be listed."
    )
    result.add(_go_on_behind(beginning + _LAST))


def _collection(collection: Collection) -> str:
    parts = [
        key(collection.name),
        count(collection.documents, "document"),
        count(collection.chunks, "chunk"),
        f"last indexed {date(collection.last_indexed)}" if collection.last_indexed else "",
        f"languages {', '.join(clean(name, 20) for name in collection.languages[:8])}" if collection.languages else "",
    ]
    return " | ".join(part for part in parts if part)
