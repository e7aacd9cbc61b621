"""The layers as they are built for Lambda: they fit, they hold what they must, and everything in them works."""

from __future__ import annotations

import json
import re
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from docshelf.packed_libraries import INDEX, STORE
from infra.layers.built import BuiltLayers
from infra.layers.interpreters import find_interpreter
from infra.layers.places import ARCHITECTURES, PACKAGE, RECIPE, REQUIREMENTS, ROOT, Architecture, model_layer
from infra.layers.recipe import Recipe
from infra.layers.sizes import MOST_BYTES, WARNED_BYTES, check_sizes, function_sizes
from tests.support import layer_exercise
from tests.support.built_layers import MODEL, built_layers
from tests.support.packed_tree import ARCHITECTURE, unpacked

LARGEST_MODEL_BYTES = 34_014_426 + 711_396 + 200_000
"""Of the default model with its tokenizer, and what preparing adds."""

TEMPORARY_BYTES = 512 * 1_048_576
"""What a function has there if it asks for no more."""

PROGRAMS = {
    "ingest": """
import docshelf.ingest.function
from docshelf.documents.sandbox.process import ParserProcess
from docshelf.settings import Limits
with ParserProcess(Limits()) as parser:
    parser.parse(b"<p>text</p>", "a.html")
""",
    "commit": "import docshelf.commit.lane",
    "search": "import docshelf.serving.function",
    "signin": "import docshelf.signin.function",
}


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The layers of this machine's processor, as below /opt; programs run with nothing else to import."""

    root: Path
    python: Path
    minor: str

    def run(self, temporary: Path, *arguments: str) -> str:
        """What Python prints; an assertion that it ends well, warns of nothing and says nothing else."""
        temporary.mkdir()
        done = subprocess.run(
            [self.python, "-s", "-S", "-P", "-W", "error", *arguments],
            env={"PYTHONPATH": str(self.root / "python"), "TMPDIR": str(temporary), "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


@pytest.fixture(scope="module", params=ARCHITECTURES)
def layers(request: pytest.FixtureRequest) -> BuiltLayers:
    """Of each processor in turn."""
    architecture: Architecture = request.param
    return built_layers(architecture)


@pytest.fixture(scope="module")
def opt(tmp_path_factory: pytest.TempPathFactory) -> Unpacked:
    built, root = built_layers(ARCHITECTURE), tmp_path_factory.mktemp("opt")
    for path in (built.dependencies, built.docshelf, built.model(MODEL)):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(root)
    return Unpacked(root, find_interpreter(built.python, fetch=False).path, built.python)


def names(layers: BuiltLayers) -> set[str]:
    """Everything in the layers of the dependencies and of docshelf."""
    found = set()
    for path in (layers.dependencies, layers.docshelf):
        with zipfile.ZipFile(path) as archive:
            found |= set(archive.namelist())
    return found


def test_every_function_fits_with_its_layers(layers: BuiltLayers) -> None:
    name = model_layer(MODEL)
    assert name is not None
    sizes = function_sizes(layers, Recipe.read(RECIPE).functions, name)
    assert check_sizes(sizes) == []
    assert {size.name for size in sizes} == PROGRAMS.keys()


def test_there_is_room_for_the_default_model_in_memory_and_on_disk(layers: BuiltLayers) -> None:
    without_model = layers.layer("dependencies").unzipped + layers.layer("docshelf").unzipped
    assert without_model + LARGEST_MODEL_BYTES < WARNED_BYTES < MOST_BYTES
    assert max(layers.layer("dependencies").unpacked.values()) < TEMPORARY_BYTES * 0.75


def test_every_module_has_bytecode_and_nothing_else_is_cached(layers: BuiltLayers) -> None:
    tag = layers.python.replace(".", "")
    found = names(layers)
    sources = {name for name in found if name.endswith(".py")}
    expected = {re.sub(r"([^/]+)\.py$", rf"__pycache__/\1.cpython-{tag}.pyc", name) for name in sources}
    assert {name for name in found if "__pycache__" in name} == expected
    assert len(sources) > 1000


def test_no_layer_has_what_another_one_has(layers: BuiltLayers) -> None:
    with zipfile.ZipFile(layers.dependencies) as first, zipfile.ZipFile(layers.docshelf) as second:
        assert set(first.namelist()).isdisjoint(second.namelist())


def test_the_package_is_whole_with_its_data(layers: BuiltLayers) -> None:
    with zipfile.ZipFile(layers.docshelf) as archive:
        found = set(archive.namelist())
    files = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert {f"python/docshelf/{path.relative_to(PACKAGE).as_posix()}" for path in files} <= found
    assert any(name.startswith("python/docshelf/signin/pages/templates/") for name in found)
    assert "python/docshelf/LICENSE" in found


def test_every_package_that_is_shipped_has_its_name_version_and_licence(layers: BuiltLayers) -> None:
    left_out = {name for rule in Recipe.read(RECIPE).remove for name in rule.distributions}
    pinned = set(re.findall(r"^([\w.-]+)==", REQUIREMENTS.read_text("utf-8"), re.MULTILINE))
    found = {name.removeprefix("python/") for name in names(layers) if ".dist-info/" in name}
    records = {name.partition("/")[0] for name in found}
    shipped = {re.sub(r"[-_.]+", "-", re.split(r"-\d", name)[0]).lower() for name in records}
    # What is pinned for other systems alone is not there either.
    assert shipped <= pinned - left_out
    assert len(shipped) > 40
    for name in records:
        assert f"{name}/METADATA" in found
        assert _has_licence(name, found, layers), name


def test_no_link_is_in_a_layer(layers: BuiltLayers) -> None:
    with zipfile.ZipFile(layers.dependencies) as archive:
        assert {entry.external_attr >> 16 for entry in archive.infolist()} == {0o100644}


def test_libraries_are_loaded_after_those_that_they_need(layers: BuiltLayers) -> None:
    with zipfile.ZipFile(layers.dependencies) as archive:
        index = json.loads(archive.read(f"python/{STORE}/{INDEX}"))
    needed = [path.partition(".")[0] for path in index["modules"]["pyarrow.lib"]["needs"]]
    assert needed[0] == "pyarrow/libarrow"
    assert needed[-1] == "pyarrow/libarrow_python"
    assert needed.index("pyarrow/libparquet") < needed.index("pyarrow/libarrow_dataset")
    beside = index["modules"]["onnxruntime.capi.onnxruntime_pybind11_state"]["beside"]
    assert beside == ["onnxruntime/capi/libonnxruntime_providers_shared.so"]


def test_everything_works_with_nothing_but_the_layers(opt: Unpacked, tmp_path: Path) -> None:
    arguments = (layer_exercise.__file__, str(ROOT / "examples"), str(opt.root / "model"))
    found = json.loads(opt.run(tmp_path / "tmp", *arguments))
    assert ".".join(map(str, found.pop("python"))) == opt.minor
    assert min(found.pop("parsing").values()) > 100
    assert len(found.pop("serving")) == 7
    assert found == {
        "embedding": {"dimension": 384, "nearer": True},
        "storing": {"rows": 590, "vector": [5], "text": 3, "hybrid": 4, "index": ["IvfRq"]},
        "signing": {"claims": {"sub": "person"}, "sealed": "secret"},
        "calling": [
            f"https://{name}.eu-central-1.amazonaws.com" for name in ("s3", "sqs", "secretsmanager", "sts", "textract")
        ],
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_function_unpacks_what_the_recipe_says_and_no_more(name: str, opt: Unpacked, tmp_path: Path) -> None:
    opt.run(tmp_path / "tmp", "-c", PROGRAMS[name])
    index = json.loads((opt.root / "python" / STORE / INDEX).read_text("utf-8"))
    expected = set()
    for module in Recipe.read(RECIPE).functions[name].packed_modules:
        parts = index["modules"][module]
        expected |= {parts["library"], *parts["needs"], *parts["beside"]} & index["libraries"].keys()
    assert set(unpacked(tmp_path / "tmp")) == expected
    size = sum(index["libraries"][path] for path in expected)
    assert size == built_layers(ARCHITECTURE).layer("dependencies").unpacked[name]


def _has_licence(name: str, found: set[str], layers: BuiltLayers) -> bool:
    """Whether the distribution has the text of its licence, or says which it is where its wheel has no text."""
    if any(re.search(r"/(licen[cs]e|copying)", each, re.IGNORECASE) for each in found if each.startswith(f"{name}/")):
        return True
    with zipfile.ZipFile(layers.dependencies) as archive:
        metadata = archive.read(f"python/{name}/METADATA")
    return re.search(rb"^(License|License-Expression|Classifier: License)", metadata, re.MULTILINE) is not None
