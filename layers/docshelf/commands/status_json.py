"""The contract of `scripts/status --json`; docs/commands.md describes each field."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from docshelf.commands.shared import json_text
from docshelf.commands.status_problems import Fields, has_problem, sentences_about
from docshelf.index.records import DocumentRecord
from docshelf.moments import iso
from docshelf.states import State

if TYPE_CHECKING:
    from docshelf.cloud.comparing import Compared, Comparison
    from docshelf.cloud.status import CloudIndex

_NOTHING: Fields = {
    "source": None,
    "key": None,
    "state": None,
    "reason": None,
    "title": None,
    "pages": None,
    "chunks": 0,
    "members": 0,
    "modified_at": None,
    "indexed_at": None,
    "quality": None,
    "problems": [],
}


_END: tuple[str | None, Iterator[DocumentRecord]] = (None, iter(()))


def document_json(document: DocumentRecord) -> Fields:
    """A file and its state."""
    return {
        "source": document.source,
        "key": document.key,
        "state": document.state.value,
        "reason": document.reason,
        "title": document.title,
        "pages": document.pages,
        "chunks": document.chunks,
        "members": document.members,
        "modified_at": iso(document.modified_at),
        "indexed_at": iso(document.indexed_at),
        "quality": json.loads(document.quality.text()) if document.quality else None,
        "problems": sentences_about(document),
    }


def print_cloud_json(shelf: CloudIndex, *, problems_only: bool = False) -> None:
    """Print the status of an index on S3, a document at a time: there may be a million.

    With `problems_only`, the documents that have none are left out.
    """
    from docshelf.cloud.comparing import Comparison

    index, totals = shelf.index, Comparison()
    _print_fields(
        {
            "model": index.identity.model,
            "index_version": index.version,
            "generation": index.generation,
            "collections": [
                {"name": summary.name, "documents": summary.documents, "chunks": summary.chunks}
                for summary in index.collections()
            ],
        },
        "documents",
        (one for one in cloud_documents(shelf, totals) if not problems_only or has_problem(one)),
        lambda: {"bucket": _bucket(shelf, totals), "building": _building(shelf)},
    )


def _print_fields(before: Fields, name: str, items: Iterable[Fields], after: Callable[[], Fields]) -> None:
    """An object whose field `name` is an array that is never whole in memory."""
    write = sys.stdout.write
    write("{\n" + "".join(f"  {json_text(key)}: {json_text(value)},\n" for key, value in before.items()))
    write(f'  "{name}": [')
    separator = "\n"
    for item in items:
        write(f"{separator}    {json_text(item)}")
        separator = ",\n"
    write("\n  ]" + "".join(f",\n  {json_text(key)}: {json_text(value)}" for key, value in after().items()) + "\n}\n")


def cloud_documents(shelf: CloudIndex, totals: Comparison) -> Iterator[Fields]:
    """Every document as `--json` prints it, members behind what holds them.

    Where the bucket was named, its keys are counted in `totals`.
    """
    from docshelf.cloud.comparing import side_by_side

    stored = shelf.index.all_documents()
    if shelf.source is None:
        yield from ({**document_json(document), "change": None} for document in stored)
        return
    by_key = groupby(stored, key=attrgetter("key"))
    key, documents = next(by_key, _END)
    for one in side_by_side(shelf.source, shelf.index, shelf.limits):
        totals.take(one)
        while key is not None and key < one.key:  # came between the two readings
            key, documents = next(by_key, _END)
        found = list(documents) if key == one.key else []
        own = next((document for document in found if document.source == one.key), None)
        yield _compared(one, own)
        yield from (_compared(one, document) for document in found if document is not own)


def _compared(one: Compared, document: DocumentRecord | None) -> Fields:
    """The fields of a key, or of a member: that waits with its key, and else has a state of its own."""
    fields = document_json(document) if document else {**_NOTHING, "source": one.key, "key": one.key}
    is_member = document is not None and document.source != document.key
    if one.state is not None and (one.state is State.QUEUED or not is_member):
        queued = one.state is State.QUEUED
        fields |= {"state": one.state.value, "reason": None if queued else fields["reason"]}
    if document is None and one.entry is not None:
        fields["modified_at"] = iso(one.entry.modified_at)
    return {**fields, "change": one.reason.value if one.reason else None}


def _bucket(shelf: CloudIndex, found: Comparison) -> Fields | None:
    if shelf.source is None:
        return None
    return {
        "address": shelf.source.store.uri,
        "documents": found.keys,
        "agreeing": found.agreeing,
        "waiting": found.waiting.total(),
        "oldest_change": iso(found.oldest),
    }


def _building(shelf: CloudIndex) -> Fields | None:
    if shelf.building is None:
        return None
    found = shelf.compare(shelf.building)
    return {
        "generation": shelf.building.generation,
        "model": shelf.building.identity.model,
        "agreeing": found.agreeing if found else None,
    }
