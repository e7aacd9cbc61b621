"""`scripts/status --problems`: what is not searchable, and what is searchable and may be read badly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from docshelf.index.records import DocumentRecord
from docshelf.local.report import counted, shown_key
from docshelf.states import State

Fields = dict[str, object]


def sentences_about(document: DocumentRecord) -> list[str]:
    """What is wrong with a searchable document: what was measured of its text, then what its parser lost."""
    if document.state is not State.INDEXED:
        return []
    return [*(document.quality.sentences() if document.quality else ()), *document.warnings]


def has_problem(document: Fields) -> bool:
    """Whether a person should look at a document, given as `scripts/status --json` prints it."""
    return document["state"] != State.INDEXED.value or bool(document["problems"])


def problem_lines(documents: Iterable[Fields]) -> Iterator[str]:
    """A line for each sentence about each document that has a problem, as they come; the counts last."""
    total, without_text, doubtful = 0, 0, 0
    for document in documents:
        total += 1
        if not has_problem(document):
            continue
        searchable = document["state"] == State.INDEXED.value
        doubtful += searchable
        without_text += not searchable
        sentences = cast("list[str]", document["problems"]) if searchable else [document["reason"] or "waiting"]
        for sentence in sentences:
            yield f"{document['state']:<12}  {shown_key(str(document['source']))}: {sentence}"
    if without_text or doubtful:
        yield ""
    yield (
        f"{counted(total, 'document')}: {without_text:,} not searchable as they are now, {doubtful:,} searchable with "
        "a problem."
    )
