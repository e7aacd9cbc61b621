"""The model of a layer: pinned files, or a person's own; small enough, and the same model as everywhere else."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path

import pytest

from docshelf.embedding.embedder import Embedder
from docshelf.embedding.model_directory import DESCRIPTION_FILE
from docshelf.embedding.model_files import ResolvedModel, resolve_model
from infra.layers.errors import LayerArgumentError, LayerError
from infra.layers.model_contents import write_model
from infra.layers.models import wanted_model

PACKAGED = "all-minilm-l6-v2"
OWN = {"name": "own", "pooling": "mean", "dimension": 384, "max_tokens": 256}


@pytest.fixture
def directory(packaged_model: ResolvedModel, tmp_path: Path) -> Path:
    """The files of the packaged model as a person would put them into a directory."""
    made = tmp_path / "downloaded"
    made.mkdir()
    shutil.copyfile(packaged_model.files.model_path, made / "model.onnx")
    shutil.copyfile(packaged_model.files.tokenizer_path, made / "tokenizer.json")
    return made


def described(directory: Path, **fields: object) -> Path:
    (directory / DESCRIPTION_FILE).write_text(json.dumps({**OWN, **fields}), "utf-8")
    return directory


def test_a_directory_with_the_pinned_files_stands_for_the_download(directory: Path) -> None:
    fetched, given = wanted_model(PACKAGED, None), wanted_model(PACKAGED, directory)
    assert (given.name, given.source) == (fetched.name, fetched.source)
    assert given.files().files.model_path == directory / "model.onnx"
    assert given.files().files.sha256 == fetched.files().files.sha256


def test_files_other_than_the_pinned_ones_are_refused(directory: Path) -> None:
    with (directory / "tokenizer.json").open("ab") as stream:
        stream.write(b" ")
    with pytest.raises(LayerError, match=r"tokenizer\.json is not the pinned file of all-minilm-l6-v2: put .* there"):
        wanted_model(PACKAGED, directory)


def test_a_file_that_is_missing_is_named_with_its_origin(tmp_path: Path) -> None:
    with pytest.raises(LayerError, match=r"put tokenizer\.json of Xenova/bge-small-en-v1\.5 [0-9a-f]{40} there"):
        wanted_model("bge-small-en-v1.5", tmp_path)


def test_a_persons_own_model_is_known_by_its_files(directory: Path) -> None:
    before = wanted_model(None, described(directory))
    assert before.name == "own"
    assert wanted_model("own", directory).source == before.source
    assert wanted_model(None, described(directory, query_prefix="query: ")).source != before.source


def test_a_persons_own_model_has_the_name_that_is_asked_for(directory: Path) -> None:
    with pytest.raises(LayerArgumentError, match=r"--model is other, but the model in .* is called own"):
        wanted_model("other", described(directory))


def test_a_model_that_nobody_knows_is_refused() -> None:
    with pytest.raises(LayerArgumentError, match=r"There is no model 'other': use one of .* by --model-dir"):
        wanted_model("other", None)


def test_without_a_way_to_the_hub_the_option_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCSHELF_MODEL_CACHE", str(tmp_path))
    wanted = wanted_model(None, None)
    with pytest.raises(LayerError, match="name a directory with its files by --model-dir"):
        wanted.files()


def test_a_prepared_model_is_readable_by_everybody(directory: Path, tmp_path: Path) -> None:
    made = tmp_path / "model"
    write_model(resolve_model(str(described(directory))), made)
    assert {path.name for path in made.iterdir()} == {
        "docshelf-model.json",
        "model.onnx",
        "model.weights",
        "tokenizer.json",
    }
    assert {stat.S_IMODE(path.stat().st_mode) for path in made.iterdir()} == {0o644}


def test_a_model_that_preparing_would_unfold_stays_as_it_comes_and_is_the_same_model(
    packaged_model: ResolvedModel, embedder: Embedder, tmp_path: Path
) -> None:
    made = tmp_path / "model"
    write_model(packaged_model, made)
    size = sum(path.stat().st_size for path in made.iterdir())
    assert size < packaged_model.profile.size * 1.01
    assert "licence Apache-2.0" in (made / "NOTICE").read_text("utf-8")
    with Embedder(resolve_model(str(made)), threads=1) as written:
        assert written.identity == embedder.identity
        assert (written.embed_passages(["a text"]) == embedder.embed_passages(["a text"])).all()


def test_a_model_that_cannot_be_loaded_is_told(directory: Path, tmp_path: Path) -> None:
    (directory / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(LayerError, match="is not a model that onnxruntime can load"):
        write_model(resolve_model(str(described(directory))), tmp_path / "model")
