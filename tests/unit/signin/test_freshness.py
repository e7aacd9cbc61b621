"""The landing page says when the index was last written, and asks little to know it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from docshelf.errors import IndexMissingError, StoreDeniedError
from docshelf.signin.freshness import Freshness, last_commit
from tests.support.cloud import Cloud
from tests.support.pipeline import pipeline

MOMENT = datetime(2026, 3, 2, 10, 20, tzinfo=UTC)


def test_the_index_is_looked_at_once_a_minute() -> None:
    now, looks = [0.0], 0

    def look(index: str) -> datetime:
        nonlocal looks
        looks += 1
        return MOMENT

    fresh = Freshness("s3://shelf/index", look=look, clock=lambda: now[0])
    for second in range(600):
        now[0] = second / 5
        assert fresh() == MOMENT
    assert looks == 2


def test_a_look_that_fails_leaves_what_is_known(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]

    def look(index: str) -> datetime:
        if now[0]:
            raise StoreDeniedError("The bucket refuses access.")
        return MOMENT

    fresh = Freshness("s3://shelf/index", look=look, clock=lambda: now[0])
    assert fresh() == MOMENT
    now[0] = 60.0
    assert fresh() == MOMENT
    assert [record.__dict__["reason"] for record in caplog.records] == ["The bucket refuses access."]


def test_without_an_index_nothing_is_known() -> None:
    assert Freshness(None)() is None


def test_the_moment_is_that_of_the_last_commit(cloud: Cloud) -> None:
    with pytest.raises(IndexMissingError):
        last_commit(cloud.index)
    begun = datetime.now(UTC).replace(microsecond=0)
    with pipeline(cloud) as functions:
        for number in range(2):
            cloud.put(f"note-{number}.md", "# A note\n\nWords of it.\n")
            functions.sync(f"note-{number}.md")
    found = last_commit(cloud.index)
    assert found is not None
    assert begun <= found <= datetime.now(UTC)
    commits = cloud.s3.list_objects_v2(Bucket=cloud.index_bucket, Prefix="index/g0001/documents.lance/_versions/")
    assert found == max(item["LastModified"] for item in commits["Contents"])
