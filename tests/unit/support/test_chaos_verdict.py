"""The comparison at the end and the readers' checks find every kind of difference, or the test shows nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from docshelf.documents import parse
from docshelf.errors import DocumentError
from docshelf.states import State
from tests.support.chaos_bucket import ChangingBucket
from tests.support.chaos_contents import LIMITS, REPLACED, UNCHANGED, any_content
from tests.support.chaos_events import Delivery
from tests.support.chaos_verdict import differences
from tests.support.chaos_watch import document_problems
from tests.support.cloud import Cloud

Answer = dict[str, Any]


@pytest.fixture
def bucket(cloud: Cloud) -> ChangingBucket:
    """Two sentinels and some documents; nobody is told."""
    made = ChangingBucket(cloud, Delivery(cloud, random.Random(1)), random.Random(1))
    made.begin()
    return made


def right_answer(bucket: ChangingBucket) -> Answer:
    """What an index says that is equal to the bucket; a text is cut into chunks before each heading."""
    documents, chunks = [], []
    for key, token, content in bucket.listed():
        texts = [f"## {part}" for part in content.text.split("## ")[1:]]
        row = {"source": key, "version": content.version(token), "state": content.state.value, "chunks": len(texts)}
        documents.append({**row, "bytes": len(content.data), "reason": None if content.text else "for some reason"})
        chunks += [
            {"chunk_id": f"{key}#{place}", "source": key, "ordinal": place, "version": row["version"], "text": text}
            for place, text in enumerate(texts)
        ]
    return {"documents": documents, "chunks": chunks}


def lose_row(answer: Answer) -> None:
    answer["documents"].pop(0)


def keep_a_removed_document(answer: Answer) -> None:
    answer["documents"].append({**answer["documents"][0], "source": "gone.md", "chunks": 0})


def repeat_a_row(answer: Answer) -> None:
    answer["documents"].append(answer["documents"][0])


def repeat_a_chunk(answer: Answer) -> None:
    answer["chunks"].append(answer["chunks"][0])


def lose_a_chunk(answer: Answer) -> None:
    answer["chunks"].pop()


def leave_an_orphan(answer: Answer) -> None:
    answer["chunks"].append({**answer["chunks"][0], "source": "gone.md", "chunk_id": "gone.md#0"})


def mix_versions(answer: Answer) -> None:
    answer["chunks"][0]["version"] = "older.1"


def change_text(answer: Answer) -> None:
    answer["chunks"][0]["text"] += "?"


def change_state(answer: Answer) -> None:
    answer["documents"][0]["state"] = State.FAILED.value


def change_version(answer: Answer) -> None:
    answer["documents"][0]["version"] += "0"


def test_an_index_equal_to_the_bucket_has_no_differences(bucket: ChangingBucket) -> None:
    assert len(right_answer(bucket)["documents"]) > 2
    assert differences(bucket, right_answer(bucket)) == []


@pytest.mark.parametrize(
    "harm",
    [
        lose_row,
        keep_a_removed_document,
        repeat_a_row,
        repeat_a_chunk,
        lose_a_chunk,
        leave_an_orphan,
        mix_versions,
        change_text,
        change_state,
        change_version,
    ],
)
def test_each_kind_of_harm_is_found(bucket: ChangingBucket, harm: Callable[[Answer], None]) -> None:
    answer = deepcopy(right_answer(bucket))
    harm(answer)
    assert differences(bucket, answer)


@pytest.mark.parametrize("harm", [repeat_a_chunk, lose_a_chunk, mix_versions, change_text])
def test_a_reader_finds_what_no_whole_document_looks_like(
    bucket: ChangingBucket, harm: Callable[[Answer], None]
) -> None:
    answer = right_answer(bucket)
    by_key = {key: [row for row in answer["chunks"] if row["source"] == key] for key in (UNCHANGED, REPLACED)}
    for rows in by_key.values():
        assert document_problems(bucket, rows) == []
        broken: Answer = {"chunks": deepcopy(rows)}
        harm(broken)
        assert document_problems(bucket, broken["chunks"])


def test_every_content_ends_as_it_says(bucket: ChangingBucket) -> None:
    rng, seen = random.Random(3), set()
    for key in ("a.md", "no extension", *bucket.keys) * 10:
        content = any_content(rng)
        seen.add(content.state)
        try:
            document = parse(content.data, key, LIMITS)
            found = State.INDEXED, document.text
        except DocumentError as error:
            found = error.state, ""
        assert found == (content.state, content.text)
    assert seen == {State.INDEXED, State.EMPTY, State.UNSUPPORTED, State.TOO_LARGE}


def test_operations_are_the_same_for_the_same_seed_and_all_kinds_occur(cloud: Cloud) -> None:
    kinds = []
    for _ in range(2):
        bucket = ChangingBucket(cloud, Delivery(cloud, random.Random(5)), random.Random(5))
        bucket.begin()
        for _ in range(120):
            bucket.change()
        kinds.append((bucket.kinds, bucket.known.keys()))
        assert {key for key, _, _ in bucket.listed()} <= {*bucket.keys, UNCHANGED, REPLACED}
    assert kinds[0] == kinds[1]
    assert len(kinds[0][0]) == 9
