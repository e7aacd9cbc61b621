"""Members of unlucky and hostile names: each is one document, for those who may see it, and all comes to rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from docshelf.embedding.embedder import Embedder
from docshelf.errors import NotFoundError
from docshelf.local.activity import Change
from docshelf.messages import Sweep
from docshelf.search.shelf import IndexShelf
from docshelf.search.shelves import Shelves
from docshelf.settings import Limits
from docshelf.states import State
from tests.support.archives import mail_of, tar_of, zip_of
from tests.support.cloud import Cloud
from tests.support.indexed_folder import new_index, stored
from tests.support.pipeline import PLENTY, Pipeline, failures, look_at, pipeline, record

HERON = b"# Heron\n\nThe heron stands still in shallow water.\n"
KITE = b"# Kite\n\nThe kite glides over open fields.\n"
WREN = b"# Wren\n\nThe wren sings loudly for its size.\n"


@pytest.fixture
def shelf(cloud: Cloud) -> Iterator[Pipeline]:
    with pipeline(cloud) as made:
        yield made


def settled(shelf: Pipeline) -> bool:
    """Whether a sweep finds nothing, twice in a row."""
    for _ in range(2):
        shelf.chore(Sweep())
        if shelf.ingest_queue():
            return False
    return True


def text_of(shelf: IndexShelf, source: str) -> str:
    found = shelf.get_document(source, from_page=None, to_page=None, from_line=None, to_line=None)
    return "".join(segment.text for segment in found.segments)


def test_who_may_see_the_files_at_the_root_reads_those_in_its_archives(shelf: Pipeline, embedder: Embedder) -> None:
    inner = zip_of({"d/wren.md": WREN})
    shelf.cloud.put("a.zip", zip_of({"heron.md": HERON, "b.zip": inner}))
    shelf.cloud.put("private/a.zip", zip_of({"kite.md": KITE}))
    shelf.cloud.put("a.zip!/c.zip", zip_of({"kite.md": KITE}))
    shelf.sync("a.zip", "private/a.zip", "a.zip!/c.zip")
    shelves = Shelves(shelf.index, embedder)
    root, private, named = (shelves.for_caller(frozenset({name})) for name in ("general", "private", "a.zip!"))
    assert text_of(root, "a.zip!/heron.md") == HERON.decode()
    assert text_of(root, "a.zip!/b.zip!/d/wren.md") == WREN.decode()
    assert text_of(private, "private/a.zip!/kite.md") == KITE.decode()
    assert text_of(named, "a.zip!/c.zip!/kite.md") == KITE.decode()
    hidden = {
        root: ("private/a.zip!/kite.md", "private/a.zip", "a.zip!/c.zip!/kite.md", "a.zip!/c.zip"),
        private: ("a.zip!/heron.md", "a.zip!/c.zip!/kite.md"),
        named: ("a.zip!/heron.md", "a.zip!/b.zip!/d/wren.md", "a.zip", "private/a.zip!/kite.md"),
    }
    for one, sources in hidden.items():
        for source in sources:
            with pytest.raises(NotFoundError):
                text_of(one, source)
        listed = one.list_documents(collection=None, path_prefix=None, state=None, after=None, limit=100).documents
        answer = one.search("heron kite wren", collection=None, path_prefix=None, limit=20)
        assert not {document.source for document in listed} & set(sources)
        assert not {passage.source for passage in answer.passages} & set(sources)
        assert len(one.overview().collections) == 1
        assert sum(number for _, number in one.overview().states) == len(listed)


def test_a_file_in_an_archive_cannot_take_the_name_of_one_in_another_archive(shelf: Pipeline) -> None:
    shelf.cloud.put("a.zip", zip_of({"b.zip!/kite.md": HERON, "heron.md": HERON}))
    shelf.cloud.put("a.zip!/b.zip", zip_of({"kite.md": KITE}))
    shelf.sync("a.zip", "a.zip!/b.zip")
    assert shelf.sources() == ["a.zip", "a.zip!/heron.md", "a.zip!/b.zip", "a.zip!/b.zip!/kite.md"]
    assert shelf.text("a.zip!/b.zip!/kite.md") == KITE.decode()
    assert settled(shelf)


def test_an_archive_whose_files_another_one_holds_by_name_takes_them_over_when_it_comes_later(shelf: Pipeline) -> None:
    shelf.cloud.put("a.zip", zip_of({"b.zip!/kite.md": HERON, "heron.md": HERON}))
    shelf.sync("a.zip")
    assert shelf.text("a.zip!/b.zip!/kite.md") == HERON.decode()
    shelf.cloud.put("a.zip!/b.zip", zip_of({"kite.md": KITE}))
    shelf.sync("a.zip!/b.zip")
    shelf.chore(Sweep())
    shelf.drain()
    assert shelf.text("a.zip!/b.zip!/kite.md") == KITE.decode()
    assert settled(shelf)


NAMES = [
    *("C:\\D:\\drive.md", "it's.md", 'quo"te.md', "ha#sh.md", "per%cent%2F.md", "new\nline.md", "a\u2028b.md"),
    *(
        "caf\u00e9.md",
        "cafe\u0301.md",
        "\u202egnp.md",
        "pipe|back\\slash.md",
        "x" * 390 + "/y/z/" + "w" * 30,
        "v" * 500,
    ),
    *(
        "../../up.md",
        "/root.md",
        " .md",
        "a/ /b.md",
        "!/mark.md",
        "mark!/",
        "\U0001f426.md",
        "x" * 379 + "/.verylongext",
    ),
]


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_strange_names_are_documents_that_can_be_listed_read_and_replaced(
    shelf: Pipeline, embedder: Embedder, pack: Callable[[Mapping[str, bytes]], bytes]
) -> None:
    key = "k" * 1020 + ".zip"
    files = {name: HERON + f"Number {number}.\n".encode() for number, name in enumerate(NAMES)}
    shelf.cloud.put(key, pack(files))
    shelf.sync(key)
    one = Shelves(shelf.index, embedder).for_caller(frozenset({"general"}))
    sources, after = [], None
    while True:
        page = one.list_documents(collection=None, path_prefix=f"{key}!/", state=None, after=after, limit=3)
        sources += [document.source for document in page.documents]
        if not page.more:
            break
        after = sources[-1]
    document = shelf.document(key)
    assert document is not None
    assert document.members == len(sources) == len(set(sources)) >= len(NAMES) - 1
    assert all(text_of(one, source).startswith(HERON.decode()) for source in sources)
    assert settled(shelf)
    shelf.cloud.put(key, pack({"wren.md": WREN}))
    shelf.sync(key)
    assert shelf.sources() == [key, f"{key}!/wren.md"]
    assert settled(shelf)


def test_an_archive_of_the_longest_name_in_a_folder_has_its_files(tmp_path: Path, embedder: Embedder) -> None:
    made = new_index(tmp_path, embedder)
    key = "k" * 251 + ".zip"
    made.write(key, zip_of(dict.fromkeys(NAMES, HERON)))
    assert made.scan().changes == {Change.ADDED: 1}
    assert len(stored(made.index)) >= len(NAMES)
    assert made.scan().changes == {Change.UNCHANGED: 1}


def test_a_file_in_an_archive_begins_only_with_the_time_that_its_parsing_may_take(cloud: Cloud) -> None:
    limits = Limits()
    with pipeline(cloud, limits) as shelf:
        cloud.put("a.zip", zip_of({f"{number}.md": HERON for number in range(5)}))
        left = iter([PLENTY, PLENTY, PLENTY, *[2.0 * limits.parse_seconds] * 50])
        assert failures(shelf.ingest.handle({"Records": [record(look_at("a.zip"))]}, lambda: next(left))) == []
        shelf.drain()
        document = shelf.document("a.zip")
        assert document is not None
        assert (document.state, document.members) == (State.TOO_LARGE, 0)
        assert settled(shelf)


def test_five_hundred_attachments_of_one_name_are_five_hundred_documents(shelf: Pipeline) -> None:
    mail = mail_of("Here they are.", {f"{number}/../../x.md": HERON for number in range(500)})
    shelf.cloud.put("mail.eml", mail)
    shelf.sync("mail.eml")
    document = shelf.document("mail.eml")
    assert document is not None
    assert document.members == 500
    assert settled(shelf)
