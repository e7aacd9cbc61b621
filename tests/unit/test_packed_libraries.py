"""Native modules are imported from a store of packed libraries, safely and only as far as they are needed."""

from __future__ import annotations

import json
import re
import stat
import sys
from pathlib import Path

import pytest

from docshelf.packed_libraries import FORMAT, INDEX, STORE, PackedFinder
from docshelf.packed_libraries_directory import PackedLibraryError
from tests.support.packed_tree import output_of, packed_tree, started, unpacked

RPDS = "import docshelf, rpds.rpds; print(rpds.rpds.__file__, rpds.HashTrieMap({1: 2})[1])"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One packed module without dependencies."""
    root = tmp_path_factory.mktemp("small") / "python"
    packed_tree(root, "rpds")
    return root


@pytest.fixture(scope="module")
def numpy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Modules, packed and in their place, that need one packed library."""
    root = tmp_path_factory.mktemp("numpy") / "python"
    packed_tree(root, "numpy", "numpy.libs", at_least_bytes=4_000_000)
    return root


@pytest.fixture
def tmp(tmp_path: Path) -> Path:
    """The temporary directory of the programs that a test starts."""
    made = tmp_path / "tmp"
    made.mkdir()
    return made


@pytest.fixture
def library(small: Path) -> str:
    """The path of the packed module's library."""
    (found,) = json.loads((small / STORE / INDEX).read_text("utf-8"))["libraries"]
    return str(found)


def test_a_packed_module_is_imported_from_the_temporary_directory(small: Path, tmp: Path, library: str) -> None:
    path, value = output_of(small, tmp, RPDS).split()
    assert value == "2"
    assert path.startswith(f"{tmp}/docshelf-libraries-")
    assert path.endswith(library)
    assert not (small / library).exists()


def test_finding_a_module_unpacks_nothing(small: Path, tmp: Path) -> None:
    program = "import docshelf, importlib.util; print(importlib.util.find_spec('rpds').origin)"
    assert output_of(small, tmp, program) == str(small / "rpds" / "__init__.py")
    assert list(tmp.iterdir()) == []


def test_what_a_module_needs_is_loaded_before_it(numpy: Path, tmp: Path) -> None:
    program = "import docshelf, numpy; print((numpy.eye(3) @ numpy.ones(3)).sum(), numpy.linalg.det(numpy.eye(2)))"
    assert output_of(numpy, tmp, program) == "3.0 1.0"
    assert [Path(path).name.split(".")[0].split("-")[0] for path in unpacked(tmp)] == [
        "libscipy_openblas64_",
        "_multiarray_umath",
    ]


def test_a_module_in_its_place_gets_the_packed_library_that_it_needs(numpy: Path, tmp: Path) -> None:
    program = "import docshelf, numpy.linalg._umath_linalg as module; print(module.__file__)"
    assert output_of(numpy, tmp, program).startswith(str(numpy / "numpy" / "linalg"))


def test_a_second_process_uses_what_the_first_has_unpacked(small: Path, tmp: Path) -> None:
    path = output_of(small, tmp, RPDS).split()[0]
    before = Path(path).stat()
    assert output_of(small, tmp, RPDS).split()[0] == path
    after = Path(path).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_processes_that_start_together_all_get_whole_libraries(numpy: Path, tmp: Path) -> None:
    program = "import docshelf, numpy; print(numpy.arange(4).sum())"
    running = [started(numpy, tmp, program) for _ in range(4)]
    answers = [process.communicate() for process in running]
    assert answers == [("6\n", "")] * 4
    assert not [path for path in unpacked(tmp) if path.endswith(".part")]


def test_what_an_interrupted_process_left_is_replaced(small: Path, tmp: Path) -> None:
    path = Path(output_of(small, tmp, RPDS).split()[0])
    whole = path.read_bytes()
    path.with_name(f"{path.name}.part").write_bytes(whole[:1000])
    path.unlink()
    assert output_of(small, tmp, RPDS).split() == [str(path), "2"]
    assert path.read_bytes() == whole
    assert unpacked(tmp) == [path.relative_to(path.parents[1]).as_posix()]


def test_a_library_of_another_size_is_unpacked_again(small: Path, tmp: Path) -> None:
    path = Path(output_of(small, tmp, RPDS).split()[0])
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    output_of(small, tmp, RPDS)
    assert path.read_bytes() == whole


def test_the_directory_is_open_to_its_user_alone(small: Path, tmp: Path) -> None:
    path = Path(output_of(small, tmp, RPDS).split()[0])
    for directory in path.parents[:2]:
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_a_full_disk_is_told_with_the_room_that_is_needed(small: Path, tmp: Path) -> None:
    program = """
import docshelf, resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    import rpds
except ImportError:
    print("A library would go on without its module.")
"""
    with started(small, tmp, program) as process:
        out, err = process.communicate()
    assert (process.returncode, out) == (1, "")
    assert re.search(r"PackedLibraryError: .* cannot be unpacked into .* \d+ MiB of room there\.$", err.strip())


def test_what_a_library_wants_beside_it_is_there(tmp_path: Path, tmp: Path) -> None:
    root = tmp_path / "python"
    beside = {"rpds/rpds.*.so": "charset_normalizer/md.*.so"}
    packed_tree(root, "rpds", "charset_normalizer", at_least_bytes=500_000, beside=beside)
    output_of(root, tmp, RPDS)
    assert [path.split(".")[0] for path in unpacked(tmp)] == ["charset_normalizer/md", "rpds/rpds"]


@pytest.mark.parametrize("text", ["", "[]", '{"format": 0}', f'{{"format": {FORMAT + 1}}}'])
def test_an_index_that_is_not_understood_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / INDEX).write_text(text, "utf-8")
    with pytest.raises(PackedLibraryError, match="build"):
        PackedFinder(tmp_path)


def test_nothing_is_loaded_where_there_is_no_store(tmp: Path) -> None:
    program = "import sys, docshelf; print([name for name in sys.modules if 'packed' in name or 'zstd' in name])"
    layers = Path(sys.modules["docshelf"].__file__ or "").parents[1]
    assert output_of(layers, tmp, program) == "[]"
