from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from docshelf.errors import IndexMismatchError
from docshelf.index.identity import IndexIdentity


def test_metadata_gives_the_identity_back(identity: IndexIdentity) -> None:
    assert IndexIdentity.from_metadata({**identity.to_metadata(), b"other": b"x"}) == identity


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        {},
        {b"docshelf:identity": b"[]"},
        {b"docshelf:identity": b'{"model": "x"}'},
        {b"docshelf:identity": b"no json"},
        {b"docshelf:identity": b"\xff"},
    ],
)
def test_metadata_without_an_identity_is_refused(metadata: dict[bytes, bytes] | None) -> None:
    with pytest.raises(ValueError, match=r"identity|JSON|Expecting|decode"):
        IndexIdentity.from_metadata(metadata)


def test_metadata_with_a_number_as_text_is_refused(identity: IndexIdentity) -> None:
    metadata = replace(identity, dimension="16").to_metadata()  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="other types"):
        IndexIdentity.from_metadata(metadata)


def test_an_equal_identity_passes(identity: IndexIdentity) -> None:
    identity.check(replace(identity), "rebuild")


def test_a_mismatch_names_both_models_and_the_command(identity: IndexIdentity) -> None:
    with pytest.raises(IndexMismatchError) as caught:
        identity.check(replace(identity, model="big-model", dimension=768), "./scripts/local --rebuild")
    assert caught.value.sentence == (
        "This index was made with the model small-model, and big-model is asked for; "
        "to rebuild it, run: ./scripts/local --rebuild"
    )


@pytest.mark.parametrize("name", [item.name for item in fields(IndexIdentity)])
def test_every_field_counts(identity: IndexIdentity, name: str) -> None:
    value = getattr(identity, name)
    changes: dict[str, Any] = {name: value + 1 if isinstance(value, int) else value + "x"}
    other = replace(identity, **changes)
    with pytest.raises(IndexMismatchError):
        identity.check(other, "rebuild")


def test_an_empty_prefix_is_shown_as_empty(identity: IndexIdentity) -> None:
    with pytest.raises(IndexMismatchError, match='the query prefix find: , and "" is asked for'):
        identity.check(replace(identity, query_prefix=""), "rebuild")
