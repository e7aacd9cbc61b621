"""A bucket is made to hold what a folder holds, and nothing else happens to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from boto3.s3.transfer import TransferConfig
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docshelf.aws.objects import ObjectEntry, ObjectStore
from docshelf.cloud.fingerprint import SHA256_METADATA, fingerprint
from docshelf.cloud.tally import Outcome, Tally
from docshelf.cloud.upload import FAILURES_IN_A_ROW, Upload
from docshelf.errors import InvalidArgumentError, SourceError, StoreDeniedError, StoreUnavailableError
from docshelf.sources.folder import FolderSource
from tests.support.cloud import Cloud, new_cloud
from tests.support.scripted_s3 import error, listing, scripted_s3


class Run:
    """What an upload did."""

    def __init__(self, folder: Path, store: ObjectStore, **options: bool) -> None:
        self.tally = Tally()
        self.said: list[tuple[str, str]] = []
        self.source = FolderSource(folder)
        upload = Upload(self.source, store, self.tally, lambda what, key: self.said.append((what, key)))
        upload.run(**options)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """New, changed, unchanged and deleted."""
        found = self.tally.outcomes
        return found[Outcome.NEW], found[Outcome.CHANGED], found[Outcome.UNCHANGED], self.tally.deleted


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def held(store: ObjectStore) -> dict[str, bytes]:
    found = {entry.key: store.get(entry.key) for entry in store.list()}
    return {key: item.data for key, item in found.items() if item}


@pytest.fixture
def store(cloud: Cloud) -> ObjectStore:
    return ObjectStore(cloud.bucket, "docs")


def test_files_get_exactly_their_paths_as_keys_and_what_their_names_say(
    cloud: Cloud, store: ObjectStore, tmp_path: Path
) -> None:
    names = ["a.md", "x y/+%#?&'\".md", "é/\u0065\u0301.txt", "emoji \U0001f600.md", "mark \ufffd.md", "line\nbreak.md"]
    run = Run(write(tmp_path / "f", {name: name for name in names}), store)
    assert run.counts == (len(names), 0, 0, 0)
    assert held(store) == {name: name.encode() for name in names}
    head = cloud.s3.head_object(Bucket=cloud.bucket, Key="docs/a.md")
    assert head["ContentType"] == "text/markdown; charset=utf-8"
    assert len(head["Metadata"][SHA256_METADATA]) == 64
    assert run.tally.bytes_sent == sum(len(name.encode()) for name in names)


def test_what_is_there_already_is_not_sent_again_whatever_its_times(store: ObjectStore, tmp_path: Path) -> None:
    folder = write(tmp_path / "f", {"a.md": "one", "b.md": "two", "empty.md": ""})
    assert Run(folder, store).counts == (3, 0, 0, 0)
    os.utime(folder / "a.md", (1, 1))
    write(folder, {"b.md": "2"})
    run = Run(folder, store)
    assert run.counts == (0, 1, 2, 0)
    assert run.tally.bytes_sent == 1
    write(folder, {"b.md": "3"})
    assert Run(folder, store).counts == (0, 1, 2, 0)
    assert held(store)["b.md"] == b"3"


def test_an_object_whose_etag_says_nothing_is_known_by_what_its_upload_noted(
    cloud: Cloud, store: ObjectStore, tmp_path: Path
) -> None:
    text = "x" * (6 << 20)
    folder = write(tmp_path / "f", {"same.md": text, "other.md": text})
    config = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20)
    for name in ("same.md", "other.md"):
        with (folder / name).open("rb") as file:
            noted = {SHA256_METADATA: fingerprint(file).sha256 if name == "same.md" else "0" * 64}
        path = str(folder / name)
        cloud.s3.upload_file(path, cloud.bucket, f"docs/{name}", ExtraArgs={"Metadata": noted}, Config=config)
    run = Run(folder, store)
    assert run.counts == (0, 1, 1, 0)
    assert run.tally.bytes_sent == len(text)
    assert Run(folder, store).counts == (0, 0, 2, 0)


def test_a_file_that_is_written_to_meanwhile_is_sent_again(store: ObjectStore, tmp_path: Path) -> None:
    path = write(tmp_path / "f", {"a.md": "a"}) / "a.md"

    class Growing(Tally):
        """Whenever bytes are sent, the file grows, `left` times."""

        left = 1

        def sent(self, number: int) -> None:
            super().sent(number)
            if self.left > 0:
                self.left -= 1
                with path.open("a") as file:
                    file.write("!")

    once, always = Growing(), Growing()
    always.left = 1_000
    Upload(FolderSource(path.parent), store, once, print).run()
    assert held(store) == {"a.md": b"a!"}
    assert once.failures == []
    Upload(FolderSource(path.parent), store, always, print).run()
    assert always.failures == []  # the bucket held it as it was
    path.write_text("new")
    Upload(FolderSource(path.parent), store, always, print).run()
    assert always.failures == [("a.md", "The file is being written all the time: try again later.")]


def test_only_asked_for_is_deleted_what_has_no_file(store: ObjectStore, tmp_path: Path) -> None:
    folder = write(tmp_path / "f", {"a.md": "a", "b/c.md": "c"})
    Run(folder, store)
    (folder / "a.md").unlink()
    for key in ("gone/x.md", "b//c.md", "../f/b/c.md"):
        store.put(key, b"x")
    assert Run(folder, store).counts == (0, 0, 1, 0)
    dry = Run(folder, store, delete=True, dry_run=True)
    assert dry.counts == (0, 0, 1, 4)
    assert sorted(dry.said) == [("would delete", key) for key in ("../f/b/c.md", "a.md", "b//c.md", "gone/x.md")]
    assert len(held(store)) == 5
    assert Run(folder, store, delete=True).counts == (0, 0, 1, 4)
    assert held(store) == {"b/c.md": b"c"}


def test_a_dry_run_sends_nothing_and_names_what_it_would(store: ObjectStore, tmp_path: Path) -> None:
    folder = write(tmp_path / "f", {"a.md": "a", "b.md": "b"})
    store.put("b.md", b"other")
    run = Run(folder, store, dry_run=True)
    assert sorted(run.said) == [("would upload", "a.md"), ("would upload", "b.md")]
    assert held(store) == {"b.md": b"other"}


def test_deleting_leaves_alone_what_is_no_document_and_what_was_passed_over(store: ObjectStore, tmp_path: Path) -> None:
    folder = write(tmp_path / "f", {"a.md": "a", ".git/config": "x"})
    (folder / "out").symlink_to(tmp_path)
    kept = ["folder/", ".docshelf/index/current.json", ".git/config", "out/x.md", ".DS_Store", "out"]
    for key in kept:
        store.put(key, b"x")
    run = Run(folder, store, delete=True)
    assert run.counts == (1, 0, 0, 0)
    assert set(held(store)) == {"a.md", *kept}
    assert run.source.ignored_directories() == (".git/",)


def test_a_prefix_and_its_neighbours_are_distinct(cloud: Cloud, store: ObjectStore, tmp_path: Path) -> None:
    cloud.put("docs2/x.md", "x")
    cloud.put("x.md", "x")
    Run(write(tmp_path / "f", {"a.md": "a"}), store, delete=True)
    assert set(held(ObjectStore(cloud.bucket))) == {"docs/a.md", "docs2/x.md", "x.md"}


def test_an_empty_or_missing_folder_deletes_nothing_unless_that_is_meant(store: ObjectStore, tmp_path: Path) -> None:
    store.put("a.md", b"a")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidArgumentError, match="--allow-empty"):
        Run(tmp_path / "empty", store, delete=True)
    for options in ({}, {"allow_empty": True}):
        with pytest.raises(SourceError):
            Run(tmp_path / "missing", store, delete=True, **options)
    assert Run(tmp_path / "empty", store).counts == (0, 0, 0, 0)
    assert set(held(store)) == {"a.md"}
    assert Run(tmp_path / "empty", store, delete=True, allow_empty=True).counts == (0, 0, 0, 1)
    assert held(store) == {}


def test_names_that_no_key_can_have_are_failures_and_keep_everything(store: ObjectStore, tmp_path: Path) -> None:
    deep = "d" * 200
    long = "/".join([deep] * 5) + "/" + "n" * 20 + ".md"
    folder = write(tmp_path / "f", {"a.md": "a", long: "long"})
    Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff.md")).write_text("bad")
    store.put("gone.md", b"x")
    run = Run(folder, store, delete=True)
    assert run.counts == (1, 0, 0, 0)
    failures = dict(run.tally.failures)
    assert "not valid UTF-8" in failures["bad\ufffdFF.md"]
    assert "1,024 bytes" in failures[long]
    assert set(held(store)) == {"a.md", "gone.md"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(store: ObjectStore, tmp_path: Path) -> None:
    folder = write(tmp_path / "f", {"a.md": "a", "b.md": "b"})
    (folder / "a.md").chmod(0)
    assert Run(folder, store).tally.failures[0][0] == "a.md"


def test_a_file_that_goes_away_or_becomes_something_else_is_named(cloud: Cloud, tmp_path: Path) -> None:
    folder = write(tmp_path / "f", {"a.md": "a", "b.md": "b", "c.md": "c"})

    class Changing(ObjectStore):
        """Its listing takes so long that the folder changes meanwhile."""

        def list(self, prefix: str = "", after: str = "") -> Iterator[ObjectEntry]:
            (folder / "a.md").unlink(missing_ok=True)
            (folder / "b.md").unlink(missing_ok=True)
            os.mkfifo(folder / "b.md")
            return super().list(prefix, after)

    run = Run(folder, Changing(cloud.bucket))
    assert dict(run.tally.failures) == {
        "a.md": "The file cannot be read: No such file or directory.",
        "b.md": "It is no regular file any more.",
    }
    assert run.counts == (1, 0, 0, 0)


def test_a_bucket_that_refuses_is_told_once_and_one_that_fails_always_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in (("ACCESS_KEY_ID", "x"), ("SECRET_ACCESS_KEY", "x")):
        monkeypatch.setenv(f"AWS_{name}", value)
    folder = write(tmp_path / "f", {f"{place:03}.md": "x" for place in range(60)})
    with scripted_s3() as script:
        monkeypatch.setenv("AWS_ENDPOINT_URL", script.url)
        script.on("LIST", error(403, "AccessDenied"))
        with pytest.raises(StoreDeniedError, match="s3:ListBucket"):
            Run(folder, ObjectStore("bucket"))
        script.on("LIST", listing())
        script.on("PUT", error(403, "AccessDenied"))
        with pytest.raises(StoreUnavailableError, match=f"{FAILURES_IN_A_ROW} files failed.*s3:PutObject"):
            Run(folder, ObjectStore("bucket"))
        assert FAILURES_IN_A_ROW <= script.asked.count("PUT") < 60


def test_an_interruption_ends_the_workers(store: ObjectStore, tmp_path: Path) -> None:
    folder = write(tmp_path / "f", {f"{place:03}.md": "x" for place in range(200)})
    tally, calls = Tally(), 0

    def interrupt(what: str, key: str) -> None:
        nonlocal calls
        calls += 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Upload(FolderSource(folder), store, tally, interrupt).run(dry_run=True)
    assert calls < 200
    assert held(store) == {}


KEYS = st.sampled_from(["a.md", "b.md", "d/a.md", "d/b.md", "é.md"])
TEXTS = st.sampled_from(["", "1", "2", "22"])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(KEYS, TEXTS, min_size=1), min_size=1, max_size=3), st.dictionaries(KEYS, TEXTS))
def test_after_an_upload_with_delete_the_bucket_equals_the_folder(
    cloud: Cloud,
    tmp_path_factory: pytest.TempPathFactory,
    rounds: list[dict[str, str]],
    before: dict[str, str],
) -> None:
    store = ObjectStore(new_cloud(cloud.url).bucket)
    for key, text in before.items():
        store.put(key, text.encode())
    for files in rounds:
        was = held(store)
        run = Run(write(tmp_path_factory.mktemp("f"), files), store, delete=True)
        assert held(store) == {key: text.encode() for key, text in files.items()}
        new = len(files.keys() - was.keys())
        unchanged = sum(was.get(key) == text.encode() for key, text in files.items())
        assert run.counts == (new, len(files) - new - unchanged, unchanged, len(was.keys() - files.keys()))


def test_nothing_is_deleted_where_an_index_lies_below(store: ObjectStore, tmp_path: Path) -> None:
    part = "index/g0001/chunks.lance/data/0.lance"
    store.put(part, b"rows")
    with pytest.raises(InvalidArgumentError, match="Nothing was deleted: an index of docshelf"):
        Run(write(tmp_path / "f", {"a.md": "text"}), store, delete=True)
    assert set(held(store)) == {part, "a.md"}
