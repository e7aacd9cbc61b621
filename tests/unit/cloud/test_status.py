"""What a person sees of an index with more files than anybody wants to read."""

from __future__ import annotations

from dataclasses import replace

from docshelf.aws.objects import ObjectStore
from docshelf.cloud.comparing import NAMES
from docshelf.cloud.status import CloudIndex, reasons_of, status_lines
from docshelf.index.identity import IndexIdentity
from docshelf.index.pointer import read_pointer, write_pointer
from docshelf.index.records import PreparedDocument
from docshelf.index.store import Index
from docshelf.sources.bucket import BucketSource
from docshelf.states import State
from tests.support.cloud import Cloud
from tests.unit.cloud.made_up import LIMITS, stored

KEYS = [f"{place:02}.md" for place in range(NAMES + 5)]


def empty_documents(cloud: Cloud, source: BucketSource) -> list[PreparedDocument]:
    for key in KEYS:
        cloud.put(key, key)
    return [stored(source, key, State.EMPTY) for key in KEYS]


def test_the_first_files_of_a_state_are_named_and_the_others_counted(
    cloud: Cloud, index: Index, source: BucketSource
) -> None:
    index.replace(empty_documents(cloud, source))
    for documents in (None, ObjectStore(cloud.bucket)):
        lines = list(status_lines(CloudIndex.open(cloud.index, documents, LIMITS)))
        named = [line for line in lines[lines.index("") :] if line.startswith("empty  ")][1:]
        assert named[:NAMES] == [f"empty  {key}: Because of {key}." for key in KEYS[:NAMES]]
        assert named[NAMES:] == ["empty  and 5 more; --json names each"]


def test_a_rebuild_is_shown_without_a_bucket_too(cloud: Cloud, index: Index, identity: IndexIdentity) -> None:
    building = Index.create(cloud.index, identity, activate=False)
    write_pointer(cloud.index, replace(read_pointer(cloud.index, ""), building=building.generation))
    lines = list(status_lines(CloudIndex.open(cloud.index, None, LIMITS)))
    assert "building     g0002 with small-model" in lines
    assert "last change  none yet" in lines


def test_reasons_are_found_however_many_files_are_in_the_state(
    cloud: Cloud, index: Index, source: BucketSource
) -> None:
    index.replace(empty_documents(cloud, source))
    wanted = [KEYS[0], KEYS[-1], "absent.md"]
    assert reasons_of(index, State.EMPTY, wanted) == {key: f"Because of {key}." for key in (KEYS[0], KEYS[-1])}
    assert reasons_of(index, State.FAILED, wanted) == {}
