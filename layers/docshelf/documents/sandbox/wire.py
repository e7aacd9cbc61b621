"""Documents and errors as messages from child to parent.

The child may have been taken over by the document it reads, so the parent checks every value it gets back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.sandbox.frames import unusable
from docshelf.documents.tiling import tiles
from docshelf.errors import DocumentError, EmptyDocumentError, ParseFailedError
from docshelf.settings import Limits

_LONGEST_LINE = 2_000
_MOST_WARNINGS = 1_000
_KINDS = frozenset(kind.value for kind in Kind)


def encode_request(key: str, limits: Limits, start: int | None = None) -> dict[str, object]:
    """The header that goes with a document's bytes; with `start`, its members from that number on are asked for."""
    return {"key": key, "limits": asdict(limits), "start": start}


def decode_request(header: dict[str, object]) -> tuple[str, Limits, int | None]:
    """The key, limits and start that the parent, which is trusted, sent."""
    limits, start = header["limits"], header["start"]
    assert isinstance(limits, dict)
    assert isinstance(start, int | None)
    return str(header["key"]), Limits(**limits), start


def encode_error(error: DocumentError) -> dict[str, object]:
    """The error's class by its code, its sentence, and the pages and attachments that it tells of."""
    told: dict[str, object] = {"error": error.code, "sentence": error.sentence, "pages": error.pages}
    return {**told, "attachments": error.attachments} if isinstance(error, EmptyDocumentError) else told


def encode_document(document: Document) -> tuple[dict[str, object], bytes]:
    """Header and text of a document: blocks become rows in reading order, each with its number of children."""
    paths: dict[tuple[str, ...], int] = {}
    rows: list[tuple[object, ...]] = []
    stack = list(reversed(document.blocks))
    while stack:
        block = stack.pop()
        path = paths.setdefault(block.headings, len(paths))
        place = (block.kind.value, block.start, block.end, path, block.page, block.page_label)
        rows.append((*place, block.opening, block.closing, len(block.children)))
        stack.extend(reversed(block.children))
    header: dict[str, object] = {
        "title": document.title,
        "media_type": str(document.media_type),
        "source_lines": document.source_lines,
        "first_line": document.first_line,
        "pages": document.pages,
        "description": document.description,
        "warnings": document.warnings,
        "attachments": document.attachments,
        "headings": list(paths),
        "blocks": rows,
    }
    return header, document.text.encode("utf-8", "replace")


def decode_document(header: dict[str, object], body: bytes, limits: Limits) -> Document:
    """Check the child's answer and make the document of it.

    Raises:
        ParseFailedError: it is not a sound document.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise unusable() from error
    document = Document(
        title=_line(header.get("title")),
        text=text,
        blocks=_blocks(header.get("blocks"), [_lines(path) for path in _list(header.get("headings"))]),
        media_type=_line(header.get("media_type")),
        source_lines=header.get("source_lines") is True,
        first_line=_count(header.get("first_line")),
        pages=None if header.get("pages") is None else _count(header.get("pages")),
        description=_line(header.get("description")),
        warnings=_lines(header.get("warnings"))[:_MOST_WARNINGS],
        attachments=_count(header.get("attachments")),
    )
    sound = "\0" not in text and "\r" not in text and len(text) <= limits.max_characters
    if not (sound and (document.blocks or document.attachments) and tiles(document.blocks, len(text))):
        raise unusable()
    return document


def decode_error(header: dict[str, object]) -> DocumentError | None:
    """The error that the child's answer tells of; None where it is a document."""
    if "error" not in header:
        return None
    sentence = _line(header.get("sentence"))
    if header["error"] == EmptyDocumentError.code:
        pages = header.get("pages")
        return EmptyDocumentError(sentence, None if pages is None else _count(pages), _count(header.get("attachments")))
    for kind in _subclasses(DocumentError):
        if kind.code == header["error"]:
            return kind(sentence)
    return ParseFailedError(sentence)


def _subclasses(kind: type[DocumentError]) -> Iterator[type[DocumentError]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _blocks(rows: object, paths: Sequence[tuple[str, ...]]) -> tuple[Block, ...]:
    """Build the blocks from the last row to the first, so that a row's children are there before it."""
    built: list[Block] = []  # roots not yet claimed, in reverse order of reading
    for row in reversed(_list(rows)):
        cells = _list(row)
        if len(cells) != 9:
            raise unusable()
        kind, start, end, path, page, label, opening, closing, children = cells
        number, claimed = _count(path), _count(children)
        if not isinstance(kind, str) or kind not in _KINDS or number >= len(paths) or claimed > len(built):
            raise unusable()
        own = tuple(built[len(built) - claimed :][::-1])
        del built[len(built) - claimed :]
        built.append(
            Block(
                kind=Kind(kind),
                start=_count(start),
                end=_count(end),
                headings=paths[number],
                page=None if page is None else _count(page),
                page_label=None if label is None else _line(label),
                children=own,
                opening=_string(opening),
                closing=_string(closing),
            )
        )
    return tuple(built[::-1])


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise unusable()
    return value


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise unusable()
    return value


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise unusable()
    return value.encode("utf-8", "replace").decode("utf-8")


def _line(value: object) -> str:
    """A string fit for one line of an answer."""
    return " ".join(_string(value)[:_LONGEST_LINE].replace("\0", " ").split())


def _lines(value: object) -> tuple[str, ...]:
    return tuple(_line(item) for item in _list(value))
