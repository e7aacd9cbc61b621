"""Addresses as commands are told."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from docshelf.aws.objects import ObjectStore
from docshelf.cloud.places import documents_store, refuse_index_below, reindex_command
from docshelf.errors import InvalidArgumentError
from docshelf.index.location import is_address


def test_a_bucket_is_named_or_addressed() -> None:
    assert documents_store("docs").uri == "s3://docs"
    assert documents_store("s3://docs/").uri == "s3://docs"
    for wrong in ("Docs", "s3:/docs", "https://docs", "s3://docs/handbook"):
        with pytest.raises(InvalidArgumentError):
            documents_store(wrong)


def test_only_addresses_are_addresses() -> None:
    assert is_address("s3://bucket/index")
    assert not is_address("index")
    assert not is_address(Path("s3://bucket/index"))


def test_the_command_that_rebuilds_can_be_pasted() -> None:
    assert shlex.split(reindex_command("s3://bucket/my index")) == [
        "./scripts/reindex",
        "--index",
        "s3://bucket/my index",
    ]


@pytest.mark.parametrize(
    ("target", "index", "refused"),
    [
        ("", "s3://docs/index", True),
        ("a", "s3://docs/a", True),
        ("a", "s3://docs/a/index/", True),
        ("a/g0001", "s3://docs/a", True),
        ("", "s3://docs/.docshelf/index", False),
        ("a", "s3://docs/ab", False),
        ("ab", "s3://docs/a", False),
        ("a", "s3://docs/index", False),
        ("", "s3://docs2/index", False),
        ("", "", False),
    ],
)
def test_deleting_above_the_index_is_refused(target: str, index: str, refused: bool) -> None:
    store = ObjectStore("docs", target)
    if not refused:
        refuse_index_below(store, {"DOCSHELF_INDEX": index})
        return
    with pytest.raises(InvalidArgumentError, match="would delete"):
        refuse_index_below(store, {"DOCSHELF_INDEX": index})
