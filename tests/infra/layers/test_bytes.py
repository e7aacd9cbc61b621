"""The same inputs give the same bytes, which everybody can read on Lambda."""

from __future__ import annotations

import importlib.util
import marshal
import os
import sys
import zipfile
from pathlib import Path
from types import CodeType

import pytest

from docshelf.packed_libraries import STORE
from infra.layers.archives import write_archive
from infra.layers.bytecode import compile_tree
from infra.layers.errors import LayerError
from infra.layers.interpreters import find_interpreter
from tests.support.packed_tree import packed_tree

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
SOURCES = {
    "a/__init__.py": '"""Some words."""\nNAMES = {"one", "two", "three", "four", None, (1, 2)}\n',
    "a/b.py": "def f(x):\n    return x in {'one', 'two', 'three', 'four', 'five'}\n",
    "a/data.json": "{}\n",
}


def sources(tree: Path) -> Path:
    for name, text in SOURCES.items():
        path = tree / "python" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tree


def code(tree: Path) -> CodeType:
    """The code in the bytecode of `a/b.py`."""
    path = Path(importlib.util.cache_from_source(str(tree / "python" / "a" / "b.py")))
    found = marshal.loads(path.read_bytes()[16:])
    assert isinstance(found, CodeType)
    return found


def test_the_same_files_give_the_same_archive_wherever_and_whenever_they_are_built(tmp_path: Path) -> None:
    written = []
    for name in ("one", "another place with a longer name"):
        tree = tmp_path / name
        packed_tree(tree / "python", "rpds", "anyio")
        (tree / "python" / "docshelf").unlink()
        compile_tree(sources(tree), find_interpreter(HERE, fetch=False))
        written.append(write_archive(tree, tmp_path / f"{name}.zip"))
    assert written[0] == written[1]
    assert len({(tmp_path / f"{name}.zip").read_bytes() for name in ("one", "another place with a longer name")}) == 1


def test_modes_and_times_of_the_files_do_not_matter(tmp_path: Path) -> None:
    tree = sources(tmp_path / "tree")
    before = write_archive(tree, tmp_path / "before.zip")
    for path in tree.rglob("*.py"):
        path.chmod(0o600)
        os.utime(path, (1, 1))
    assert write_archive(tree, tmp_path / "after.zip") == before


def test_another_byte_or_name_gives_another_content(tmp_path: Path) -> None:
    tree = sources(tmp_path / "tree")
    contents = [write_archive(tree, tmp_path / "a.zip").content]
    (tree / "python/a/data.json").write_text("[]\n", "utf-8")
    contents.append(write_archive(tree, tmp_path / "b.zip").content)
    (tree / "python/a/data.json").rename(tree / "python/a/date.json")
    contents.append(write_archive(tree, tmp_path / "c.zip").content)
    assert len(set(contents)) == 3


def test_everybody_can_read_what_is_in_an_archive_and_packed_libraries_are_not_compressed_twice(tmp_path: Path) -> None:
    tree = sources(tmp_path / "tree")
    packed = tree / "python" / STORE / "a.so.zst"
    packed.parent.mkdir()
    packed.write_bytes(b"packed")
    written = write_archive(tree, tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        entries = archive.infolist()
    assert [entry.filename for entry in entries] == sorted(entry.filename for entry in entries)
    assert {entry.external_attr >> 16 for entry in entries} == {0o100644}
    assert {entry.filename for entry in entries if entry.compress_type == zipfile.ZIP_STORED} == {
        f"python/{STORE}/a.so.zst"
    }
    assert written.unzipped == sum(entry.file_size for entry in entries)
    assert written.zipped == (tmp_path / "a.zip").stat().st_size


def test_bytecode_is_never_checked_against_its_source_and_names_the_place_on_lambda(tmp_path: Path) -> None:
    tree = sources(tmp_path / "tree")
    compile_tree(tree, find_interpreter(HERE, fetch=False))
    cached = Path(importlib.util.cache_from_source(str(tree / "python" / "a" / "b.py")))
    assert int.from_bytes(cached.read_bytes()[4:8], "little") == 0b01  # by hash, unchecked (PEP 552)
    assert code(tree).co_filename == "/opt/python/a/b.py"


def test_a_module_that_cannot_be_compiled_is_told(tmp_path: Path) -> None:
    tree = sources(tmp_path / "tree")
    (tree / "python/a/b.py").write_text("def f(:\n", "utf-8")
    with pytest.raises(LayerError, match=r"Python .* cannot compile a module of the layer: .*b\.py"):
        compile_tree(tree, find_interpreter(HERE, fetch=False))
