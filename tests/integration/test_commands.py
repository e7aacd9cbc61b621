"""The three commands as processes: output, contracts, exit statuses, and every failure as one sentence."""

from __future__ import annotations

import fcntl
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from docshelf.commands import local, query, status
from docshelf.embedding.embedder import Embedder
from docshelf.errors import DocshelfError
from docshelf.index.lock import writer_lock
from docshelf.index.store import Index
from docshelf.local.places import current_root
from docshelf.models import identity_of
from docshelf.states import State
from tests.support.commands import EXAMPLES, SECONDS, command_line, environment, run, started, url_from
from tests.support.indexed_folder import expected, new_index, stored

PASSAGE_KEYS = [
    "source", "title", "page", "page_label", "lines", "heading", "score", "indexed_at", "modified_at", "text",
    "also_in",
]  # fmt: skip
DOCUMENT_KEYS = [
    "source",
    "key",
    "state",
    "reason",
    "title",
    "pages",
    "chunks",
    "members",
    "modified_at",
    "indexed_at",
    "quality",
    "problems",
]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home in which a copy of the examples was indexed, by one run of the command."""
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(EXAMPLES, home / "examples")
    done = run(home / "shelf", "local", "--once", home / "examples")
    assert done.returncode == 0, done.stderr
    (home / "first run.txt").write_text(done.stdout)
    return home / "shelf"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command gave that was run in this process."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def inside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Outcome]:
    """Run a command in this process, which saves seconds of start."""
    monkeypatch.setenv("DOCSHELF_HOME", str(tmp_path / "home"))

    def call(command: str, *arguments: str | Path) -> Outcome:
        main = {"local": local.main, "query": query.main, "status": status.main}[command]
        status_code = main([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return Outcome(status_code, shown.out, shown.err)

    return call


def one_sentence(done: Outcome | subprocess.CompletedProcess[str], *parts: str) -> str:
    """The sentence on stderr, which must be all that stands there."""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    for part in parts:
        assert part in lines[0]
    return lines[0]


def value(done: Outcome | subprocess.CompletedProcess[str]) -> Any:
    """The JSON on stdout."""
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    assert found.tzinfo is not None
    return found


# -- local --once --------------------------------------------------------------------------------------------------


def test_the_first_run_says_what_it_did_and_names_what_is_not_searchable(shelf: Path) -> None:
    lines = (shelf.parent / "first run.txt").read_text().splitlines()
    assert lines[0].startswith("Using the built-in model all-minilm-l6-v2")
    assert lines[1] == f"Index: {current_root(shelf)}"
    assert ": 11 added. " in lines[2]
    assert lines[4:8] == ["state        documents", "indexed             10", "empty                1", ""]
    assert lines[8].startswith("empty  archive/signed-lease-scan.pdf: The PDF has no text layer")


def test_the_second_run_embeds_nothing(shelf: Path) -> None:
    done = run(shelf, "local", "--once", shelf.parent / "examples")
    assert done.returncode == 0
    assert ": 11 unchanged. 0 chunks embedded." in done.stdout


def test_a_folder_that_is_missing_or_a_file_leaves_no_trace(tmp_path: Path, inside: Callable[..., Outcome]) -> None:
    (tmp_path / "file.md").write_text("# Text\n")
    for name, words in (("gone", "There is no folder"), ("file.md", "is a file, not a folder")):
        for options in (["--once"], ["--port", "0"]):
            done = inside("local", tmp_path / name, *options)
            assert done.returncode == 1
            one_sentence(done, words, str(tmp_path / name))
            assert done.stdout == ""
    assert not (tmp_path / "home").exists()


def test_an_empty_folder_is_said_and_must_be_acted_on(tmp_path: Path, inside: Callable[..., Outcome]) -> None:
    (tmp_path / "docs").mkdir()
    done = inside("local", "--once", tmp_path / "docs")
    assert done.returncode == 1
    one_sentence(done, "holds no documents", str(tmp_path / "docs"))


def test_a_folder_without_a_supported_file_names_each(tmp_path: Path, inside: Callable[..., Outcome]) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/program.bin").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "docs/picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    done = inside("local", "--once", tmp_path / "docs")
    assert done.returncode == 1
    one_sentence(done, "None of the 2 files", "is searchable")
    for name in ("program.bin", "picture.png"):
        assert f"unsupported  {name}: " in done.stdout


def test_an_index_inside_the_folder_is_not_indexed(tmp_path: Path, inside: Callable[..., Outcome]) -> None:
    folder = tmp_path / "docs"
    (folder / "one").mkdir(parents=True)
    (folder / "one/a.md").write_text("# One\n\nText.\n")
    for _ in range(2):
        assert inside("local", "--once", folder, "--index", folder / "index").returncode == 0
    assert set(stored(Index.open(folder / "index"))) == {"one/a.md"}


def test_a_folder_of_any_name_is_taken(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"docs of \xff \xe2\x82\xac 'x'")
    folder.mkdir()
    (folder / "a.md").write_text("# One\n\nText.\n")
    done = run(tmp_path / "home", "local", "--once", folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert stored(Index.open(current_root(tmp_path / "home"))) == expected(folder)


def test_an_index_whose_name_is_not_text_is_a_sentence(tmp_path: Path) -> None:
    index = tmp_path / os.fsdecode(b"index \xff")
    done = run(tmp_path / "home", "local", "--once", EXAMPLES, "--index", index)
    assert done.returncode == 1
    one_sentence(done, "index \\udcff")


def test_a_used_port_is_one_sentence_and_nothing_is_indexed(tmp_path: Path, inside: Callable[..., Outcome]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        done = inside("local", EXAMPLES, "--port", str(port))
    assert done.returncode == 2
    one_sentence(done, f"Port {port} is in use")
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("option", ["--index", "DOCSHELF_HOME"])
def test_an_index_that_cannot_be_written_is_one_sentence(tmp_path: Path, option: str) -> None:
    (tmp_path / "file").touch()
    place = tmp_path / "file" / "below"
    arguments = ["--index", str(place)] if option == "--index" else []
    done = run(place if not arguments else tmp_path / "home", "local", "--once", EXAMPLES, *arguments)
    assert done.returncode == 1
    one_sentence(done, "cannot be written", str(place))


def test_a_wrong_setting_is_one_sentence_with_its_name(tmp_path: Path) -> None:
    done = run(tmp_path / "home", "local", "--once", EXAMPLES, DOCSHELF_MAX_PAGES="many")
    assert done.returncode == 2
    one_sentence(done, "DOCSHELF_MAX_PAGES must be a whole number")


def test_a_second_writer_of_one_index_is_refused(shelf: Path, inside: Callable[..., Outcome]) -> None:
    root = current_root(shelf)
    before = Index.open(root).version
    with writer_lock(root):
        done = inside("local", "--once", shelf.parent / "examples", "--index", root)
        served = inside("local", shelf.parent / "examples", "--port", "0", "--index", root)
        asked = inside("query", "bank", "--index", root)
    for refused in (done, served):
        assert refused.returncode == 1
        one_sentence(refused, f"Another process (number {os.getpid()}) is writing the index at {root}")
    assert asked.returncode == 0
    assert Index.open(root).version == before


# -- query ---------------------------------------------------------------------------------------------------------


def test_query_keeps_its_contract(shelf: Path) -> None:
    found = value(run(shelf, "query", "Which bank provided the loan?", "--json"))
    assert list(found) == ["passages", "message"]
    assert found["message"] is None
    assert 1 < len(found["passages"]) <= 5
    for passage in found["passages"]:
        assert list(passage) == PASSAGE_KEYS
        assert passage["indexed_at"] >= passage["modified_at"]
        assert moment(passage["indexed_at"]).microsecond == 0
        assert isinstance(passage["score"], float)
        assert 0 < passage["score"] <= 1
        assert all(isinstance(passage[key], str) for key in ("source", "title", "text"))
        assert passage["page_label"] is None
        assert passage["also_in"] == []
        assert passage["heading"] is None or isinstance(passage["heading"], str)
        assert (passage["page"] is None) or (passage["lines"] is None)
    scores = [passage["score"] for passage in found["passages"]]
    assert scores == sorted(scores, reverse=True)
    best = found["passages"][0]
    assert (best["source"], best["page"], best["lines"]) == ("finance/annual-report-2025.pdf", 2, None)
    assert "Nordhamn Bank" in best["text"]
    source = next(passage for passage in found["passages"] if passage["source"].endswith(".md"))
    first, last = source["lines"]
    lines = (EXAMPLES / source["source"]).read_text().splitlines()[first - 1 : last]
    assert "\n".join(lines) == source["text"]
    assert " > " in source["heading"] or source["heading"]


def test_query_prints_what_the_tool_returns(shelf: Path, inside: Callable[..., Outcome]) -> None:
    done = inside("query", "Which bank provided the loan?", "--limit", "1", "--index", current_root(shelf))
    assert done.returncode == 0
    assert '[1] finance/annual-report-2025.pdf | "Pinewick Instruments annual report 2025" | page 2 |' in done.stdout
    assert "[2]" not in done.stdout


def test_query_shows_copies_once_and_names_them(
    tmp_path: Path, embedder: Embedder, inside: Callable[..., Outcome]
) -> None:
    page = "# Lamps\n\nThe lighthouse keeper trims the lamps at dusk and puts them out in the morning.\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("lamps.md", page)
    files = {"lamps.md": page, "old/lamps.md": page, "dusk.md": "The dusk is at nine.\n"}
    made = new_index(tmp_path, embedder, files)
    made.write("all.zip", packed.getvalue())
    made.scan()
    asked = ("query", "When does the lighthouse keeper trim the lamps?", "--index", made.root)
    first, *others = value(inside(*asked, "--json"))["passages"]
    assert {first["source"], *first["also_in"]} == {"lamps.md", "old/lamps.md", "all.zip!/lamps.md"}
    assert [passage["source"] for passage in others] == ["dusk.md"]
    assert f"| also in: {', '.join(first['also_in'])}\n" in inside(*asked).stdout


def test_query_stays_in_its_collection_and_limit(shelf: Path, inside: Callable[..., Outcome]) -> None:
    index = current_root(shelf)
    found = value(inside("query", "token", "--collection", "access", "--limit", "2", "--index", index, "--json"))
    assert {passage["source"].split("/")[0] for passage in found["passages"]} == {"access"}
    assert len(found["passages"]) <= 2


def test_query_without_an_answer_has_no_passages_and_a_message(shelf: Path, inside: Callable[..., Outcome]) -> None:
    found = value(inside("query", "?!", "--json", "--index", current_root(shelf)))
    assert found["passages"] == []
    assert found["message"].startswith("The query holds no words")


def test_query_of_an_unknown_collection_names_those_there_are(shelf: Path, inside: Callable[..., Outcome]) -> None:
    done = inside("query", "bank", "--collection", "nowhere", "--index", current_root(shelf))
    assert done.returncode == 2
    assert done.stdout == ""
    one_sentence(done, 'There is no collection "nowhere"', '"finance"')


def test_an_empty_query_is_one_sentence(shelf: Path, inside: Callable[..., Outcome]) -> None:
    done = inside("query", " ", "--index", current_root(shelf))
    assert done.returncode == 2
    one_sentence(done, "query is missing")


@pytest.mark.parametrize("limit", ["0", "21", "-1", "two", "٣", "1.5"])
def test_a_limit_that_is_none_is_refused(capsys: pytest.CaptureFixture[str], limit: str) -> None:
    with pytest.raises(SystemExit) as ended:
        query.main(["bank", f"--limit={limit}"])
    assert ended.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert f"--limit: a whole number from 1 to 20, not {limit!r}" in shown.err.splitlines()[-1]


@pytest.mark.parametrize("command", [["query", "bank"], ["status"]])
def test_without_an_index_the_sentence_says_what_to_run(
    tmp_path: Path, inside: Callable[..., Outcome], command: list[str]
) -> None:
    for place in ([], ["--index", str(tmp_path / "nowhere")]):
        done = inside(*command, *place)
        assert done.returncode == 1
        assert done.stdout == ""
        one_sentence(done, "There is no index")
    assert not (tmp_path / "home").exists()


def test_output_in_a_narrow_encoding_is_still_output(shelf: Path) -> None:
    narrow = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    shown = run(shelf, "query", "退货", "--limit", "1", **narrow)
    assert shown.returncode == 0
    assert "support/\\u9000\\u8d27" in shown.stdout
    found = value(run(shelf, "query", "退货", "--limit", "1", "--json", **narrow))
    assert found["passages"][0]["source"] == "support/退货说明.md"


@pytest.mark.parametrize("command", [["status", "--json"], ["query", "bank"]])
def test_a_reader_that_goes_away_early_is_no_fault_to_be_shown(shelf: Path, command: list[str]) -> None:
    with started(shelf, *command) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.wait(SECONDS) == 1
        assert process.stderr.read() == ""


# -- status --------------------------------------------------------------------------------------------------------


def test_status_keeps_its_contract(shelf: Path) -> None:
    found = value(run(shelf, "status", "--json"))
    assert list(found) == ["model", "index_version", "collections", "documents"]
    assert found["model"] == "all-minilm-l6-v2"
    assert isinstance(found["index_version"], str)
    assert all(list(one) == ["name", "documents", "chunks"] for one in found["collections"])
    assert [one["name"] for one in found["collections"]] == sorted(
        path.name for path in EXAMPLES.iterdir() if path.is_dir()
    )
    assert all(list(document) == DOCUMENT_KEYS for document in found["documents"])
    by_source = {document["source"]: document for document in found["documents"]}
    assert sorted(by_source) == sorted(
        path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("*") if path.is_file()
    )
    report = by_source["finance/annual-report-2025.pdf"]
    assert (report["state"], report["reason"], report["pages"]) == ("indexed", None, 3)
    assert report["title"] == "Pinewick Instruments annual report 2025"
    scan = by_source["archive/signed-lease-scan.pdf"]
    assert (scan["state"], scan["title"], scan["chunks"]) == ("empty", None, 0)
    assert scan["reason"].endswith(".")
    for document in by_source.values():
        assert moment(document["modified_at"]) <= moment(document["indexed_at"])
    assert sum(one["chunks"] for one in found["collections"]) == sum(one["chunks"] for one in by_source.values())
    assert sum(one["documents"] for one in found["collections"]) == len(by_source)


def test_status_prints_place_model_size_collections_and_states(shelf: Path) -> None:
    done = run(shelf, "status")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"index        {current_root(shelf)} (version g0001.")
    assert lines[0].endswith(" MB)")
    assert lines[1] == "model        all-minilm-l6-v2 (384 dimensions)"
    assert lines[2].startswith("last change  20")
    assert lines[3].startswith("holds        11 documents, ")
    assert lines[5].split() == ["collection", "documents", "indexed", "chunks"]
    assert lines[6].split()[:3] == ["access", "2", "2"]
    assert "empty  archive/signed-lease-scan.pdf: " in done.stdout


def test_status_of_an_index_without_documents(
    tmp_path: Path, embedder: Embedder, inside: Callable[..., Outcome]
) -> None:
    Index.create(tmp_path / "index", identity_of(embedder))
    done = inside("status", "--index", tmp_path / "index")
    assert done.returncode == 0
    assert "last change  none yet" in done.stdout
    found = value(inside("status", "--index", tmp_path / "index", "--json"))
    assert (found["collections"], found["documents"]) == ([], [])


SPREAD = "T h e h a r b o u r l i e s a t t h e m o u t h o f t h e r i v e r\n"


@pytest.fixture
def doubtful(tmp_path: Path, embedder: Embedder) -> Path:
    """An index of a good document, a poor one, one of which a part was lost, and one without text."""
    made = new_index(tmp_path, embedder, {"good.md": "# One\n\nThe lighthouse keeper.\n", "spread.txt": SPREAD})
    made.write("empty.txt", b" ")
    made.write("lost.txt", b"The caf\xc3 by the lighthouse has caf\xc3\xa9 au lait.\n")
    made.scan()
    return made.root


def test_status_names_the_documents_that_have_a_problem(doubtful: Path, inside: Callable[..., Outcome]) -> None:
    done = inside("status", "--problems", "--index", doubtful)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.split(":")[0].split() for line in lines[:3]] == [
        ["empty", "empty.txt"],
        ["indexed", "lost.txt"],
        ["indexed", "spread.txt"],
    ]
    assert "About 100 % of the words are letters or parts of words set apart" in lines[2]
    assert lines[3:] == ["", "4 documents: 1 not searchable as they are now, 2 searchable with a problem."]
    summary = inside("status", "--index", doubtful).stdout.splitlines()
    assert summary[-1] == "2 searchable documents may be read badly: --problems tells."


def test_status_as_json_tells_what_was_measured(doubtful: Path, inside: Callable[..., Outcome]) -> None:
    by_source = {one["source"]: one for one in value(inside("status", "--json", "--index", doubtful))["documents"]}
    assert len(by_source) == 4
    assert (by_source["good.md"]["problems"], by_source["empty.txt"]["quality"]) == ([], None)
    spread = by_source["spread.txt"]
    assert spread["quality"] == {
        "characters": len(SPREAD),
        "bad": 0.0,
        "glued": 0.0,
        "split": 1.0,
        "language": None,
        "pages": 0,
        "empty_pages": 0,
        "problems": ["split words"],
    }
    assert len(spread["problems"]) == 1
    found = value(inside("status", "--json", "--problems", "--index", doubtful))
    assert found["documents"] == [by_source[name] for name in ("empty.txt", "lost.txt", "spread.txt")]
    assert list(found) == ["model", "index_version", "collections", "documents"]


def test_status_says_so_where_there_is_no_problem(
    tmp_path: Path, embedder: Embedder, inside: Callable[..., Outcome]
) -> None:
    made = new_index(tmp_path, embedder, {"good.md": "# One\n\nThe lighthouse keeper.\n"})
    made.scan()
    done = inside("status", "--problems", "--index", made.root)
    assert done.stdout == "1 document: 0 not searchable as they are now, 0 searchable with a problem.\n"
    assert "--problems" not in inside("status", "--index", made.root).stdout


# -- indexes that cannot be used -----------------------------------------------------------------------------------


def damage(root: Path) -> None:
    """Cut every file of the tables in half."""
    for path in root.rglob("*"):
        if path.is_file() and path.suffix in {".lance", ".manifest", ".txn"}:
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("how", ["tables", "pointer"])
def test_a_damaged_index_is_refused_with_the_command_that_rebuilds_it(
    tmp_path: Path, embedder: Embedder, inside: Callable[..., Outcome], how: str
) -> None:
    made = new_index(tmp_path, embedder, {"a.md": "# One\n\nThe lighthouse keeper.\n"})
    made.scan()
    if how == "tables":
        damage(made.root)
    else:
        (made.root / "current.json").write_text('{"form')
    for command in (["query", "bank", "--json"], ["status"], ["status", "--json"], ["local", "--once", made.folder]):
        done = inside(*command, "--index", made.root)
        assert done.returncode == 1
        assert done.stdout == ""
        one_sentence(done, f"--index {made.root} --rebuild", "./scripts/local ")
    done = inside("local", "--once", made.folder, "--index", made.root, "--rebuild")
    assert done.returncode == 0, done.stderr
    index = Index.open(made.root)
    assert stored(index) == expected(made.folder)
    assert [path.name for path in made.root.iterdir() if path.is_dir()] == [index.generation]


def test_an_index_of_another_model_is_refused_with_the_command_that_rebuilds_it(
    tmp_path: Path, embedder: Embedder, inside: Callable[..., Outcome]
) -> None:
    made = new_index(tmp_path, embedder, {"a.md": "# One\n\nThe lighthouse keeper.\n"})
    root = tmp_path / "an index"
    Index.create(root, replace(identity_of(embedder), model="other-model", dimension=12))
    asked = inside("query", "bank", "--index", root)
    assert asked.returncode == 1
    one_sentence(asked, "other-model", "all-minilm-l6-v2", f"./scripts/local FOLDER --index '{root}' --rebuild")
    done = inside("local", "--once", made.folder, "--index", root)
    assert done.returncode == 1
    one_sentence(done, "other-model", f"./scripts/local {made.folder} --index '{root}' --rebuild")
    assert Index.open(root).identity.model == "other-model"
    assert value(inside("status", "--index", root, "--json"))["model"] == "other-model"


def test_a_rebuild_that_was_interrupted_leaves_the_old_index_in_use(
    tmp_path: Path, embedder: Embedder, inside: Callable[..., Outcome]
) -> None:
    made = new_index(tmp_path, embedder, {"a.md": "# One\n\nThe lighthouse keeper.\n"})
    made.scan()
    unfinished = Index.create(made.root, identity_of(embedder), activate=False)
    assert unfinished.generation != made.index.generation
    assert len(value(inside("status", "--index", made.root, "--json"))["documents"]) == 1
    assert inside("local", "--once", made.folder, "--index", made.root).returncode == 0
    assert [path.name for path in made.root.iterdir() if path.is_dir()] == [made.index.generation]
    assert inside("local", "--once", made.folder, "--index", made.root, "--rebuild").returncode == 0
    index = Index.open(made.root)
    assert index.generation != made.index.generation
    assert stored(index) == expected(made.folder)


# -- interruptions -------------------------------------------------------------------------------------------------


FILES = 200
"""More than any machine indexes between the first commit and the next look at the index."""


def many_files(folder: Path, number: int = FILES) -> None:
    """So many files that indexing takes several seconds."""
    text = "The river gauge measures the level of the water at the bridge, every ten minutes. " * 25
    for place in range(number):
        path = folder / f"part{place % 3}" / f"{place:03}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# File {place}\n\n{place} {text}\n\n## More of {place}\n\n{text}\n")


def wait_until_partly_indexed(root: Path, process: subprocess.Popen[str], files: int) -> None:
    """Look at the index now and then until it holds some of the documents."""
    found = 0
    while not found:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.2)
        with suppress(DocshelfError):
            found = Index.open(root).state_counts().get(State.INDEXED, 0)
    assert found < files


def test_neither_a_kill_nor_ctrl_c_in_the_middle_of_indexing_loses_anything(tmp_path: Path) -> None:
    folder, root = tmp_path / "docs", tmp_path / "index"
    many_files(folder)
    with started(tmp_path / "home", "local", "--once", folder, "--index", root) as process:
        wait_until_partly_indexed(root, process, FILES)
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait(SECONDS) == -signal.SIGKILL
    kept = Index.open(root).state_counts()[State.INDEXED]
    assert 0 < kept < FILES
    with started(tmp_path / "home", "local", "--once", folder, "--index", root) as process:
        assert process.stdout
        assert process.stderr
        assert [process.stdout.readline().split(" ")[0] for _ in range(2)] == ["Using", "Index:"]
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(SECONDS) == 130
        last = process.stderr.read().splitlines()[-1]
    assert last == "Stopped. What was indexed is kept; the next start goes on from there."
    # All of them would take long: what is indexed by now and a few others must do.
    indexed = {document.source for document in Index.open(root).all_documents()}
    for path in [path for path in folder.rglob("*.md") if path.relative_to(folder).as_posix() not in indexed][5:]:
        path.unlink()
    done = run(tmp_path / "home", "local", "--once", folder, "--index", root)
    assert done.returncode == 0, done.stderr
    assert ": 5 added, " in done.stdout
    assert stored(Index.open(root)) == expected(folder)


def test_ctrl_c_ends_a_server_cleanly_and_frees_everything(tmp_path: Path) -> None:
    folder, root = tmp_path / "docs", tmp_path / "index"
    many_files(folder)
    with started(tmp_path / "home", "local", folder, "--index", root, "--port", "0") as process:
        url = url_from(process)
        wait_until_partly_indexed(root, process, FILES)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(SECONDS) == 0
        assert process.stdout
        assert process.stderr
        assert process.stdout.read().splitlines()[-1] == "Stopped."
        assert all(line.startswith("Indexing: ") for line in process.stderr.read().splitlines())
    with socket.create_server(("127.0.0.1", int(url.split(":")[2].split("/")[0]))), writer_lock(root):
        kept = stored(Index.open(root))
    assert kept.items() <= expected(folder).items()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_is_just_starting_ends_cleanly_too(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path / "home", "local", EXAMPLES, "--port", "0") as process:
        url_from(process)
        os.killpg(process.pid, number)
        assert process.wait(SECONDS) == 0
        assert process.stdout
        assert process.stderr
        assert process.stdout.read().splitlines()[-1] == "Stopped."
        assert process.stderr.read() == ""


def test_the_lock_of_an_index_is_free_after_any_end(shelf: Path) -> None:
    with (current_root(shelf) / "writer.lock").open("r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert lock.read().isdigit()


def test_nothing_is_written_beside_the_places_that_are_documented(tmp_path: Path) -> None:
    person, home = tmp_path / "person", tmp_path / "home"
    person.mkdir()
    variables = {"HOME": str(person), "XDG_CACHE_HOME": "", "ORT_DISABLE_TELEMETRY": ""}
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nText.\n")
    assert run(home, "local", folder, "--once", **variables).returncode == 0
    assert run(home, "query", "text", **variables).returncode == 0
    assert list(person.rglob("*")) == []


def test_an_index_of_another_folder_is_not_emptied(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"# {name}\n\nText.\n")
    assert run(tmp_path, "local", tmp_path / "one", "--once", "--index", tmp_path / "i").returncode == 0
    refused = run(tmp_path, "local", tmp_path / "two", "--once", "--index", tmp_path / "i")
    assert refused.returncode == 1
    assert "was made from" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full to stand for a full disk")
def test_output_that_cannot_be_written_is_a_sentence_and_stops_no_indexing(shelf: Path, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nText.\n")
    lines: list[tuple[str, list[str | Path]]] = [
        ("status", []),
        ("query", ["bank", "--json"]),
        ("local", [tmp_path / "docs", "--once", "--index", tmp_path / "i"]),
    ]
    for name, arguments in lines:
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                command_line(name, *arguments),
                env=environment(shelf),
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
                timeout=SECONDS,
            )
        assert "Traceback" not in done.stderr
    assert Index.open(tmp_path / "i").document("a.md")


def test_a_folder_that_lies_in_the_index_is_refused(tmp_path: Path, inside: Callable[..., Outcome]) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nText.\n")
    for index in (tmp_path / "docs", tmp_path):
        refused = inside("local", tmp_path / "docs", "--once", "--index", index)
        assert refused.returncode == 2
        one_sentence(refused, "lies in the index")
    assert [path.name for path in (tmp_path / "docs").iterdir()] == ["a.md"]
