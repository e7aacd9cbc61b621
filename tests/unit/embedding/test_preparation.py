"""Prepared models, made of the real packaged one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import docshelf
from docshelf.embedding.embedder import Embedder
from docshelf.embedding.model_files import ResolvedModel, resolve_model
from docshelf.embedding.preparation import prepare_model
from docshelf.errors import InvalidArgumentError, ModelUnavailableError
from tests.unit.embedding.tiny_graph import graph

TEXTS = ["", "bread", "How do I rotate the release token?", "漢字 😀", "Mix flour, sugar and eggs. " * 60]

# How much memory the loading of a model takes at most, and keeps, beyond what everything else takes.
_LOADING = """
import re, sys
from pathlib import Path
from docshelf.embedding.embedder import Embedder
from docshelf.embedding.model_files import resolve_model
def memory(field):
    return int(re.search(field + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
model = resolve_model(sys.argv[1])
before = memory("VmRSS")
embedder = Embedder(model, threads=1)
print(memory("VmHWM") - before, memory("VmRSS") - before)
"""


@pytest.fixture(scope="module")
def prepared(packaged_model: ResolvedModel, tmp_path_factory: pytest.TempPathFactory) -> ResolvedModel:
    """The packaged model, prepared."""
    return prepare_model(packaged_model, tmp_path_factory.mktemp("models") / "prepared")


@pytest.fixture
def copy(prepared: ResolvedModel, tmp_path: Path) -> Path:
    """A directory with the prepared model that the test may spoil."""
    return Path(shutil.copytree(prepared.files.model_path.parent, tmp_path / "copy"))


def described(directory: Path, change: Callable[[dict[str, object]], None]) -> None:
    path = directory / "docshelf-model.json"
    fields = json.loads(path.read_text("utf-8"))
    change(fields)
    path.write_text(json.dumps(fields), "utf-8")


def test_a_prepared_model_gives_the_same_vectors_under_the_same_identity(
    prepared: ResolvedModel, embedder: Embedder
) -> None:
    with Embedder(prepared, threads=1) as after:
        assert after.identity == embedder.identity
        np.testing.assert_allclose(after.embed_passages(TEXTS), embedder.embed_passages(TEXTS), atol=1e-5)
        np.testing.assert_allclose(after.embed_query("bread"), embedder.embed_query("bread"), atol=1e-5)


def test_everything_that_the_profile_says_is_kept(packaged_model: ResolvedModel, prepared: ResolvedModel) -> None:
    before, after = packaged_model.profile, prepared.profile
    assert (after.name, after.pooling, after.dimension) == (before.name, before.pooling, before.dimension)
    assert (after.max_tokens, after.languages) == (before.max_tokens, before.languages)
    assert (after.query_prefix, after.passage_prefix) == (before.query_prefix, before.passage_prefix)


def test_a_persons_own_model_is_prepared_with_its_prefixes(packaged_model: ResolvedModel, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "model.onnx").symlink_to(packaged_model.files.model_path)
    (own / "tokenizer.json").symlink_to(packaged_model.files.tokenizer_path)
    fields = {"pooling": "cls", "dimension": 384, "max_tokens": 64, "query_prefix": "find: ", "languages": ["*"]}
    (own / "docshelf-model.json").write_text(json.dumps(fields), "utf-8")
    made = prepare_model(resolve_model(str(own)), tmp_path / "new" / "prepared")
    assert (made.profile.name, made.profile.query_prefix, made.profile.languages) == ("own", "find: ", ("*",))
    with Embedder(resolve_model(str(own))) as before, Embedder(made) as after:
        assert before.identity == after.identity


def test_the_same_model_gives_the_same_bytes_that_everybody_may_read(
    packaged_model: ResolvedModel, prepared: ResolvedModel, tmp_path: Path
) -> None:
    again = prepare_model(packaged_model, tmp_path / "again")
    first, second = prepared.files.model_path.parent, again.files.model_path.parent
    names = ["docshelf-model.json", "model.onnx", "model.weights", "tokenizer.json"]
    for directory in (first, second):
        assert sorted(path.name for path in directory.iterdir()) == names
    assert all((first / name).read_bytes() == (second / name).read_bytes() for name in names)
    assert all((first / name).stat().st_mode & 0o444 == 0o444 for name in names)


def test_a_prepared_model_can_be_prepared_again(prepared: ResolvedModel, embedder: Embedder, tmp_path: Path) -> None:
    with Embedder(prepare_model(prepared, tmp_path / "again"), threads=1) as again:
        assert again.identity == embedder.identity


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the memory of a process in /proc")
def test_loading_a_prepared_model_takes_less_memory(packaged_model: ResolvedModel, prepared: ResolvedModel) -> None:
    def loading(name: str) -> list[float]:
        done = subprocess.run(
            [sys.executable, "-c", _LOADING, name],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONPATH": str(Path(docshelf.__file__).parents[1])},
        )
        return [float(word) for word in done.stdout.split()]

    most, kept = loading(str(prepared.files.model_path.parent))
    most_before, kept_before = loading(packaged_model.profile.name)
    assert most < most_before / 2
    assert kept < kept_before * 0.8


def test_a_directory_that_exists_is_not_touched(packaged_model: ResolvedModel, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="exists already"):
        prepare_model(packaged_model, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["model.onnx", "model.weights"])
def test_a_file_that_is_not_the_one_that_was_made_is_refused(name: str, copy: Path) -> None:
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    with pytest.raises(ModelUnavailableError, match=f"{name} is not the file that was prepared"):
        resolve_model(str(copy))


def test_weights_that_are_missing_are_told(copy: Path) -> None:
    (copy / "model.weights").unlink()
    with pytest.raises(ModelUnavailableError, match=r"model\.weights is not the file"):
        resolve_model(str(copy))


@pytest.mark.parametrize(
    "wrong",
    [
        "yes",
        {},
        {"made_from": "a" * 64},
        {"made_from": "A" * 64, "files": {}},
        {"made_from": 7, "files": {}},
        {"made_from": "a" * 64, "files": ["model.onnx"]},
        {"made_from": "a" * 64, "files": {"model.onnx": None}},
        {"made_from": "a" * 64, "files": {"model.onnx": "a" * 63}},
    ],
)
def test_a_description_that_does_not_say_what_it_was_made_from_is_refused(wrong: object, copy: Path) -> None:
    described(copy, lambda fields: fields.update(prepared=wrong))
    with pytest.raises(ModelUnavailableError, match="does not say what its model was made from"):
        resolve_model(str(copy))


def test_a_description_must_name_the_graph_itself(copy: Path) -> None:
    described(copy, lambda fields: fields.update(prepared={"made_from": "a" * 64, "files": {}}))
    with pytest.raises(ModelUnavailableError, match="does not say what its model was made from"):
        resolve_model(str(copy))


def test_a_model_that_cannot_be_loaded_leaves_nothing_behind(packaged_model: ResolvedModel, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "model.onnx").write_bytes(graph([[1.0, 2.0, 3.0]], ["pixels"], "last_hidden_state"))
    (own / "tokenizer.json").symlink_to(packaged_model.files.tokenizer_path)
    fields = {"pooling": "cls", "dimension": 3, "max_tokens": 64}
    (own / "docshelf-model.json").write_text(json.dumps(fields), "utf-8")
    target = tmp_path / "target"
    with pytest.raises(ModelUnavailableError, match="pixels"):
        prepare_model(resolve_model(str(own)), target / "prepared")
    assert list(target.iterdir()) == []


def test_a_place_that_cannot_be_written_is_told(packaged_model: ResolvedModel, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelUnavailableError, match="cannot be written"):
        prepare_model(packaged_model, tmp_path / "file" / "prepared")
