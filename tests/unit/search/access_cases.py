"""Shelves of a few documents in known collections, and every kind of call that could tell of a forbidden one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from docshelf.index.identity import IndexIdentity
from docshelf.index.records import PreparedDocument
from docshelf.index.store import Index
from docshelf.mcp_server.calls import answer_call, find_passages
from docshelf.mcp_server.shelf import Shelf
from docshelf.mcp_server.texts import instructions, search_description
from docshelf.search.shelves import Shelves
from docshelf.sources import ROOT_COLLECTION
from docshelf.states import State
from tests.unit.index.made_up import DIMENSION, make, vector_of

IDENTITY = IndexIdentity("small-model", "a" * 64, "b" * 64, DIMENSION, "cls", "", "", 512, 256, "1", "2")

Call = tuple[str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class MadeUpModel:
    """A model that gives every text a vector of its own and knows all words."""

    @property
    def tokenizer(self) -> MadeUpModel:
        return self

    def known_word_share(self, text: str) -> float:
        return 1.0 if text else 0.0

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return vector_of(text)


def index_of(place: Path, documents: Iterable[PreparedDocument]) -> Index:
    """A real index that holds `documents`."""
    index = Index.create(place, IDENTITY)
    index.replace(list(documents))
    return index


def shelves_over(index: Index) -> Shelves:
    """Shelves over an index that nobody else writes."""
    return Shelves(lambda: index, MadeUpModel())


def documents_of(name: str, secret: str) -> list[PreparedDocument]:
    """Documents of the collection `name` in two states; `secret` is in all that is told of them but their keys."""
    folders = ["", "general/"] if name == ROOT_COLLECTION else [f"{name}/", f"{name}/deep/"]
    return [
        make(
            f"{folders[0]}one.md",
            [f"The harbour opens at nine, says {secret}.\n", f"Boats wait for {secret}.\n"],
            title=f"One of {secret}",
        ),
        make(f"{folders[1]}two.md", [f"Boats leave the harbour with {secret}.\n"], title=f"Two of {secret}"),
        make(f"{folders[0]}scan.pdf", state=State.FAILED, reason=f"It is {secret}.", title=None),
    ]


def guesses(names: Collection[str], keys: Collection[str]) -> Iterator[Call]:
    """Calls of every tool with everything that a caller who knows all names and keys could write."""
    secrets = [f"secret{number}" for number in range(len(names))]
    chosen: list[str | None] = [None, *names, "zzz", f" /{next(iter(names))}/ "]
    prefixes = ["a", "a/", "../", "o", *(f"{name}/" for name in names), f"/{next(iter(keys))}"]
    for query in ("harbour", *secrets, f'"harbour with {secrets[0]}"', "?!"):
        for name in chosen if query == "harbour" else chosen[:2]:
            yield "search_documents", {"query": query, "collection": name, "limit": 20, "max_tokens": 20_000}
    for prefix in prefixes:
        yield "search_documents", {"query": "harbour", "path_prefix": prefix, "limit": 20, "max_tokens": 20_000}
        yield "list_documents", {"path_prefix": prefix}
    for key in (*keys, *names, "", "a/none.md", "zzz/one.md", "../a/one.md", "a//one.md", "A/ONE.MD", "one.md "):
        yield "get_document", {"source": key}
        yield "get_document", {"source": key, "from_page": 1}
        yield "list_documents", {"cursor": key, "limit": 1}
    for name in chosen:
        yield "list_documents", {"collection": name}
    for state in State:
        yield "list_documents", {"state": state}
        yield "list_documents", {"state": state, "collection": chosen[1]}
    yield "list_collections", {}


def comparable(shelf: Shelf, call: Call) -> list[str]:
    """The answer to `call`, whatever the order of the passages: the score of a passage depends on the whole index.

    So does which of several sources that say the same is shown; that they are these sources does not.
    """
    answer = answer_call(shelf, *call)
    text = f"{answer.error_code} {answer.hits}\n{answer.text}"
    if call[0] != "search_documents":
        return [text]
    text = re.sub(r"^\[\d+\] .* \| also in.*$", "[n] several", text, flags=re.MULTILINE)
    if answer.error_code is None:
        shown = find_passages(shelf, call[1]).answer.passages
        text += "".join(f"\n{sorted((passage.source, *passage.also_in))}" for passage in shown)
    return sorted(re.sub(r"^\[\d+\]", "[n]", re.sub("quote-[a-z]+", "quote", text), flags=re.MULTILINE).splitlines())


def texts(shelf: Shelf) -> tuple[str, str]:
    """What a client is told before it calls a tool."""
    overview = shelf.overview()
    return instructions(overview, None), search_description(overview, None)
