"""Archives and mails in a bucket and in a folder: their files are found, and nothing of an older one stays behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from docshelf.aws.objects import ObjectStore
from docshelf.cloud.comparing import Comparison
from docshelf.cloud.status import CloudIndex, status_lines
from docshelf.commands.status_json import cloud_documents
from docshelf.embedding.embedder import Embedder
from docshelf.errors import NotFoundError
from docshelf.index.filters import EVERYTHING
from docshelf.local.activity import Change
from docshelf.mcp_server.document_text import Range, document_answer
from docshelf.mcp_server.listings import documents_answer
from docshelf.messages import Sweep
from docshelf.search.shelves import Shelves
from docshelf.settings import Limits
from docshelf.states import State
from tests.support.archives import mail_of, tar_of, zip_of
from tests.support.cloud import Cloud
from tests.support.indexed_folder import IndexedFolder, new_index, stored
from tests.support.pipeline import PLENTY, Pipeline, failures, look_at, pipeline, record

HERON = b"# Heron\n\nThe heron stands still in shallow water.\n"
KITE = b"# Kite\n\nThe kite glides over open fields.\n"
WREN = b"# Wren\n\nThe wren sings loudly for its size.\n"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(50)


@pytest.fixture
def shelf(cloud: Cloud) -> Iterator[Pipeline]:
    with pipeline(cloud) as made:
        yield made


def states(shelf: Pipeline) -> dict[str, State]:
    return {document.source: document.state for document in shelf.index().all_documents()}


def settled(shelf: Pipeline) -> bool:
    """Whether a sweep finds nothing, twice in a row."""
    for _ in range(2):
        shelf.chore(Sweep())
        if shelf.ingest_queue():
            return False
    return True


def test_an_archive_is_found_replaced_and_removed_as_a_whole(shelf: Pipeline) -> None:
    shelf.cloud.put("birds/a.zip", zip_of({"heron.md": HERON, "more/kite.md": KITE, "logo.png": PICTURE}))
    shelf.cloud.put("birds/a.zip 2.md", WREN)
    shelf.sync("birds/a.zip", "birds/a.zip 2.md")
    assert states(shelf) == {
        "birds/a.zip": State.INDEXED,
        "birds/a.zip!/heron.md": State.INDEXED,
        "birds/a.zip!/logo.png": State.UNSUPPORTED,
        "birds/a.zip!/more/kite.md": State.INDEXED,
        "birds/a.zip 2.md": State.INDEXED,
    }
    assert shelf.text("birds/a.zip!/more/kite.md") == KITE.decode()
    assert settled(shelf)
    shelf.cloud.put("birds/a.zip", zip_of({"heron.md": HERON + b"\nIt waits.\n"}))
    shelf.sync("birds/a.zip")
    assert list(states(shelf)) == ["birds/a.zip", "birds/a.zip!/heron.md", "birds/a.zip 2.md"]
    assert shelf.text("birds/a.zip!/heron.md").endswith("It waits.\n")
    assert settled(shelf)
    shelf.cloud.s3.delete_object(Bucket=shelf.cloud.bucket, Key="birds/a.zip")
    shelf.chore(Sweep())
    shelf.drain()
    assert list(states(shelf)) == ["birds/a.zip 2.md"]
    assert shelf.index().measurements().chunks == 1
    assert settled(shelf)


def test_what_is_attached_to_a_mail_and_packed_in_it_is_found_by_search(shelf: Pipeline, embedder: Embedder) -> None:
    packed = tar_of({"deep/heron.md": HERON}, "w:gz")
    shelf.cloud.put("mail.eml", mail_of("See the file about kites.", {"kite.md": KITE, "birds.tgz": packed}))
    shelf.sync("mail.eml")
    one = Shelves(shelf.index, embedder).for_caller()
    found = one.search("a heron in shallow water", collection=None, path_prefix="mail.eml!/", limit=3)
    assert found.passages[0].source == "mail.eml!/birds.tgz!/deep/heron.md"
    text = one.get_document(
        "mail.eml!/birds.tgz!/deep/heron.md", from_page=None, to_page=None, from_line=None, to_line=None
    )
    assert HERON.decode().strip() in document_answer(text, Range(), 1_000)
    page = one.list_documents(collection=None, path_prefix="mail.eml", state=None, after=None, limit=10)
    lines = documents_answer(page, None, 1_000).splitlines()
    assert "3 documents within it" in lines[1]
    assert [line.partition(" | ")[0] for line in lines[1:]] == [
        "mail.eml",
        "mail.eml!/birds.tgz",
        "mail.eml!/birds.tgz!/deep/heron.md",
        "mail.eml!/kite.md",
    ]


def test_reading_an_archive_tells_where_its_documents_are(shelf: Pipeline, embedder: Embedder) -> None:
    shelf.cloud.put("a.zip", zip_of({"heron.md": HERON}))
    shelf.sync("a.zip")
    one = Shelves(shelf.index, embedder).for_caller()
    text = one.get_document("a.zip", from_page=None, to_page=None, from_line=None, to_line=None)
    with pytest.raises(NotFoundError, match=r'1 document within it: list_documents with path_prefix="a.zip!/"'):
        document_answer(text, Range(), 1_000)


def test_the_status_of_an_index_on_s3_tells_of_members(shelf: Pipeline) -> None:
    shelf.cloud.put("a.zip", zip_of({"heron.md": HERON, "logo.png": PICTURE}))
    shelf.cloud.put("a.zip 2.md", WREN)
    shelf.sync("a.zip", "a.zip 2.md")
    seen = CloudIndex.open(shelf.cloud.index, ObjectStore(shelf.cloud.bucket), Limits())
    assert any(line.endswith(": 2 documents, and 2 within them") for line in status_lines(seen))
    totals = Comparison()
    shown = {one["source"]: (one["state"], one["change"]) for one in cloud_documents(seen, totals)}
    assert list(shown.items()) == [
        ("a.zip", ("indexed", None)),
        ("a.zip!/heron.md", ("indexed", None)),
        ("a.zip!/logo.png", ("unsupported", None)),
        ("a.zip 2.md", ("indexed", None)),
    ]
    assert (totals.keys, totals.members) == (2, 2)
    shelf.cloud.put("a.zip", zip_of({"kite.md": KITE}))
    shown = {one["source"]: (one["state"], one["change"]) for one in cloud_documents(seen, Comparison())}
    assert shown["a.zip!/logo.png"] == shown["a.zip"] == ("queued", "changed")


def test_unchanged_files_of_a_changed_archive_are_not_embedded_again(shelf: Pipeline) -> None:
    shelf.cloud.put("a.zip", zip_of({"heron.md": HERON, "kite.md": KITE}))
    shelf.sync("a.zip")
    index = shelf.index()
    before = index.vectors_of(["a.zip"])
    shelf.cloud.put("a.zip", zip_of({"renamed.md": HERON, "wren.md": WREN}))
    shelf.sync("a.zip")
    after = shelf.index().vectors_of(["a.zip"])
    kept = before.keys() & after.keys()
    assert (len(before), len(after), len(kept)) == (2, 2, 1)
    assert all((before[digest] == after[digest]).all() for digest in kept)


def test_a_document_that_really_has_the_name_of_a_member_goes_first(shelf: Pipeline) -> None:
    shelf.cloud.put("a.zip", zip_of({"heron.md": HERON, "kite.md": KITE}))
    shelf.cloud.put("a.zip!/kite.md", WREN)
    shelf.sync("a.zip", "a.zip!/kite.md")
    assert shelf.text("a.zip!/kite.md") == WREN.decode()
    document = shelf.document("a.zip")
    assert document is not None
    assert document.members == 1
    assert document.warnings[-1].startswith("Left out of it: 1 file,")
    assert settled(shelf)


def test_a_document_that_comes_later_under_the_name_of_a_member_takes_it_over(shelf: Pipeline) -> None:
    shelf.cloud.put("a.zip", zip_of({"heron.md": HERON, "kite.md": KITE}))
    shelf.sync("a.zip")
    shelf.cloud.put("a.zip!/kite.md", WREN)
    shelf.sync("a.zip!/kite.md")
    shelf.chore(Sweep())
    shelf.drain()
    assert shelf.text("a.zip!/kite.md") == WREN.decode()
    assert shelf.text("a.zip!/heron.md") == HERON.decode()
    assert settled(shelf)
    shelf.cloud.s3.delete_object(Bucket=shelf.cloud.bucket, Key="a.zip!/kite.md")
    shelf.sync("a.zip!/kite.md")
    assert list(states(shelf)) == ["a.zip", "a.zip!/heron.md"]
    assert settled(shelf)


def test_a_lost_acknowledgement_and_two_prepared_versions_end_the_same(shelf: Pipeline) -> None:
    shelf.cloud.put("a.zip", zip_of({"heron.md": HERON, "kite.md": KITE}))
    assert shelf.prepare("a.zip") == []
    shelf.cloud.put("a.zip", zip_of({"wren.md": WREN}))
    assert shelf.prepare("a.zip") == []
    shelf.commit(keep=True)
    shelf.drain()
    assert list(states(shelf)) == ["a.zip", "a.zip!/wren.md"]
    assert settled(shelf)


def test_an_archive_that_goes_between_preparing_and_committing_leaves_nothing(shelf: Pipeline) -> None:
    shelf.cloud.put("a.zip", zip_of({"heron.md": HERON, "kite.md": KITE}))
    shelf.sync("a.zip")
    shelf.cloud.put("a.zip", zip_of({"wren.md": WREN}))
    assert shelf.prepare("a.zip") == []
    shelf.cloud.remove("a.zip")
    shelf.drain()
    assert states(shelf) == {}
    assert shelf.index().measurements().chunks == 0
    assert settled(shelf)


def test_a_file_that_takes_the_name_of_a_member_between_preparing_and_committing_goes_first(shelf: Pipeline) -> None:
    shelf.cloud.put("a.zip", zip_of({"heron.md": HERON, "kite.md": KITE}))
    assert shelf.prepare("a.zip") == []
    shelf.cloud.put("a.zip!/kite.md", WREN)
    assert shelf.prepare("a.zip!/kite.md") == []
    shelf.drain()
    shelf.chore(Sweep())
    shelf.drain()
    assert shelf.text("a.zip!/kite.md") == WREN.decode()
    assert shelf.text("a.zip!/heron.md") == HERON.decode()
    assert settled(shelf)


def test_more_than_an_invocation_can_read_is_too_large(shelf: Pipeline) -> None:
    shelf.cloud.put("a.zip", zip_of({f"{number}.md": HERON for number in range(5)}))
    seconds = iter([PLENTY, PLENTY, *[0.0] * 50])
    answer = shelf.ingest.handle({"Records": [record(look_at("a.zip"))]}, lambda: next(seconds))
    assert failures(answer) == []
    shelf.drain()
    document = shelf.document("a.zip")
    assert document is not None
    assert (document.state, document.members) == (State.TOO_LARGE, 0)
    assert "one invocation" in (document.reason or "")
    assert settled(shelf)


def test_other_limits_are_another_look_at_an_archive_of_which_they_decided_a_member(cloud: Cloud) -> None:
    with pipeline(cloud, Limits(max_bytes=1_000)) as shelf:
        cloud.put("a.zip", zip_of({"heron.md": HERON, "long.md": b"word " * 500}))
        shelf.sync("a.zip")
        assert states(shelf)["a.zip!/long.md"] is State.TOO_LARGE
        assert settled(shelf)
    with pipeline(cloud) as shelf:
        shelf.chore(Sweep())
        shelf.drain()
        assert set(states(shelf).values()) == {State.INDEXED}
        assert settled(shelf)


FILES = {"birds/a.zip": zip_of({"heron.md": HERON, "more/kite.md": KITE}), "b.md": WREN}


@pytest.fixture
def made(tmp_path: Path, embedder: Embedder) -> IndexedFolder:
    folder = new_index(tmp_path, embedder)
    for key, data in FILES.items():
        folder.write(key, data)
    return folder


def held(made: IndexedFolder) -> dict[str, str]:
    return {source: text for source, (_, text) in stored(made.index).items()}


WHOLE = {
    "b.md": WREN.decode(),
    "birds/a.zip": "",
    "birds/a.zip!/heron.md": HERON.decode(),
    "birds/a.zip!/more/kite.md": KITE.decode(),
}


def test_a_folder_with_an_archive_is_indexed_and_then_left_alone(made: IndexedFolder) -> None:
    first = made.scan()
    assert held(made) == WHOLE
    assert (first.changes, first.chunks) == ({Change.ADDED: 2}, 3)
    again = made.scan()
    assert (again.changes, again.chunks) == ({Change.UNCHANGED: 2}, 0)


def test_a_renamed_archive_keeps_the_vectors_of_its_files(made: IndexedFolder) -> None:
    made.scan()
    (made.folder / "birds/a.zip").rename(made.folder / "moved.zip")
    again = made.scan()
    assert again.changes[Change.RENAMED] == 1
    assert again.chunks == 0
    assert list(held(made)) == ["b.md", "moved.zip", "moved.zip!/heron.md", "moved.zip!/more/kite.md"]
    (made.folder / "moved.zip").rename(made.folder / "again.zip")
    made.indexer.follow({"moved.zip", "again.zip"})
    assert list(held(made)) == ["again.zip", "again.zip!/heron.md", "again.zip!/more/kite.md", "b.md"]


def test_a_followed_archive_is_replaced_and_removed_with_all_its_files(made: IndexedFolder) -> None:
    made.scan()
    made.write("birds/a.zip", zip_of({"wren.md": WREN}))
    made.indexer.follow({"birds/a.zip"})
    assert list(held(made)) == ["b.md", "birds/a.zip", "birds/a.zip!/wren.md"]
    (made.folder / "birds/a.zip").unlink()
    made.indexer.follow({"birds/a.zip"})
    assert list(held(made)) == ["b.md"]
    assert made.index.measurements().chunks == 1


def test_a_folder_of_the_name_of_an_archive_goes_first(made: IndexedFolder) -> None:
    made.scan()
    made.write("birds/a.zip!/heron.md", WREN)
    for _ in range(2):  # the archive was looked at before the file had taken the name of its member
        made.scan()
    assert held(made) == {**WHOLE, "birds/a.zip!/heron.md": WREN.decode()}
    assert made.scan().changes == {Change.UNCHANGED: 3}


def test_what_a_crash_between_two_commits_leaves_of_an_archive_is_put_right(made: IndexedFolder) -> None:
    made.scan()
    made.index._documents.delete("source = 'birds/a.zip!/heron.md'")
    made.index._chunks.delete("source = 'birds/a.zip!/more/kite.md'")
    assert made.restarted().scan().changes == {Change.CHANGED: 1, Change.UNCHANGED: 1}
    assert held(made) == WHOLE


def test_what_a_person_sees_of_an_archive(made: IndexedFolder, capsys: pytest.CaptureFixture[str]) -> None:
    from docshelf.commands.status import main

    made.write("birds/a.zip", zip_of({"heron.md": HERON, "empty.md": b""}))
    made.scan()
    assert main(["--index", str(made.root), "--problems"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "indexed       birds/a.zip: 1 of the 2 files in it is not searchable: each has its own reason.",
        "empty         birds/a.zip!/empty.md: The file has no content (0 bytes).",
        "",
        "4 documents: 1 not searchable as they are now, 1 searchable with a problem.",
    ]
    assert main(["--index", str(made.root), "--json"]) == 0
    shown = {one["source"]: one for one in json.loads(capsys.readouterr().out)["documents"]}
    assert (shown["birds/a.zip"]["members"], shown["birds/a.zip!/heron.md"]["key"]) == (2, "birds/a.zip")
    assert len(made.index.documents(EVERYTHING)) == 4
