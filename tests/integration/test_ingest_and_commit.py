"""Both functions over real buckets and queues: whatever happens, the index ends equal to the bucket."""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterator
from datetime import timedelta

import pytest

from docshelf.aws.objects import ObjectStore
from docshelf.aws.queues import Queue
from docshelf.commit.sweep import Sweeper
from docshelf.index.live import LiveIndex
from docshelf.index.records import DocumentRecord
from docshelf.messages import Maintain, Sweep
from docshelf.settings import Limits
from docshelf.sources import SourceContent, SourceEntry
from docshelf.sources.bucket import BucketSource
from docshelf.states import State
from tests.support.cloud import Cloud
from tests.support.pipeline import PLENTY, Pipeline, failures, look_at, pipeline, record

MANUAL = "# Pump\n\nThe pump runs at 40 bar.\n\n# Valve\n\nThe valve opens at 3 bar.\n"
ODD_KEYS = [
    "handbook/a b.md",
    "a+b%20c.md",
    "notes/#1 'quoted' \"twice\".md",
    "emoji/\U0001f600.md",
    "caf\u00e9.md",
    "cafe\u0301.md",
    "CAF\u00c9.md",
    "//double.md",
    "a/../b.md",
    "deep/" + "\u00e9" * 509 + ".md",
]


@pytest.fixture
def shelf(cloud: Cloud) -> Iterator[Pipeline]:
    with pipeline(cloud) as made:
        yield made


def found(document: DocumentRecord | None) -> DocumentRecord:
    assert document is not None
    return document


def test_a_new_environment_makes_its_index_with_the_first_document(shelf: Pipeline) -> None:
    shelf.cloud.put("handbook/pump.md", MANUAL)
    shelf.sync("handbook/pump.md")
    document = found(shelf.document("handbook/pump.md"))
    assert (document.state, document.collection, document.chunks) == (State.INDEXED, "handbook", 2)
    assert shelf.text("handbook/pump.md") == MANUAL
    assert shelf.cloud.s3.list_objects_v2(Bucket=shelf.cloud.index_bucket, Prefix="index/prepared/")["KeyCount"] == 0


def test_every_odd_key_is_a_document_of_its_own(shelf: Pipeline) -> None:
    assert len(ODD_KEYS[-1].encode()) == 1_026 or len(ODD_KEYS[-1].encode()) <= 1_024
    keys = [key for key in ODD_KEYS if len(key.encode()) <= 1_024]
    for key in keys:
        shelf.cloud.put(key, f"The text of {key!a}.")
    shelf.sync(*keys)
    assert shelf.sources() == sorted(keys)
    assert {key: shelf.text(key) for key in keys} == {key: f"The text of {key!a}." for key in keys}


def test_markers_of_folders_and_files_of_our_own_are_no_documents(shelf: Pipeline) -> None:
    for key in ("folder/", ".docshelf/settings.md", "a/.docshelf/b.md", "a/real.md"):
        shelf.cloud.put(key, "Text of some kind.")
    shelf.sync("folder/", ".docshelf/settings.md", "a/.docshelf/b.md", "a/real.md")
    assert shelf.sources() == ["a/real.md"]
    shelf.chore(Sweep())
    assert shelf.ingest_queue() == 0


def test_each_file_has_a_state(shelf: Pipeline) -> None:
    shelf.cloud.put("zero.md", "")
    shelf.cloud.put("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(50))
    shelf.cloud.put("good.md", MANUAL)
    shelf.cloud.s3.put_object(Bucket=shelf.cloud.bucket, Key="cold.md", Body=b"cold", StorageClass="GLACIER")
    shelf.sync("zero.md", "picture.png", "good.md", "cold.md", "never-there.md")
    states = {one.source: one.state for one in shelf.index().all_documents()}
    assert states == {
        "zero.md": State.EMPTY,
        "picture.png": State.UNSUPPORTED,
        "good.md": State.INDEXED,
        "cold.md": State.FAILED,
    }
    assert "restore" in (found(shelf.document("cold.md")).reason or "").lower()
    shelf.chore(Sweep())
    assert shelf.ingest_queue() == 0


def test_limits_give_states_of_their_own(cloud: Cloud) -> None:
    limits = Limits(max_bytes=2_000, max_chunks=3, max_characters=1_500)
    with pipeline(cloud, limits) as shelf:
        cloud.put("bytes.md", "x" * 2_001)
        cloud.put("characters.md", "word " * 320)
        cloud.put("chunks.md", "# One\n\na\n\n# Two\n\nb\n\n# Three\n\nc\n\n# Four\n\nd\n")
        shelf.sync("bytes.md", "characters.md", "chunks.md")
        for document in shelf.index().all_documents():
            assert document.state is State.TOO_LARGE
            assert "DOCSHELF_MAX_" in (document.reason or "")
        shelf.chore(Sweep())
        assert shelf.ingest_queue() == 0
    with pipeline(cloud) as shelf:
        shelf.chore(Sweep())
        shelf.drain()
        assert {one.state for one in shelf.index().all_documents()} == {State.INDEXED}


def test_a_file_that_needs_more_than_an_invocation_is_too_large(shelf: Pipeline) -> None:
    shelf.cloud.put("long.md", "".join(f"# Part {number}\n\nSome text.\n\n" for number in range(60)))
    seconds = iter([PLENTY, PLENTY, *[0.0] * 50])
    answer = shelf.ingest.handle({"Records": [record(look_at("long.md"))]}, lambda: next(seconds))
    assert failures(answer) == []
    shelf.drain()
    document = found(shelf.document("long.md"))
    assert (document.state, document.chunks) == (State.TOO_LARGE, 0)
    assert "60 chunks" in (document.reason or "")


def test_what_there_is_no_time_for_goes_back_untouched(shelf: Pipeline) -> None:
    shelf.cloud.put("a.md", MANUAL)
    assert shelf.prepare("a.md", remaining=5.0) == ["a.md"]
    assert shelf.batch(shelf.cloud.commit_queue_url) == {"Records": []}


def test_at_the_last_delivery_a_file_becomes_failed_with_its_reason(shelf: Pipeline) -> None:
    shelf.cloud.put("a.md", MANUAL)
    assert shelf.prepare("a.md", receives=5, remaining=5.0) == []
    shelf.drain()
    document = found(shelf.document("a.md"))
    assert (document.state, document.retryable) == (State.FAILED, True)
    assert "5 attempts" in (document.reason or "")
    shelf.chore(Sweep())
    shelf.drain()
    assert found(shelf.document("a.md")).state is State.INDEXED


def test_unchanged_chunks_keep_their_vectors(shelf: Pipeline) -> None:
    shelf.cloud.put("a.md", MANUAL)
    shelf.sync("a.md")
    before = shelf.index().vectors_of(["a.md"])
    shelf.cloud.put("a.md", MANUAL + "\n# Hose\n\nThe hose is red.\n")
    shelf.sync("a.md")
    after = shelf.index().vectors_of(["a.md"])
    assert len(before) == 2
    assert before.keys() < after.keys()
    assert all((before[digest] == after[digest]).all() for digest in before)


def test_a_replacement_with_fewer_chunks_or_none_leaves_nothing_behind(shelf: Pipeline) -> None:
    shelf.cloud.put("a.md", MANUAL)
    shelf.sync("a.md")
    shelf.cloud.put("a.md", "# Pump\n\nGone.\n")
    shelf.sync("a.md")
    assert shelf.text("a.md") == "# Pump\n\nGone.\n"
    shelf.cloud.put("a.md", "")
    shelf.sync("a.md")
    assert found(shelf.document("a.md")).state is State.EMPTY
    assert shelf.text("a.md") == ""
    assert shelf.index().inconsistent_keys() == set()


def test_a_deleted_object_stops_answering(shelf: Pipeline) -> None:
    shelf.cloud.put("a.md", MANUAL)
    shelf.sync("a.md")
    shelf.cloud.remove("a.md")
    shelf.sync("a.md")
    assert shelf.sources() == []
    assert shelf.text("a.md") == ""


def test_a_prepared_document_of_an_object_that_moved_on_is_dropped_and_looked_at_again(shelf: Pipeline) -> None:
    shelf.cloud.put("a.md", MANUAL)
    assert shelf.prepare("a.md") == []
    shelf.cloud.put("a.md", "Newer text.")
    assert shelf.commit() == 1
    assert shelf.text("a.md") == ""
    shelf.drain()
    assert shelf.text("a.md") == "Newer text."


def test_a_lost_acknowledgement_changes_nothing(shelf: Pipeline) -> None:
    shelf.cloud.put("a.md", MANUAL)
    assert shelf.prepare("a.md") == []
    assert shelf.commit(keep=True) == 1
    version = shelf.index().version
    shelf.drain()
    assert shelf.index().version == version
    assert shelf.text("a.md") == MANUAL


def test_a_lost_prepared_file_is_prepared_again(shelf: Pipeline) -> None:
    shelf.cloud.put("a.md", MANUAL)
    assert shelf.prepare("a.md") == []
    listed = shelf.cloud.s3.list_objects_v2(Bucket=shelf.cloud.index_bucket, Prefix="index/prepared/")
    name = listed["Contents"][0]["Key"]
    shelf.cloud.s3.put_object(Bucket=shelf.cloud.index_bucket, Key=name, Body=b"damaged")
    shelf.drain()
    assert shelf.text("a.md") == MANUAL


def test_a_message_that_nobody_can_read_becomes_a_dead_letter_and_holds_up_nobody(shelf: Pipeline) -> None:
    shelf.cloud.put("a.md", MANUAL)
    records = [record("no json", name="bad"), record(look_at("a.md"), name="good")]
    assert failures(shelf.ingest.handle({"Records": records}, lambda: PLENTY)) == ["bad"]
    lane = [record("no json"), record(json.dumps({"docshelf": "unknown"}))]
    assert failures(shelf.lane.handle({"Records": lane}, lambda: PLENTY)) == []
    shelf.drain()
    assert shelf.sources() == ["a.md"]


def test_the_lane_stops_at_the_first_message_there_is_no_time_for(shelf: Pipeline) -> None:
    records = [record(json.dumps({"docshelf": "maintain"}), name=str(number)) for number in range(3)]
    seconds = iter([PLENTY, 1.0])
    assert failures(shelf.lane.handle({"Records": records}, lambda: next(seconds))) == ["1", "2"]


def test_a_dead_letter_becomes_a_failed_document(shelf: Pipeline) -> None:
    shelf.cloud.put("ready.md", MANUAL)
    shelf.sync("ready.md")
    shelf.cloud.put("lost.md", MANUAL)
    for body in (look_at("lost.md"), look_at("ready.md"), look_at("gone.md"), "no json"):
        shelf.cloud.sqs.send_message(QueueUrl=shelf.cloud.dead_letter_queue_url, MessageBody=body)
    assert shelf.chore(Maintain()) == []
    lost = found(shelf.document("lost.md"))
    assert (lost.state, lost.retryable) == (State.FAILED, True)
    assert found(shelf.document("ready.md")).state is State.INDEXED
    assert shelf.document("gone.md") is None
    counts = shelf.cloud.sqs.get_queue_attributes(
        QueueUrl=shelf.cloud.dead_letter_queue_url, AttributeNames=["ApproximateNumberOfMessagesNotVisible"]
    )
    assert counts["Attributes"]["ApproximateNumberOfMessagesNotVisible"] == "1"
    shelf.chore(Sweep())
    shelf.drain()
    assert found(shelf.document("lost.md")).state is State.INDEXED


def test_the_sweep_finds_what_no_event_told_of(shelf: Pipeline) -> None:
    for key in ("kept.md", "changed.md", "gone.md"):
        shelf.cloud.put(key, MANUAL)
    shelf.sync("kept.md", "changed.md", "gone.md")
    shelf.cloud.put("changed.md", "Another text.")
    shelf.cloud.put("new.md", "A new text.")
    shelf.cloud.remove("gone.md")
    assert shelf.chore(Sweep()) == []
    shelf.drain()
    assert shelf.sources() == ["changed.md", "kept.md", "new.md"]
    assert shelf.text("changed.md") == "Another text."
    assert shelf.chore(Sweep()) == []
    assert shelf.ingest_queue() == 0


def test_a_sweep_of_an_environment_without_an_index_queues_the_whole_bucket(shelf: Pipeline) -> None:
    shelf.cloud.put("a.md", MANUAL)
    assert shelf.chore(Maintain()) == []
    assert shelf.chore(Sweep()) == []
    shelf.drain()
    assert shelf.sources() == ["a.md"]


def sweeper(shelf: Pipeline, *, keys_a_step: int = 4, long_backlog: int = 100) -> Sweeper:
    source, queue = BucketSource(ObjectStore(shelf.cloud.bucket)), Queue(shelf.cloud.ingest_queue_url)
    return Sweeper(source, LiveIndex(shelf.cloud.index), queue, Limits(), keys_a_step, long_backlog)


def test_a_sweep_that_runs_out_of_time_goes_on_behind_the_last_key(shelf: Pipeline) -> None:
    keys = [f"{number:02}.md" for number in range(10)]
    for key in keys:
        shelf.cloud.put(key, "Text.")
    shelf.sync(*keys[:2])
    rest = sweeper(shelf).sweep(Sweep(), lambda: 1.0, reserve_seconds=20.0)
    assert rest is not None
    assert (rest.after, rest.queued) == ("03.md", 2)
    assert sweeper(shelf).sweep(rest, lambda: PLENTY, reserve_seconds=20.0) is None
    shelf.drain()
    assert shelf.sources() == keys


def test_the_lane_sends_itself_the_rest_of_a_sweep(shelf: Pipeline) -> None:
    shelf.cloud.put("a.md", "Text.")
    shelf.cloud.put("b.md", "Text.")
    seconds = iter([PLENTY, 1.0])
    sweep = record(json.dumps({"docshelf": "sweep"}))
    assert failures(shelf.lane.handle({"Records": [sweep]}, lambda: next(seconds))) == []
    shelf.drain()
    assert shelf.sources() == ["a.md", "b.md"]


def test_a_sweep_waits_while_ingest_is_busy(shelf: Pipeline) -> None:
    shelf.cloud.put("a.md", "Text.")
    for _ in range(3):
        shelf.cloud.sqs.send_message(QueueUrl=shelf.cloud.ingest_queue_url, MessageBody=look_at("a.md"))
    assert sweeper(shelf, long_backlog=3).sweep(Sweep(), lambda: PLENTY, reserve_seconds=20.0) is None
    assert shelf.ingest_queue() == 3


def test_identical_content_under_two_keys_is_two_documents(shelf: Pipeline) -> None:
    for key in ("a.md", "b.md"):
        shelf.cloud.put(key, MANUAL)
    shelf.sync("a.md", "b.md")
    shelf.cloud.remove("a.md")
    shelf.sync("a.md")
    assert shelf.sources() == ["b.md"]
    assert shelf.text("b.md") == MANUAL


def test_old_prepared_files_are_removed(shelf: Pipeline) -> None:
    shelf.cloud.put("a.md", MANUAL)
    shelf.sync("a.md")
    shelf.cloud.s3.put_object(Bucket=shelf.cloud.index_bucket, Key="index/prepared/left.arrow", Body=b"x")
    shelf.chore(Maintain())
    listed = shelf.cloud.s3.list_objects_v2(Bucket=shelf.cloud.index_bucket, Prefix="index/prepared/")
    assert listed["KeyCount"] == 1


def test_metrics_tell_states_and_sizes(shelf: Pipeline, capsys: pytest.CaptureFixture[str]) -> None:
    shelf.cloud.put("a.md", MANUAL)
    shelf.cloud.put("b.md", "")
    shelf.sync("a.md", "b.md")
    capsys.readouterr()
    shelf.chore(Maintain())
    shelf.chore(Sweep())
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    states = {line["State"]: line["Documents"] for line in lines if "Documents" in line}
    assert states["indexed"] == [1.0]
    assert states["empty"] == [1.0]
    assert states["failed"] == [0.0]
    sizes = next(line for line in lines if "Fragments" in line)
    assert sizes["Chunks"] == [2.0]
    assert sizes["IndexBytes"][0] > 1_000
    assert next(line for line in lines if "SweepDifferences" in line)["SweepDifferences"] == [0.0]
    assert timedelta(0) == timedelta(
        seconds=next(line for line in lines if "OldestUnprocessedChange" in line)["OldestUnprocessedChange"][0]
    )


def test_files_to_which_others_leave_no_time_are_never_given_up(shelf: Pipeline) -> None:
    keys = [f"{number}.md" for number in range(3)]
    for key in keys:
        shelf.cloud.put(key, f"The file {key}.\n")
    remaining = iter([300.0] + [100.0] * 1_000)  # enough for one file
    records = [record(look_at(key), 5, key) for key in keys]
    assert failures(shelf.ingest.handle({"Records": records}, lambda: next(remaining))) == []
    shelf.drain()
    assert {shelf.document(key).state for key in keys} == {State.INDEXED}  # type: ignore[union-attr]


def test_a_file_that_is_replaced_while_it_is_found_too_large_is_looked_at_again(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    stat = BucketSource.stat

    def replaced(source: BucketSource, key: str) -> SourceEntry | None:
        cloud.put(key, "Short.\n")
        return stat(source, key)

    with pipeline(cloud, Limits(max_bytes=100)) as shelf:
        cloud.put("a.md", "Long. " * 100)
        with monkeypatch.context() as patched:
            patched.setattr(BucketSource, "stat", replaced)
            assert shelf.prepare("a.md") == ["a.md"]
        shelf.sync("a.md")
        assert shelf.text("a.md") == "Short.\n"


def test_bytes_that_were_read_are_not_kept_for_the_whole_batch(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    class Noted(SourceContent):
        """One that can be watched."""

    contents: list[weakref.ref[Noted]] = []
    read = BucketSource.read

    def noted(source: BucketSource, key: str, max_bytes: int) -> SourceContent:
        assert [one for one in contents if one()] == []
        found = read(source, key, max_bytes)
        content = Noted(found.data, found.sha256, found.size, found.modified_at, found.version)
        contents.append(weakref.ref(content))
        return content

    monkeypatch.setattr(BucketSource, "read", noted)
    with pipeline(cloud) as shelf:
        keys = ["a.zip", "b.zip", "c.zip"]
        for key in keys:
            cloud.put(key, b"PK\x05\x06" + b"\0" * 18)
        shelf.sync(*keys)
        assert len(contents) == 3


def test_prepared_files_may_be_kept_longer_than_the_calendar_goes(cloud: Cloud) -> None:
    with pipeline(cloud, keep_prepared_days=999_999) as shelf:
        cloud.put("a.md", MANUAL)
        shelf.sync("a.md")
        assert shelf.chore(Maintain()) == []
