"""Inputs of faults that people reported about other programs, indexed and searched; where they are at hand."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from docshelf.chunking import chunk_document
from docshelf.documents import parse
from docshelf.embedding.embedder import Embedder
from docshelf.events import keys_of
from docshelf.index.identity import IndexIdentity
from docshelf.index.store import Index
from docshelf.local.activity import Change
from docshelf.mcp_server.shelf import SearchAnswer
from docshelf.models import SIZES
from docshelf.settings import Limits
from docshelf.states import State
from tests.support.indexed_folder import IndexedFolder, expected, new_index, stored
from tests.unit.index.made_up import DIMENSION, make

INPUTS = Path(__file__).parents[2].parent / "shared" / "corpus" / "bugs"

pytestmark = pytest.mark.skipif(not INPUTS.is_dir(), reason="the shared corpus of documents is not on this machine")


IDENTITY = IndexIdentity("small-model", "a" * 64, "b" * 64, DIMENSION, "cls", "find: ", "", 512, 256, "1", "2")


def content(name: str) -> bytes:
    return (INPUTS / name).read_bytes()


def search(made: IndexedFolder, query: str, limit: int = 8) -> SearchAnswer:
    return made.shelf.search(query, collection=None, path_prefix=None, limit=limit)


def best(made: IndexedFolder, query: str) -> str:
    return search(made, query).passages[0].source


def indexed(place: Path, embedder: Embedder, *names: str) -> IndexedFolder:
    made = new_index(place, embedder)
    for name in names:
        made.write(name, content(name))
    made.scan()
    assert stored(made.index) == expected(made.folder)
    return made


@pytest.fixture(scope="module")
def shelved(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> IndexedFolder:
    """The inputs that are searched, in one folder."""
    names = (
        "14-text-ligatures.txt",
        "26-nav-boilerplate-a.html",
        "26-nav-boilerplate-b.html",
        "33-docx-text-box.docx",
        "35-docx-sdt-smarttag.docx",
        "47-query-operators.md",
        "48-dotted-name.md",
        "49-cjk-terms.md",
        "50-short-terms.md",
        "51-fragment-results.md",
        "52-which-chunk.md",
    )
    return indexed(tmp_path_factory.mktemp("bugs"), embedder, *names)


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("verification workflow", "14-text-ligatures.txt"),
        ("efficient", "14-text-ligatures.txt"),
        ("signal state", "26-nav-boilerplate-a.html"),
        ("bundle splitting", "26-nav-boilerplate-b.html"),
        ("Call the bridge at 0900", "33-docx-text-box.docx"),
        ("Owner: Platform team", "35-docx-sdt-smarttag.docx"),
        ("health.base", "48-dotted-name.md"),
        ("maxRetryCount", "48-dotted-name.md"),
        ("max_retry_count", "48-dotted-name.md"),
        ("/etc/app.d", "48-dotted-name.md"),
        ("retry count", "48-dotted-name.md"),
        ("止损", "49-cjk-terms.md"),
        ("証明書", "49-cjk-terms.md"),
        ("再起動", "49-cjk-terms.md"),
        ("gen-itgc", "49-cjk-terms.md"),
        ("db v3", "50-short-terms.md"),
    ],
)
def test_the_document_that_answers_is_first(shelved: IndexedFolder, query: str, source: str) -> None:
    assert best(shelved, query) == source


@pytest.mark.parametrize("name", ["33-docx-text-box.docx", "35-docx-sdt-smarttag.docx"])
def test_what_stands_in_boxes_of_a_document_is_under_its_heading(shelved: IndexedFolder, name: str) -> None:
    chunks = shelved.latest().chunks_of(name)
    assert any("Call the bridge at 0900" in one.text or "Owner: Platform team" in one.text for one in chunks)
    assert all(one.headings == ("Runbook",) for one in chunks if "Call the bridge" in one.text)


def test_characters_that_are_operators_elsewhere_are_text(shelved: IndexedFolder) -> None:
    answers = {
        query: search(shelved, query) for query in content("47-query-operators-queries.txt").decode().split("\n")
    }
    assert len(answers) > 8
    for query in ("Calibration file write failed, Message: {0}, StackTrace: {1}", "R&D-mode", "--no-cache", "C++"):
        assert answers[query].passages[0].source == "47-query-operators.md"


def test_short_words_find_their_section_and_nothing_else(shelved: IndexedFolder) -> None:
    found = search(shelved, "db v3")
    assert found.passages[0].headings == ("DB v3",)
    unknown = search(shelved, "zz qq")
    assert unknown.message is not None
    assert not unknown.passages or unknown.message.startswith("No document holds a word of this query")


def test_a_word_repeated_in_a_paragraph_gives_it_once_and_whole(shelved: IndexedFolder) -> None:
    hits = [passage for passage in search(shelved, "CAP CDS").passages if passage.source == "51-fragment-results.md"]
    assert [hit.text.count("Use CAP CDS, not plain CDS.") for hit in hits] == [12]


def test_each_hit_names_its_section_and_its_lines(shelved: IndexedFolder) -> None:
    best_hit = search(shelved, "The port is 8123").passages[0]
    assert (best_hit.source, best_hit.headings) == ("52-which-chunk.md", ("Guide", "Port"))
    assert best_hit.lines is not None
    first, last = best_hit.lines
    lines = content("52-which-chunk.md").decode().split("\n")
    assert "\n".join(lines[first - 1 : last]) == best_hit.text


@pytest.mark.parametrize("name", ["21-fence-cut.md", "22-huge-table.md"])
def test_no_chunk_is_longer_than_the_model_reads(embedder: Embedder, name: str) -> None:
    document = parse(content(name), name, Limits())
    chunks = chunk_document(document, embedder.tokenizer, SIZES)
    assert len(chunks) > 10
    assert "".join(chunk.text for chunk in chunks) == document.text
    for chunk in chunks:
        assert len(embedder.tokenizer.offsets(chunk.text)[0]) <= SIZES.text


def test_each_part_of_a_code_block_is_shown_with_its_fences(tmp_path: Path, embedder: Embedder) -> None:
    made = indexed(tmp_path, embedder, "21-fence-cut.md")
    lines = content("21-fence-cut.md").decode().split("\n")
    for passage in search(made, "replicas image port", 20).passages:
        fences = [line for line in passage.text.split("\n") if line.startswith("```")]
        assert len(fences) % 2 == 0
        assert fences[:1] in ([], ["```yaml"])
        assert passage.lines is not None
        shown = [line for line in passage.text.split("\n") if not line.startswith("```")]
        real = lines[passage.lines[0] - 1 : passage.lines[1]]
        assert [line for line in real if not line.startswith("```")] == shown


def test_each_part_of_a_table_is_shown_with_its_header(tmp_path: Path, embedder: Embedder) -> None:
    lines = content("22-huge-table.md").decode().split("\n")
    made = new_index(tmp_path, embedder, {"a.md": "\n".join(lines[:300])})
    made.scan()
    passages = search(made, "service port note", 10).passages
    assert passages
    assert all("| service | port | note |" in passage.text for passage in passages)


def test_a_document_of_too_many_sections_is_stored_whole_or_not_at_all(tmp_path: Path, embedder: Embedder) -> None:
    made = new_index(tmp_path, embedder)
    made.write("25-batch-limit.md", content("25-batch-limit.md"))
    made.scan()
    assert stored(made.index) == {"25-batch-limit.md": (State.TOO_LARGE, "")}


def test_forty_two_thousand_chunks_are_stored_at_once(tmp_path: Path) -> None:
    texts = parse(content("25-batch-limit.md"), "a.md", Limits()).text.splitlines(keepends=True)
    index = Index.create(tmp_path / "index", IDENTITY)
    index.replace([make("a.md", texts)])
    assert [chunk.text for chunk in index.chunks_of("a.md")] == texts
    assert len(texts) == 42_000


def test_the_key_of_an_event_is_decoded() -> None:
    assert keys_of(content("40-event-key-encoded.json").decode(), "docs") == ("release notes/á+b.md",)


def test_both_normal_forms_of_a_word_find_both_and_names_stay_apart(tmp_path: Path, embedder: Embedder) -> None:
    spelled = json.loads(content("41-nfc-nfd-names.json"))
    made = new_index(tmp_path, embedder, dict(zip(spelled["keys"], spelled["bodies"], strict=True)))
    made.scan()
    keys = set(spelled["keys"])
    assert set(stored(made.index)) == keys
    assert len(keys) == 2
    for form in ("NFC", "NFD"):
        query = unicodedata.normalize(form, "Größe")
        assert {passage.source for passage in search(made, query).passages} == keys


def test_sections_that_a_file_lost_are_not_found_any_more(tmp_path: Path, embedder: Embedder) -> None:
    made = new_index(tmp_path, embedder)
    made.write("a.md", content("43-shrunk-file-v1.md"))
    made.scan()
    assert "token4word" in search(made, "token4word").passages[0].text
    made.write("a.md", content("43-shrunk-file-v2.md"))
    made.scan()
    assert len(made.latest().chunks_of("a.md")) == 2
    assert all("token4word" not in passage.text for passage in search(made, "token4word").passages)


def test_a_look_at_a_part_of_the_shelf_removes_nothing_from_the_rest(tmp_path: Path, embedder: Embedder) -> None:
    case = json.loads(content("44-subset-run.json"))
    made = new_index(tmp_path, embedder, {key: f"Words of {key}.\n" for key in case["indexed"]})
    made.scan()
    for key in set(case["indexed"]) - set(case["listing"]):
        (made.folder / key).unlink()
    looked = made.indexer.follow(made.indexer.keys_under((case["run_prefix"],)))
    assert {one.key: one.change for one in looked} == dict.fromkeys(case["listing"], Change.UNCHANGED)
    assert set(stored(made.index)) == set(case["expect_kept"])


def test_the_same_file_again_is_nothing_to_do(tmp_path: Path, embedder: Embedder) -> None:
    made = indexed(tmp_path, embedder, "45-refresh-duplicates.md")
    before = list(made.latest().chunks_of("45-refresh-duplicates.md"))
    version = made.index.version
    made.write("45-refresh-duplicates.md", content("45-refresh-duplicates.md"))
    made.scan()
    assert (made.latest().version, made.activity.snapshot().chunks) == (version, 0)
    assert list(made.index.chunks_of("45-refresh-duplicates.md")) == before
