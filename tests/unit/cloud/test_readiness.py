"""When a new generation may take the place of the one in use."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from docshelf.cloud.readiness import readiness
from docshelf.index.identity import IndexIdentity
from docshelf.index.store import Index
from docshelf.settings import Limits
from docshelf.sources.bucket import BucketSource
from docshelf.states import State
from tests.support.cloud import Cloud
from tests.unit.cloud.made_up import LIMITS, follow, stored

EARLIER = datetime.now(UTC) - timedelta(hours=1)
LATER = datetime.now(UTC) + timedelta(hours=1)


@pytest.fixture
def new(cloud: Cloud, index: Index, identity: IndexIdentity) -> Index:
    """A generation beside `index`."""
    return Index.create(cloud.index, identity, activate=False)


def test_what_is_missing_stands_in_the_way_and_permanent_states_do_not(
    cloud: Cloud, index: Index, new: Index, source: BucketSource
) -> None:
    for key in ("a.md", "b.md", "c.md"):
        cloud.put(key, key)
    follow(source, index)
    found = readiness(source, new, index, EARLIER, LIMITS)
    assert (found.missing, found.first) == (3, "a.md")
    new.replace([stored(source, "a.md"), stored(source, "b.md", State.FAILED, retryable=True)])
    assert readiness(source, new, index, EARLIER, LIMITS).first == "c.md"
    new.replace([stored(source, "c.md", State.TOO_LARGE)])
    assert readiness(source, new, index, LATER, LIMITS).missing == 0


def test_a_change_since_the_beginning_does_not_count_as_long_as_the_document_is_there(
    cloud: Cloud, index: Index, new: Index, source: BucketSource
) -> None:
    cloud.put("a.md", "a")
    follow(source, index, new)
    cloud.put("a.md", "changed")
    assert readiness(source, new, index, EARLIER, LIMITS).missing == 0
    assert readiness(source, new, index, LATER, LIMITS).missing == 1
    assert readiness(source, new, None, EARLIER, LIMITS).missing == 1


def test_a_new_document_does_not_count_unless_the_one_in_use_holds_it(
    cloud: Cloud, index: Index, new: Index, source: BucketSource
) -> None:
    cloud.put("a.md", "a")
    assert readiness(source, new, index, EARLIER, LIMITS).missing == 0
    index.replace([stored(source, "a.md")])
    assert readiness(source, new, index, EARLIER, LIMITS).missing == 1


def test_a_document_that_is_gone_does_not_count_as_long_as_the_one_in_use_holds_it_too(
    cloud: Cloud, index: Index, new: Index, source: BucketSource
) -> None:
    cloud.put("a.md", "a")
    follow(source, index, new)
    cloud.remove("a.md")
    assert readiness(source, new, index, LATER, LIMITS).missing == 0
    index.replace([], ["a.md"])
    found = readiness(source, new, index, LATER, LIMITS)
    assert (found.missing, found.first) == (1, "a.md")


def test_a_scan_that_is_being_recognised_does_not_count_unless_the_one_in_use_has_a_text(
    cloud: Cloud, index: Index, new: Index, source: BucketSource
) -> None:
    recognises = Limits(ocr="textract")
    cloud.put("scan.pdf", "a")
    new.replace([stored(source, "scan.pdf", State.QUEUED, recognises)])
    found = readiness(source, new, index, LATER, recognises)
    assert (found.missing, found.totals.waiting.total()) == (0, 1)
    assert readiness(source, new, None, LATER, recognises).missing == 0
    index.replace([stored(source, "scan.pdf")])
    assert readiness(source, new, index, LATER, recognises).first == "scan.pdf"
