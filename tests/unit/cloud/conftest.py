"""An index beside a bucket, without a model."""

from __future__ import annotations

import pytest

from docshelf.aws.objects import ObjectStore
from docshelf.index.identity import IndexIdentity
from docshelf.index.store import Index
from docshelf.sources.bucket import BucketSource
from tests.support.cloud import Cloud
from tests.unit.index.made_up import DIMENSION


@pytest.fixture
def identity() -> IndexIdentity:
    """What the made-up indexes were made with."""
    return IndexIdentity("small-model", "a" * 64, "b" * 64, DIMENSION, "cls", "find: ", "", 512, 256, "1", "2")


@pytest.fixture
def index(cloud: Cloud, identity: IndexIdentity) -> Index:
    """An empty index on S3."""
    return Index.create(cloud.index, identity)


@pytest.fixture
def source(cloud: Cloud) -> BucketSource:
    """The bucket of the documents."""
    return BucketSource(ObjectStore(cloud.bucket))
