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
from tests.support.archives import all_members
from tests.support.chaos_bucket import ChangingBucket
from tests.support.chaos_contents import LIMITS, REPLACED, UNCHANGED, any_content, archive_of, sources_of
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
    made._store(made.keys[-1], archive_of(random.Random(2)))
    return made


def right_answer(bucket: ChangingBucket) -> Answer:
    """What an index says that is equal to the bucket; a text is cut into chunks before each heading."""
    documents, chunks = [], []
    for source, key, token, content in bucket.documents():
        texts = [f"## {part}" for part in content.text.split("## ")[1:]]
        row: Answer = {"source": source, "key": key, "version": content.version(token), "state": content.state.value}
        row |= {"chunks": len(texts), "members": len(content.members)}
        reason = None if content.state is State.INDEXED else "for some reason"
        documents.append({**row, "bytes": len(content.data), "reason": reason})
        named = {"source": source, "key": key, "version": row["version"]}
        chunks += [
            {**named, "chunk_id": f"{source}#{place}", "ordinal": place, "text": text}
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
    answer["chunks"].append({**answer["chunks"][0], "source": "gone.md", "key": "gone.md", "chunk_id": "gone.md#0"})


def lose_a_member(answer: Answer) -> None:
    answer["documents"] = [row for row in answer["documents"] if "!/" not in row["source"]]


def lose_the_chunks_of_a_member(answer: Answer) -> None:
    answer["chunks"] = [row for row in answer["chunks"] if "!/" not in row["source"]]


def count_a_member_more(answer: Answer) -> None:
    answer["documents"][0]["members"] += 1


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
        lose_a_member,
        lose_the_chunks_of_a_member,
        count_a_member_more,
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


def outcome(data: bytes, source: str) -> tuple[State, str]:
    try:
        return State.INDEXED, parse(data, source, LIMITS).text
    except DocumentError as error:
        return error.state, ""


def test_every_content_ends_as_it_says(bucket: ChangingBucket) -> None:
    rng, seen = random.Random(3), set()
    for key in ("a.md", "no extension", *bucket.keys) * 10:
        content = any_content(rng)
        if content.members:
            found = {member.name: member.data for member in all_members(content.data, key, LIMITS) if not member.error}
            assert found == {name: each.data for name, each in content.members if len(each.data) <= LIMITS.max_bytes}
        for source, each in sources_of(key, content):
            if not each.members:
                assert outcome(each.data, source) == (each.state, each.text)
                seen.add(each.state)
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
