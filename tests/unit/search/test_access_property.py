"""The access property for any small shelf and any caller; test_access.py has the cases written out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.index.records import PreparedDocument
from docshelf.index.store import Index
from docshelf.mcp_server.shelf import Shelf
from docshelf.search.shelves import Shelves
from docshelf.states import State
from tests.unit.index.made_up import make
from tests.unit.search.access_cases import IDENTITY, Call, comparable, shelves_over, texts

NAMES = ("a", "a b", "ab", "A", "*", "it's", '"q"', "é", "日本", "general", "%", "..")
WORDS = ("harbour", "boat", "ERR_42", "a.b", "港", "it's", "nine")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


@st.composite
def documents(draw: st.DrawFn) -> list[PreparedDocument]:
    """A few documents in a few collections."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    keys = st.builds(
        lambda name, file: file if name == "general" else f"{name}/{file}",
        st.sampled_from(names),
        st.sampled_from(["x.md", "y'.md", "a/z.md"]),
    )
    made = []
    for key in draw(st.lists(keys, max_size=6, unique=True)):
        title = draw(st.none() | TEXTS)
        if draw(st.integers(0, 3)):
            made.append(make(key, draw(st.lists(TEXTS, max_size=2)), title=title))
        else:
            made.append(make(key, state=State.EMPTY, reason=draw(TEXTS), title=title))
    return made


def any_call(keys: Sequence[str]) -> st.SearchStrategy[Call]:
    key = st.sampled_from([*keys, "a/none.md"]) | st.text(max_size=5)
    name = st.none() | st.sampled_from(NAMES) | st.text(max_size=3)
    prefix = st.none() | st.sampled_from(["a", "a/", "../", "a b/", "%", "it'", "日"]) | key
    searching = st.fixed_dictionaries(
        {
            "query": TEXTS | TEXTS.map('"{}"'.format) | st.text(max_size=9),
            "collection": name,
            "path_prefix": prefix,
            "limit": st.just(20),
            "max_tokens": st.just(20_000),
        }
    )
    listing = st.fixed_dictionaries(
        {
            "collection": name,
            "path_prefix": prefix,
            "state": st.none() | st.sampled_from([*State, "any"]),
            "cursor": st.none() | key,
            "limit": st.integers(1, 3) | st.none(),
        }
    )
    reading = st.fixed_dictionaries({"source": key}, optional={"from_line": st.integers(1, 3), "to_page": st.just(1)})
    return st.one_of(
        st.tuples(st.just("search_documents"), searching),
        st.tuples(st.just("list_documents"), listing),
        st.tuples(st.just("get_document"), reading),
        st.just(("list_collections", {})),
    )


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Index, Index]:
    """Two indexes whose contents every example replaces."""
    place = tmp_path_factory.mktemp("pair")
    return Index.create(place / "all", IDENTITY), Index.create(place / "some", IDENTITY)


def refill(index: Index, wanted: Sequence[PreparedDocument]) -> Shelves:
    """Shelves over `index` after it holds `wanted` and nothing else."""
    keys = {document.record.source for document in wanted}
    index.replace(wanted, [each.source for each in index.all_documents() if each.source not in keys])
    return shelves_over(index)


@settings(max_examples=25, deadline=None)
@given(documents(), st.sets(st.sampled_from(NAMES), max_size=4), st.data())
def test_any_shelf_is_to_any_caller_what_it_would_be_without_the_rest(
    pair: tuple[Index, Index], stored: list[PreparedDocument], allowed: set[str], data: st.DataObject
) -> None:
    visible = [document for document in stored if document.record.collection in allowed]
    limited: Shelf = refill(pair[0], stored).for_caller(frozenset(allowed))
    alone: Shelf = refill(pair[1], visible).for_caller()
    assert texts(limited) == texts(alone)
    calls = data.draw(st.lists(any_call([document.record.source for document in stored]), min_size=1, max_size=8))
    for call in calls:
        assert comparable(limited, call) == comparable(alone, call), call
