"""Building again builds what has changed; the command says what it did and ends with the right status."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from pathlib import Path

import pytest

from infra.layers.builder import LayerBuilder
from infra.layers.built import BuiltLayers
from infra.layers.command import main
from infra.layers.errors import LayerError
from infra.layers.inputs import docshelf_inputs
from infra.layers.models import wanted_model
from infra.layers.places import MANIFEST
from tests.support.built_layers import MODEL, built_layers

LAYERS = ("dependencies", "docshelf", f"model-{MODEL}")


@pytest.fixture
def copy(tmp_path: Path) -> BuiltLayers:
    """The layers of this machine under another directory: links, which a builder replaces and never writes to."""
    built = built_layers()
    target = tmp_path / "layers" / built.architecture
    shutil.copytree(built.directory, target, copy_function=os.link, ignore=shutil.ignore_patterns(".*"))
    manifest = target / MANIFEST
    text = manifest.read_text("utf-8")
    manifest.unlink()
    manifest.write_text(text, "utf-8")
    return BuiltLayers.load(target)


def build(copy: BuiltLayers) -> list[str]:
    """What a builder says when it builds into the directory of `copy`."""
    said: list[str] = []
    LayerBuilder(copy.directory, copy.architecture, copy.python, said.append).build(wanted_model(MODEL, None))
    return said


def inodes(copy: BuiltLayers) -> dict[str, int]:
    return {name: (copy.directory / f"{name}.zip").stat().st_ino for name in LAYERS}


def command(copy: BuiltLayers, *further: str) -> int:
    arguments = ["--arch", copy.architecture, "--python", copy.python, "--output", str(copy.directory.parent)]
    return main([*arguments, "--model", MODEL, *further])


def test_what_has_not_changed_is_not_built_again(copy: BuiltLayers) -> None:
    before = inodes(copy)
    assert build(copy) == [f"{name}: unchanged." for name in LAYERS]
    assert inodes(copy) == before


def test_only_the_layer_whose_inputs_have_changed_is_built_again(
    copy: BuiltLayers, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = inodes(copy)

    def changed(python: str) -> dict[str, str]:
        return {**docshelf_inputs(python), "a file": "changed"}

    for module in ("builder", "built"):
        monkeypatch.setattr(f"infra.layers.{module}.docshelf_inputs", changed)
    said = build(copy)
    assert [line.partition(":")[0] for line in said if "unchanged" in line] == ["dependencies", f"model-{MODEL}"]
    assert {name for name, inode in inodes(copy).items() if inode != before[name]} == {"docshelf"}


def test_a_layer_that_is_gone_is_built_to_the_same_bytes(copy: BuiltLayers) -> None:
    before = copy.layer("docshelf")
    copy.docshelf.unlink()
    build(copy)
    assert BuiltLayers.load(copy.directory).layer("docshelf") == before


def test_a_file_that_was_cut_short_is_built_again(copy: BuiltLayers) -> None:
    whole = copy.docshelf.read_bytes()
    copy.docshelf.unlink()
    copy.docshelf.write_bytes(whole[:-1])
    build(copy)
    assert copy.docshelf.read_bytes() == whole


def test_a_second_build_waits_for_the_first_and_says_so(copy: BuiltLayers) -> None:
    said: list[str] = []
    with (copy.directory / ".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)

        def say(line: str) -> None:
            said.append(line)
            fcntl.flock(held, fcntl.LOCK_UN)

        LayerBuilder(copy.directory, copy.architecture, copy.python, say).build(wanted_model(MODEL, None))
    assert said == [
        f"Another command is building in {copy.directory}; waiting for it ...",
        *(f"{name}: unchanged." for name in LAYERS),
    ]


def test_what_an_interrupted_build_left_is_removed(copy: BuiltLayers) -> None:
    left = copy.directory / ".unfinished-1" / "tree"
    left.mkdir(parents=True)
    build(copy)
    assert not left.parent.exists()


def test_a_build_that_fails_leaves_what_was_there(copy: BuiltLayers) -> None:
    before = inodes(copy)
    with pytest.raises(LayerError):
        LayerBuilder(copy.directory, copy.architecture, "3.99", lambda line: None).build(wanted_model(MODEL, None))
    assert inodes(copy) == before
    assert BuiltLayers.load(copy.directory).layer("docshelf") == copy.layer("docshelf")


def test_the_command_prints_the_sizes_of_layers_and_functions(
    copy: BuiltLayers, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(copy) == 0
    said = capsys.readouterr()
    assert said.err.splitlines() == [f"{name}: unchanged." for name in LAYERS]
    for name in (*LAYERS, "ingest", "commit", "search", "signin", "lancedb", "pyarrow"):
        assert f"│ {name} " in said.out


def test_the_command_fails_for_a_function_that_lambda_would_not_take(
    copy: BuiltLayers, capsys: pytest.CaptureFixture[str]
) -> None:
    _grow(copy, 300)
    assert command(copy) == 1
    assert "MiB with its layers, and Lambda takes 250.0: take a smaller model" in capsys.readouterr().err


def test_the_command_warns_of_a_function_that_is_nearly_too_large(
    copy: BuiltLayers, capsys: pytest.CaptureFixture[str]
) -> None:
    other = copy.layer("dependencies").unzipped + copy.layer(f"model-{MODEL}").unzipped
    _grow(copy, 240 - other // 1_048_576)
    assert command(copy) == 0
    assert "Warning: The function ingest has 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("further", "said"),
    [
        (("--model", "other"), "There is no model 'other'"),
        (("--python", "3"), "--python must be a minor version such as 3.13"),
    ],
)
def test_an_argument_that_cannot_be_used_ends_the_command_with_2(
    further: tuple[str, ...], said: str, copy: BuiltLayers, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(copy, *further) == 2
    assert said in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_told(
    copy: BuiltLayers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert command(copy, "--output", str(tmp_path / "file")) == 1
    assert "The layers cannot be built in" in capsys.readouterr().err


def _grow(copy: BuiltLayers, mebibytes: int) -> None:
    """Let the layer of docshelf say that it has so many MiB."""
    path = copy.directory / MANIFEST
    manifest = json.loads(path.read_bytes())
    manifest["layers"]["docshelf"]["unzipped"] = mebibytes * 1_048_576
    path.write_text(json.dumps(manifest), "utf-8")
