"""Which libraries are packed, and what is written about them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from docshelf.packed_libraries import INDEX, STORE
from infra.layers.errors import LayerError
from infra.layers.native import Libraries
from infra.layers.packing import Packing
from infra.layers.places import ARCHITECTURES
from infra.layers.recipe import Function
from tests.support.packed_tree import ARCHITECTURE, installed_tree, packed_tree

NUMPY = ("numpy", "numpy.libs")
LARGE = 4_000_000
OTHER = next(each for each in ARCHITECTURES if each != ARCHITECTURE)


@pytest.fixture(scope="module")
def numpy(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    return Libraries(installed_tree(tmp_path_factory.mktemp("numpy") / "python", *NUMPY), ARCHITECTURE)


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Packing]:
    root = tmp_path_factory.mktemp("packed") / "python"
    return root, packed_tree(root, *NUMPY, at_least_bytes=LARGE)


def needs_of(libraries: Libraries, module: str) -> list[str]:
    (found,) = [library for library in libraries.modules() if library.module == module]
    return [needed.path.partition("-")[0] for needed in libraries.needs(found)]


def test_what_a_library_needs_is_read_from_it(numpy: Libraries) -> None:
    assert "numpy.libs/libscipy_openblas64_" in needs_of(numpy, "numpy._core._multiarray_umath")
    assert needs_of(numpy, "numpy.random._common") == []


def test_a_module_is_known_by_the_name_it_is_imported_by(numpy: Libraries) -> None:
    modules = {library.module: library.path for library in numpy.modules()}
    assert modules["numpy.linalg._umath_linalg"].startswith("numpy/linalg/_umath_linalg.")
    assert not any(path.startswith("numpy.libs/") for path in modules.values())


def test_a_library_for_another_processor_is_refused(tmp_path: Path) -> None:
    root = installed_tree(tmp_path / "python", "rpds")
    with pytest.raises(LayerError, match=f"rpds/rpds.* is not for {OTHER}"):
        Libraries(root, OTHER)


def test_a_file_that_is_no_library_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.so").write_text("no library", "utf-8")
    with pytest.raises(LayerError, match=r"a\.so is not a library"):
        Libraries(tmp_path, ARCHITECTURE)


def test_a_library_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    root = installed_tree(tmp_path / "python", "numpy.libs")
    (first,) = root.glob("numpy.libs/libscipy_openblas64_*")
    shutil.copyfile(first, root / "libcopy.so")
    with pytest.raises(LayerError, match="are the same library: leave one out by a rule"):
        Libraries(root, ARCHITECTURE)


def test_the_largest_libraries_are_packed_and_the_index_says_who_needs_them(
    numpy: Libraries, packed: tuple[Path, Packing]
) -> None:
    root, packing = packed
    assert packing.libraries == {library.path: library.size for library in numpy if library.size >= LARGE}
    assert len(packing.libraries) == 2
    index = json.loads((root / STORE / INDEX).read_text("utf-8"))
    assert index["libraries"] == packing.libraries
    assert {name.rpartition(".")[2] for name in index["modules"]} == {
        library.module.rpartition(".")[2]
        for library in numpy.modules()
        if library.module and (library.path in packing.libraries or numpy.needs(library))
    }
    for path in packing.libraries:
        assert not (root / path).exists()
        assert (root / STORE / f"{path}.zst").stat().st_size < packing.libraries[path] // 2


def test_a_library_that_nobody_imports_or_needs_stays_in_its_place(tmp_path: Path) -> None:
    root = tmp_path / "python"
    packing = packed_tree(root, "numpy.libs", "rpds", at_least_bytes=500_000)
    assert [path.split("/")[0] for path in packing.libraries] == ["rpds"]


def test_a_library_that_the_recipe_leaves_in_its_place_is_not_packed(tmp_path: Path) -> None:
    packing = packed_tree(tmp_path / "python", *NUMPY, at_least_bytes=LARGE, in_place=["numpy.libs/*"])
    assert [path.split("/")[0] for path in packing.libraries] == ["numpy"]


def test_a_rule_for_a_library_that_is_not_there_any_more_is_told(tmp_path: Path) -> None:
    with pytest.raises(LayerError, match=r"'gone/\*' .* no library has that name any more"):
        packed_tree(tmp_path / "python", "rpds", in_place=["gone/*"])


def test_what_a_function_unpacks_is_counted_once(packed: tuple[Path, Packing]) -> None:
    _, packing = packed
    both = Function(model=False, packed_modules=("numpy._core._multiarray_umath", "numpy.linalg._umath_linalg"))
    one = Function(model=False, packed_modules=("numpy.linalg._umath_linalg",))
    assert packing.unpacked_bytes("both", both) == sum(packing.libraries.values())
    assert packing.unpacked_bytes("one", one) < sum(packing.libraries.values())
    with pytest.raises(LayerError, match="The function x imports gone by the recipe"):
        packing.unpacked_bytes("x", Function(model=False, packed_modules=("gone",)))
