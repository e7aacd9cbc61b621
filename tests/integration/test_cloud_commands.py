"""The commands over buckets and an index on S3, with the real functions between them."""

from __future__ import annotations

import json
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from docshelf.aws.objects import ObjectStore
from docshelf.cloud import rebuild
from docshelf.commands import local, query, reindex, status, upload
from docshelf.embedding.embedder import Embedder
from docshelf.index.live import LiveIndex
from docshelf.index.pointer import generations, read_pointer
from docshelf.index.store import Index
from docshelf.models import identity_of
from tests.support.cloud import Cloud
from tests.support.commands import EXAMPLES, ROOT, SECONDS, run, started
from tests.support.pipeline import Pipeline, pipeline
from tests.support.scripted_s3 import error, scripted_s3

DOCUMENTS = {
    "handbook/lighthouse.md": "# Lighthouse\n\nThe keeper of the lighthouse is Ada Brandt.\n",
    "handbook/harbour.md": "# Harbour\n\nThe harbour closes at nine in the evening.\n",
    "notes/scan.txt": "",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command gave."""

    returncode: int
    stdout: str
    stderr: str

    def sentence(self, *parts: str) -> None:
        """What stands on stderr is one sentence with these parts."""
        assert len(self.stderr.strip().splitlines()) == 1, self.stderr
        for part in parts:
            assert part in self.stderr


Inside = Callable[..., Outcome]


@pytest.fixture
def inside(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Inside:
    """Run a command in this process."""
    monkeypatch.setenv("DOCSHELF_HOME", str(tmp_path / "home"))
    mains = {module.__name__.rpartition(".")[2]: module.main for module in (local, query, reindex, status, upload)}

    def call(command: str, *arguments: str | Path) -> Outcome:
        capsys.readouterr()
        returncode = mains[command]([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return Outcome(returncode, shown.out, shown.err)

    return call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in DOCUMENTS.items():
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "docs"


@pytest.fixture
def functions(cloud: Cloud) -> Iterator[Pipeline]:
    """The functions of the environment."""
    with pipeline(cloud) as made:
        yield made


@pytest.fixture
def shelf(functions: Pipeline, inside: Inside, folder: Path) -> Pipeline:
    """An environment in which the documents were uploaded and indexed."""
    assert inside("upload", folder, f"s3://{functions.cloud.bucket}").returncode == 0
    functions.sync(*DOCUMENTS)
    return functions


def value(done: Outcome) -> Any:
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


# -- upload --------------------------------------------------------------------------------------------------------


def test_upload_says_what_it_did_and_what_it_passed_over(cloud: Cloud, inside: Inside, folder: Path) -> None:
    (folder / ".git").mkdir()
    first = inside("upload", folder, f"s3://{cloud.bucket}/pre")
    assert (first.returncode, first.stderr) == (0, "")
    lines = first.stdout.splitlines()
    assert lines[0].startswith("Done in ")
    assert ": 3 files uploaded (3 new, 0 changed), 0 unchanged. 0.0 MB sent." in lines[0]
    assert lines[1:] == ["", "Passed over, as they belong to tools: .git/."]
    (folder / "notes/scan.txt").unlink()
    (folder / "handbook/harbour.md").write_text("# Harbour\n\nIt closes at ten.\n")
    dry = inside("upload", folder, f"s3://{cloud.bucket}/pre", "--delete", "--dry-run")
    assert dry.stdout.splitlines()[:3] == [
        "would upload  handbook/harbour.md",
        "would delete  notes/scan.txt",
        "Nothing was changed: 1 file to upload (0 new, 1 changed), 1 unchanged, 1 to delete. 0.0 MB sent.",
    ]
    done = inside("upload", folder, f"s3://{cloud.bucket}/pre", "--delete")
    assert ": 1 file uploaded (0 new, 1 changed), 1 unchanged, 1 deleted. " in done.stdout
    store = ObjectStore(cloud.bucket, "pre")
    assert [entry.key for entry in store.list()] == ["handbook/harbour.md", "handbook/lighthouse.md"]


def test_upload_names_each_file_that_failed_and_ends_with_1(cloud: Cloud, inside: Inside, tmp_path: Path) -> None:
    name = "n" * 200
    path = tmp_path / "docs" / name / name / name / name / name / name / "line\nbreak.md"
    path.parent.mkdir(parents=True)
    path.write_text("text")
    done = inside("upload", tmp_path / "docs", f"s3://{cloud.bucket}", "--delete")
    assert done.returncode == 1
    assert ", 1 failed. " in done.stdout
    assert "line\\nbreak.md: With its folders the name has more than 1,024 bytes: shorten it." in done.stdout
    assert "Nothing was deleted, as not all files could be uploaded." in done.stdout


def test_upload_refuses_what_it_cannot_use(cloud: Cloud, inside: Inside, tmp_path: Path, folder: Path) -> None:
    for arguments, code, words in [
        ((folder, cloud.bucket), 2, "s3://BUCKET/PREFIX"),
        ((tmp_path / "gone", f"s3://{cloud.bucket}"), 1, "There is no folder"),
        ((folder, "s3://no-such-bucket-of-ours"), 1, "no-such-bucket-of-ours does not exist"),
        ((folder, f"s3://{cloud.index_bucket}", "--delete"), 2, "would delete it"),
    ]:
        done = inside("upload", *arguments)
        assert (done.returncode, done.stdout) == (code, "")
        done.sentence(words)


def test_upload_runs_as_a_process_and_is_interrupted_cleanly(cloud: Cloud, tmp_path: Path) -> None:
    done = run(tmp_path, "upload", EXAMPLES, f"s3://{cloud.bucket}")
    assert (done.returncode, done.stderr) == (0, "")
    assert ": 11 files uploaded (11 new, 0 changed), 0 unchanged. " in done.stdout
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with started(tmp_path, "upload", EXAMPLES, f"s3://{cloud.bucket}", AWS_ENDPOINT_URL=url) as process:
            connection, _ = silent.accept()
            process.send_signal(signal.SIGINT)
            assert process.wait(SECONDS) == 130
            connection.close()
            assert process.stderr
            assert process.stderr.read() == ("Stopped. What was uploaded is there; the next run goes on from there.\n")


# -- status and query ----------------------------------------------------------------------------------------------


def test_status_compares_the_index_with_the_bucket(shelf: Pipeline, inside: Inside) -> None:
    cloud = shelf.cloud
    agreeing = inside("status").stdout.splitlines()
    assert agreeing[0].startswith(f"index        {cloud.index} (version g0001.")
    assert agreeing[1:3] == ["model        all-minilm-l6-v2 (384 dimensions)", "generation   g0001"]
    assert agreeing[4] == "holds        3 documents, 2 chunks"
    assert agreeing[5] == f"bucket       s3://{cloud.bucket}: 3 documents"
    assert agreeing[6] == "waiting      nothing: the index agrees with the bucket"
    assert agreeing[13:16] == ["indexed              2", "empty                1", ""]
    assert agreeing[16].startswith("empty  notes/scan.txt: ")
    cloud.put("handbook/new.md", "# New\n")
    cloud.put("handbook/harbour.md", "# Changed\n")
    cloud.remove("notes/scan.txt")
    lines = inside("status").stdout.splitlines()
    assert lines[6].startswith("waiting      3 changes, the oldest of 20")
    assert lines[12:] == [
        "state        documents",
        "queued               2",
        "indexed              1",
        "removed              1",
        "",
        "queued  handbook/harbour.md: changed in the bucket",
        "queued  handbook/new.md: new in the bucket",
        "",
        "removed  notes/scan.txt: no longer in the bucket, still in the index",
    ]


def test_status_as_json_has_every_document_with_its_change(shelf: Pipeline, inside: Inside) -> None:
    cloud = shelf.cloud
    before = value(inside("status", "--json"))
    examples = re.findall(r"```json\n(.*?)```", (ROOT / "docs/commands.md").read_text("utf-8"), re.DOTALL)
    documented = json.loads(examples[2])
    assert list(before) == list(documented) == [
        "model", "index_version", "generation", "collections", "documents", "bucket", "building"
    ]  # fmt: skip
    assert [one["change"] for one in before["documents"]] == [None] * 3
    assert before["bucket"] == {
        "address": f"s3://{cloud.bucket}",
        "documents": 3,
        "agreeing": 3,
        "waiting": 0,
        "oldest_change": None,
    }
    assert before["bucket"].keys() == documented["bucket"].keys()
    cloud.put("handbook/a new one.md", "# New\n")
    cloud.put("handbook/harbour.md", "# Changed\n")
    cloud.remove("notes/scan.txt")
    found = value(inside("status", "--json", "--bucket", f"s3://{cloud.bucket}"))
    documents = {one["source"]: (one["state"], one["change"], one["chunks"]) for one in found["documents"]}
    assert documents == {
        "handbook/a new one.md": ("queued", "new", 0),
        "handbook/harbour.md": ("queued", "changed", 1),
        "handbook/lighthouse.md": ("indexed", None, 1),
        "notes/scan.txt": ("empty", "removed", 0),
    }
    assert len({tuple(one) for one in found["documents"]}) == 1
    assert (found["bucket"]["documents"], found["bucket"]["agreeing"], found["bucket"]["waiting"]) == (3, 1, 3)
    assert found["bucket"]["oldest_change"] == found["documents"][0]["modified_at"]


def test_status_names_the_documents_of_a_bucket_that_have_a_problem(shelf: Pipeline, inside: Inside) -> None:
    cloud = shelf.cloud
    cloud.put("handbook/spread.txt", "T h e h a r b o u r l i e s a t t h e m o u t h o f t h e r i v e r\n")
    shelf.sync("handbook/spread.txt")
    shelf.sync("handbook/spread.txt")
    cloud.put("handbook/new.md", "# New\n")
    lines = inside("status", "--problems").stdout.splitlines()
    assert lines[0] == "queued        handbook/new.md: waiting"
    assert lines[1].startswith("indexed       handbook/spread.txt: About 100 % of the words")
    assert lines[2].startswith("empty         notes/scan.txt: ")
    assert lines[3:] == ["", "5 documents: 2 not searchable as they are now, 1 searchable with a problem."]
    found = value(inside("status", "--problems", "--json"))
    assert [one["source"] for one in found["documents"]] == [
        "handbook/new.md",
        "handbook/spread.txt",
        "notes/scan.txt",
    ]
    assert found["bucket"]["documents"] == 5


def test_status_without_a_bucket_shows_the_index_alone(
    shelf: Pipeline, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DOCSHELF_BUCKET")
    shelf.cloud.put("handbook/new.md", "# New\n")
    lines = inside("status", "--index", shelf.cloud.index).stdout.splitlines()
    assert not [line for line in lines if line.startswith(("bucket", "waiting", "queued"))]
    assert lines[-1].startswith("empty  notes/scan.txt: ")
    found = value(inside("status", "--json"))
    assert (found["bucket"], len(found["documents"])) == (None, 3)


def test_query_searches_an_index_on_s3(shelf: Pipeline, inside: Inside, tmp_path: Path) -> None:
    found = value(inside("query", "Who keeps the lighthouse?", "--json", "--limit", "1"))
    assert found["passages"][0]["source"] == "handbook/lighthouse.md"
    done = run(tmp_path, "query", "Who keeps the lighthouse?", "--index", shelf.cloud.index)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Ada Brandt" in done.stdout
    done = run(tmp_path, "status", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(json.loads(done.stdout)["documents"]) == 3


def test_a_directory_named_by_the_variable_is_a_local_index(
    inside: Inside, folder: Path, tmp_path: Path, cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "index"
    assert inside("local", folder, "--once", "--index", root).returncode == 0
    monkeypatch.setenv("DOCSHELF_INDEX", str(root))
    assert inside("status").stdout.startswith(f"index        {root} (version ")
    assert list(value(inside("status", "--json"))) == ["model", "index_version", "collections", "documents"]
    refused = inside("status", "--bucket", f"s3://{cloud.bucket}")
    assert refused.returncode == 2
    refused.sentence("--bucket is for an index on S3")
    with pytest.raises(SystemExit):
        inside("local", folder, "--once", "--index", cloud.index)
    assert not Path("s3:").exists()


CALLS = [("status",), ("query", "bank"), ("reindex",), ("reindex", "--status"), ("reindex", "--remove-old")]


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_what_is_wrong_with_the_account_or_the_place_is_one_sentence(
    cloud: Cloud, inside: Inside, monkeypatch: pytest.MonkeyPatch, embedder: Embedder, call: tuple[str, ...]
) -> None:
    def refused(*parts: str) -> None:
        done = inside(*call)
        assert (done.returncode, done.stdout) == (1, "")
        done.sentence(*parts)

    refused("There is no index at", cloud.index)
    Index.create(cloud.index, identity_of(embedder))
    with monkeypatch.context() as changed:
        changed.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        refused(f"{cloud.index_bucket} does not answer")
    with monkeypatch.context() as changed:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            changed.delenv(name)
        refused("without AWS credentials")
    with monkeypatch.context() as changed, scripted_s3() as script:
        changed.setenv("AWS_ENDPOINT_URL", script.url)
        for operation in ("GET", "LIST", "HEAD"):
            script.on(operation, error(403, "AccessDenied"))
        refused(f"{cloud.index_bucket} refuses access: the permission s3:GetObject is missing")
    with monkeypatch.context() as changed:
        changed.setenv("DOCSHELF_INDEX", "s3://no-such-bucket-of-ours/index")
        refused("no-such-bucket-of-ours does not exist")


# -- reindex -------------------------------------------------------------------------------------------------------


def test_reindex_builds_beside_the_old_one_and_switches_when_it_is_complete(
    shelf: Pipeline, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloud, live = shelf.cloud, LiveIndex(shelf.cloud.index, pointer_seconds=0)
    old = live.current()
    begun = inside("reindex", "--no-wait")
    assert (begun.returncode, begun.stderr) == (0, "")
    assert begun.stdout.splitlines() == [
        "Using the model all-minilm-l6-v2, which the index was made with.",
        "Building g0002 with all-minilm-l6-v2 beside g0001, which stays in use meanwhile.",
        "3 documents queued for ingest.",
        f"To follow it and to switch, run: ./scripts/reindex --index {cloud.index}",
    ]
    assert live.current().generation == "g0001"
    shown = inside("reindex", "--status").stdout.splitlines()
    assert shown[:3] == [
        "in use    g0001 with all-minilm-l6-v2",
        "building  g0002 with all-minilm-l6-v2: 0 of 3 documents agree with the bucket",
        f"queue     3 messages waiting and 0 under way in {cloud.ingest_queue_url.rpartition('/')[2]}",
    ]
    assert "building     g0002 with all-minilm-l6-v2: 0 of 3 documents agree with the bucket" in inside("status").stdout
    assert value(inside("status", "--json"))["building"] == {
        "generation": "g0002",
        "model": "all-minilm-l6-v2",
        "agreeing": 0,
    }
    shelf.drain()
    done = inside("reindex")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[:5] == [
        "Going on with g0002, which is being built with all-minilm-l6-v2.",
        "0 documents queued for ingest.",
        "state        documents",
        "indexed              2",
        "empty                1",
    ]
    assert lines[-1].startswith("Switched: g0002 is in use now. g0001 is kept; to delete it, in 10 min or later, run: ")
    assert lines[-1].endswith(f"./scripts/reindex --index {cloud.index} --remove-old")
    assert live.current().generation == "g0002"
    assert [one.source for one in old.all_documents()] == sorted(DOCUMENTS)
    early = inside("reindex", "--remove-old")
    assert early.returncode == 1
    early.sentence("g0001 may still be read or written")
    assert "kept      g0001 (to remove: " in inside("reindex", "--status").stdout
    monkeypatch.setattr(rebuild, "READERS_SECONDS", -60)
    assert inside("reindex", "--remove-old").stdout == "g0001 is deleted.\n"
    assert inside("reindex", "--remove-old").stdout == "There is no old generation.\n"
    assert generations(cloud.index) == ["g0002"]
    assert value(inside("query", "lighthouse keeper", "--json"))["passages"]


def test_reindex_waits_for_the_functions_and_readers_move_over_without_a_gap(
    shelf: Pipeline, inside: Inside, embedder: Embedder
) -> None:
    done, problems, seen = threading.Event(), list[str](), set[str]()

    def read() -> None:
        live = LiveIndex(shelf.cloud.index, pointer_seconds=0)
        while not done.is_set():
            index = live.current()
            seen.add(index.generation)
            if [one.source for one in index.all_documents()] != sorted(DOCUMENTS):
                problems.append(index.generation)

    def work() -> None:
        while not done.is_set():
            shelf.ingest_queue()
            shelf.commit()

    threads = [threading.Thread(target=read), threading.Thread(target=work)]
    for thread in threads:
        thread.start()
    try:
        outcome = inside("reindex", "--interval", "1", "--model", "all-minilm-l6-v2")
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert outcome.returncode == 0, outcome.stderr
    assert "Switched: g0002 is in use now." in outcome.stdout
    assert problems == []
    assert "g0001" in seen
    assert read_pointer(shelf.cloud.index, "").generation == "g0002"
    assert Index.open(shelf.cloud.index).identity == identity_of(embedder)


def test_reindex_is_given_up_and_begun_with_another_model(
    shelf: Pipeline, inside: Inside, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(identity_of(embedder), model="other-model")
    with monkeypatch.context() as changed:
        changed.setattr("docshelf.models.identity_of", lambda _: other)
        assert inside("reindex", "--no-wait").returncode == 0
    refused = inside("reindex", "--model", "all-minilm-l6-v2")
    assert refused.returncode == 1
    refused.sentence("g0002 is being built with other-model", "--abandon")
    given_up = inside("reindex", "--abandon")
    assert given_up.stdout.startswith("g0002 is given up; to delete it, in 10 min or later, run: ")
    assert inside("reindex", "--abandon").stdout == "No rebuild is under way.\n"
    assert "building  nothing" in inside("reindex", "--status").stdout
    assert inside("reindex", "--no-wait", "--model", "all-minilm-l6-v2").returncode == 0
    assert read_pointer(shelf.cloud.index, "").building == "g0003"


def test_reindex_fills_an_index_whose_pointer_is_damaged(shelf: Pipeline, inside: Inside) -> None:
    ObjectStore.from_uri(shelf.cloud.index).put("current.json", b"{")
    for call in (("status",), ("query", "lighthouse")):
        damaged = inside(*call)
        assert damaged.returncode == 1
        damaged.sentence(f"to make it anew, run: ./scripts/reindex --index {shelf.cloud.index}")
    begun = inside("reindex", "--no-wait", "--model", "all-minilm-l6-v2").stdout
    assert f"The index at {shelf.cloud.index} could not be read: g0002 with all-minilm-l6-v2 takes its place." in begun
    shelf.drain()
    assert [one.source for one in Index.open(shelf.cloud.index).all_documents()] == sorted(DOCUMENTS)


def test_reindex_says_which_setting_is_missing(
    cloud: Cloud, inside: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, option in [
        ("DOCSHELF_INGEST_QUEUE_URL", "--ingest-queue"),
        ("DOCSHELF_BUCKET", "--bucket"),
        ("DOCSHELF_INDEX", "--index"),
    ]:
        monkeypatch.delenv(variable)
        done = inside("reindex")
        assert (done.returncode, done.stdout) == (2, "")
        done.sentence(option, variable)
    done = inside("reindex", "--index", tmp_path)
    assert done.returncode == 2
    done.sentence("./scripts/local FOLDER --rebuild")
    assert inside("reindex", "--status", "--index", cloud.index).returncode == 1


def test_reindex_runs_as_a_process_and_is_interrupted_cleanly(shelf: Pipeline, tmp_path: Path) -> None:
    with started(tmp_path, "reindex", "--interval", "1") as process:
        assert process.stdout
        assert process.stderr
        lines = [process.stdout.readline() for _ in range(3)]
        assert lines[2] == "3 documents queued for ingest.\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 130
        command = f"./scripts/reindex --index {shelf.cloud.index}"
        # How far it is may stand before that, where the machine is slow.
        last = process.stderr.read().splitlines()[-1]
        assert last == f"Stopped. What is queued goes on; to go on and switch, run: {command}"
    shelf.drain()
    done = run(tmp_path, "reindex")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Switched: g0002 is in use now." in done.stdout
