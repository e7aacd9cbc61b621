"""Documents brought back from the versions of their bucket, as docs/deploy.md says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from docshelf.messages import Sweep
from docshelf.states import State
from tests.support.cloud import new_cloud
from tests.support.pipeline import Pipeline, pipeline

KEY = "handbook/leave.md"


@pytest.fixture
def versioned(moto_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipeline]:
    """Functions over a versioned bucket that held a document, and a later version of it."""
    cloud = new_cloud(moto_url, versioned=True)
    for name, value in cloud.environment.items():
        monkeypatch.setenv(name, value)
    with pipeline(cloud) as functions:
        for text in ("# Leave\n\nThirty days.\n", "# Leave\n\nTwenty days.\n"):
            cloud.put(KEY, text)
            functions.sync(KEY)
        yield functions


def swept(functions: Pipeline) -> None:
    """Let the sweep of the night find what no event told."""
    assert functions.chore(Sweep()) == []
    functions.drain()


def test_a_deleted_document_is_back_when_its_delete_marker_is_removed(versioned: Pipeline) -> None:
    cloud = versioned.cloud
    cloud.remove(KEY)
    swept(versioned)
    assert versioned.document(KEY) is None
    (marker,) = cloud.s3.list_object_versions(Bucket=cloud.bucket, Prefix=KEY)["DeleteMarkers"]
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=KEY, VersionId=marker["VersionId"])
    swept(versioned)
    found = versioned.document(KEY)
    assert found is not None
    assert found.state is State.INDEXED
    assert "Twenty" in versioned.text(KEY)


def test_an_older_version_that_is_copied_over_the_present_one_is_found_again(versioned: Pipeline) -> None:
    cloud = versioned.cloud
    versions = cloud.s3.list_object_versions(Bucket=cloud.bucket, Prefix=KEY)["Versions"]
    (older,) = [version["VersionId"] for version in versions if not version["IsLatest"]]
    source = {"Bucket": cloud.bucket, "Key": KEY, "VersionId": older}
    cloud.s3.copy_object(Bucket=cloud.bucket, Key=KEY, CopySource=source)  # type: ignore[arg-type]  # as the service has it
    swept(versioned)
    assert "Thirty" in versioned.text(KEY)
