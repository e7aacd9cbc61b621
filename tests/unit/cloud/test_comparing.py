"""The bucket and the index side by side."""

from __future__ import annotations

from docshelf.cloud.comparing import NAMES, comparison, side_by_side
from docshelf.index.store import Index
from docshelf.reconcile import Reason
from docshelf.sources.bucket import BucketSource
from docshelf.states import State
from tests.support.cloud import Cloud
from tests.unit.cloud.made_up import LIMITS, follow, stored
from tests.unit.index.made_up import make


def test_each_key_of_the_bucket_is_in_one_state_and_what_only_the_index_has_is_told(
    cloud: Cloud, index: Index, source: BucketSource
) -> None:
    for key in ("a.md", "b.pdf", "c.md", "d.md", "e.md"):
        cloud.put(key, key)
    gone = make("gone.md", ["Text."])
    index.replace(
        [
            stored(source, "a.md"),
            stored(source, "b.pdf", State.EMPTY),
            stored(source, "d.md", State.FAILED, retryable=True),
            stored(source, "e.md"),
            gone,
        ]
    )
    cloud.put("e.md", "changed")
    cloud.put("folder/", "")
    found = comparison(source, index, LIMITS)
    assert found.states == {State.INDEXED: 1, State.EMPTY: 1, State.FAILED: 1, State.QUEUED: 2}
    assert found.waiting == {Reason.NEW: 1, Reason.CHANGED: 1, Reason.REMOVED: 1}
    assert (found.keys, found.agreeing) == (5, 3)
    assert found.queued_keys == [("c.md", Reason.NEW), ("e.md", Reason.CHANGED), ("gone.md", Reason.REMOVED)]
    assert found.state_keys == {State.EMPTY: ["b.pdf"], State.FAILED: ["d.md"]}
    entries = [source.stat(key) for key in ("c.md", "e.md")]
    assert found.oldest == min(entry.modified_at for entry in entries if entry and entry.modified_at)
    assert [(one.key, one.state) for one in side_by_side(source, index, LIMITS)] == [
        ("a.md", State.INDEXED),
        ("b.pdf", State.EMPTY),
        ("c.md", State.QUEUED),
        ("d.md", State.FAILED),
        ("e.md", State.QUEUED),
        ("gone.md", None),
    ]


def test_an_index_that_agrees_has_nothing_waiting(cloud: Cloud, index: Index, source: BucketSource) -> None:
    for key in ("a.md", "é.md", "\U0001f600.md", "\ufb01.md"):
        cloud.put(key, key)
    follow(source, index)
    found = comparison(source, index, LIMITS)
    assert (found.keys, found.agreeing, found.waiting, found.oldest) == (4, 4, {}, None)


def test_a_document_that_is_stored_in_part_is_queued(cloud: Cloud, index: Index, source: BucketSource) -> None:
    cloud.put("a.md", "a")
    follow(source, index)
    index._chunks.delete("source = 'a.md'")
    found = comparison(source, index, LIMITS)
    assert (found.states, found.waiting) == ({State.QUEUED: 1}, {Reason.DAMAGED: 1})


def test_only_the_first_keys_of_each_kind_are_named(cloud: Cloud, index: Index, source: BucketSource) -> None:
    keys = [f"{place:02}.md" for place in range(NAMES + 5)]
    for key in keys:
        cloud.put(key, key)
    found = comparison(source, index, LIMITS)
    assert [key for key, _ in found.queued_keys] == keys[:NAMES]
    index.replace([stored(source, key, State.EMPTY) for key in keys])
    found = comparison(source, index, LIMITS)
    assert (found.states, found.state_keys) == ({State.EMPTY: len(keys)}, {State.EMPTY: keys[:NAMES]})
