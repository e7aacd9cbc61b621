"""The document that `scripts/smoke` leaves in a bucket for a while."""

from __future__ import annotations

from datetime import timedelta

import pytest

from docshelf.aws.objects import ObjectStore
from infra.deployment.smoke.marker import Marker
from infra.deployment.smoke.steps import StepError
from tests.support.cloud import Cloud


def keys(store: ObjectStore) -> list[str]:
    return [entry.key for entry in store.list()]


def test_markers_of_runs_that_were_killed_are_removed_when_they_are_old_enough(cloud: Cloud) -> None:
    store = ObjectStore(cloud.bucket)
    cloud.put("docshelf-smokes/other.md", "not a marker")
    killed, beside = Marker(store), Marker(store)
    killed.upload()
    beside.upload()
    assert keys(store) == sorted(["docshelf-smokes/other.md", killed.key, beside.key])
    # Old is here what was written up to a minute later.
    later = Marker(store, abandoned=timedelta(minutes=-1))
    assert later.upload().endswith("; 2 of earlier runs removed")
    assert keys(store) == sorted(["docshelf-smokes/other.md", later.key])


def test_each_run_has_a_word_of_its_own(cloud: Cloud) -> None:
    store = ObjectStore(cloud.bucket)
    words = {Marker(store).word for _ in range(100)}
    assert len(words) == 100
    assert all(word.isascii() and word.isalpha() and len(word) == 12 for word in words)


def test_a_marker_that_cannot_be_deleted_is_named_with_the_command_that_does_it() -> None:
    marker = Marker(ObjectStore("no-such-bucket-anywhere"), word="bidofu", uploaded=True)
    with pytest.raises(StepError, match=r"aws s3 rm s3://no-such-bucket-anywhere/docshelf-smoke/bidofu\.md"):
        marker.delete()
    assert marker.uploaded
