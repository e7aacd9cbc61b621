"""LanceDB without its generated client, each time in a process that has not imported it yet."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import docshelf
from docshelf.errors import SettingsError
from docshelf.index.lance_stub import CLIENT, TESTED_LANCEDB, StandInFinder

LAYERS = str(Path(docshelf.__file__).parents[1])
ROOT = str(Path(__file__).parents[3])
IS_REAL = f"import json, sys; print(json.dumps(hasattr(sys.modules.get({CLIENT!r}), '__file__')))"

# What docshelf does with an index, from the first commit to the last search, and what LanceDB says of the result.
WORK = """
import json, sys
from datetime import timedelta
from pathlib import Path
from docshelf.index.identity import IndexIdentity
from docshelf.index.store import Index
import lancedb
from tests.unit.index.made_up import DIMENSION, make, vector_of
place = Path(sys.argv[1])
index = Index.create(place, IndexIdentity("m", "a" * 64, "b" * 64, DIMENSION, "cls", "", "", 512, 256, "1", "2"))
index.replace([make("a/one.md", ["release token"]), make("b/two.md", ["rate limits", "more"])])
index.replace([make("a/one.md", ["release token", "again"], version="2")])
index.replace([], removed=["b/two.md"])
index.maintain(force=True, keep_versions=timedelta(0))
index = Index.open(place)
index.refresh()
database = lancedb.connect(str(place / index.generation))
chunks = database.open_table("chunks")
candidates = index.vector_candidates(vector_of("again"), 1) + index.text_candidates("release", 1)
print(json.dumps({
    "states": index.state_counts(),
    "collections": [(each.name, each.documents, each.chunks) for each in index.collections()],
    "found": [chunk.text for chunk in index.chunks_at([found.row for found in candidates]).values()],
    "texts": [each.text for each in index.chunks_of("a/one.md")],
    "tables": sorted(database.list_tables().tables),
    "names": sorted(database.table_names()),
    "indexes": sorted(each.name for each in chunks.list_indices()),
    "versions": len(chunks.list_versions()) > 0,
}))
"""


def run(program: str, *arguments: str, first_on_path: str | None = None, **variables: str) -> object:
    """What `program` printed as JSON; the stub is what it is by default unless `variables` say otherwise."""
    path = os.pathsep.join(filter(None, (first_on_path, LAYERS, ROOT)))
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": path, **variables},
    )
    assert done.returncode == 0, done.stderr
    found: object = json.loads(done.stdout)
    return found


def test_the_client_is_left_out_unless_the_setting_says_no() -> None:
    program = f"import docshelf.index.store; {IS_REAL}"
    assert run(program) is False
    assert run(program, DOCSHELF_LANCE_STUB="1") is False
    assert run(program, DOCSHELF_LANCE_STUB="0") is True


def test_an_index_is_made_changed_maintained_and_read_just_as_with_the_client(tmp_path: Path) -> None:
    without = run(WORK, str(tmp_path / "without"))
    assert without == run(WORK, str(tmp_path / "with"), DOCSHELF_LANCE_STUB="0")
    assert isinstance(without, dict)
    assert without["tables"] == ["chunks", "documents"]
    assert without["texts"] == ["release token", "again"]
    assert sorted(without["found"]) == ["again", "release token"]


def test_a_client_that_was_imported_already_is_left_alone() -> None:
    program = f"import {CLIENT}.models as models, docshelf.index.store; from {CLIENT} import ApiClient; {IS_REAL}"
    assert run(program) is True


@pytest.mark.parametrize("other", ["0.39.0", "0.41.0", "0.4.0", "1.40.0"])
def test_another_version_of_lancedb_gets_its_client(other: str, tmp_path: Path) -> None:
    installed = tmp_path / f"lancedb-{other}.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: lancedb\nVersion: {other}\n")
    assert run(f"import docshelf.index.lance_stub; import {CLIENT}; {IS_REAL}", first_on_path=str(tmp_path)) is True


def test_without_lancedb_the_client_is_as_it_is() -> None:
    program = (
        "import importlib.metadata, json, sys\n"
        "sys.path = [place for place in sys.path if 'site-packages' not in place]\n"
        "from docshelf.index.lance_stub import CLIENT, StandInFinder\n"
        "print(json.dumps(StandInFinder().find_spec(CLIENT, None) is None))\n"
    )
    assert run(program) is True


@pytest.mark.parametrize("first", ["full_text", "maintenance", "table_indexes"])
def test_the_client_is_left_out_whichever_module_is_imported_first(first: str) -> None:
    assert run(f"import docshelf.index.{first}; {IS_REAL}") is False


def test_a_stand_in_keeps_the_fields_it_is_made_with_and_has_no_other() -> None:
    program = (
        "import json, docshelf.index.lance_stub, lancedb\n"
        f"from {CLIENT}.models import ListTablesResponse as Response\n"
        f"import {CLIENT}.models as models\n"
        "made = Response(tables=['a'], page_token=None)\n"
        "same = models.ListTablesResponse is Response\n"
        "print(json.dumps([made.tables, hasattr(made, 'other'), Response.__name__, same]))\n"
    )
    assert run(program) == [["a"], False, "ListTablesResponse", True]


def test_the_setting_is_one_or_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCSHELF_LANCE_STUB", "perhaps")
    with pytest.raises(SettingsError, match="DOCSHELF_LANCE_STUB must be 1 or 0"):
        StandInFinder().find_spec(CLIENT, None)


def test_nothing_else_is_found() -> None:
    names = (f"{CLIENT}s", "lance_namespace", "lancedb", f"docshelf.{CLIENT}", "")
    assert [StandInFinder().find_spec(name, None) for name in names] == [None] * len(names)


def test_the_installed_lancedb_is_the_version_that_is_tested_here() -> None:
    assert version("lancedb").startswith(TESTED_LANCEDB)
