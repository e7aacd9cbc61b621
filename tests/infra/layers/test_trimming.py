"""What is left out of the wheels, and that nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.layers.errors import LayerError
from infra.layers.recipe import Removal
from infra.layers.trimming import trim


def tree(root: Path, *paths: str) -> Path:
    for name in paths:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", "utf-8")
    return root


def distribution(root: Path, name: str, *paths: str) -> None:
    """Files of a distribution as an installer leaves them, with the records of it."""
    records = root / f"{name}-1.0.dist-info"
    tree(root, *paths, f"{records.name}/METADATA", f"{records.name}/RECORD", f"{records.name}/licenses/LICENSE")
    (records / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\n", "utf-8")
    listed = (*paths, *(path.relative_to(root).as_posix() for path in records.rglob("*") if path.is_file()))
    (records / "RECORD").write_text("".join(f"{path},,\n" for path in listed), "utf-8")


def rule(**fields: tuple[str, ...]) -> Removal:
    return Removal(name="a rule", reason="a test", **fields)


def left(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))


def test_what_the_patterns_match_is_removed_with_the_directories_that_it_leaves_empty(tmp_path: Path) -> None:
    root = tree(tmp_path, "a/__init__.py", "a/tests/data/x.bin", "a/b/x.pyi", "c/tests/y.py")
    trim(root, [rule(paths=("**/tests", "**/*.pyi"))])
    assert left(root) == ["a", "a/__init__.py"]


def test_what_is_kept_stays(tmp_path: Path) -> None:
    root = tree(tmp_path, "data/s3/x", "data/ec2/x", "data/endpoints.json")
    trim(root, [rule(paths=("data/*",), keep=("data/*.json", "data/s3"))])
    assert left(root) == ["data", "data/endpoints.json", "data/s3", "data/s3/x"]


@pytest.mark.parametrize(
    "name", ["LICENSE", "LICENCE.md", "COPYING", "NOTICE.txt", "AUTHORS.md", "ThirdPartyNotices.txt"]
)
def test_texts_of_licences_stay(name: str, tmp_path: Path) -> None:
    root = tree(tmp_path, f"a/tests/{name}", "a/tests/x.py", f"b/{name}")
    trim(root, [rule(paths=("**/tests", "b/*"))])
    assert left(root) == ["a", "a/tests", f"a/tests/{name}", "b", f"b/{name}"]


def test_a_whole_distribution_goes_with_its_records(tmp_path: Path) -> None:
    distribution(tmp_path, "PyYAML", "yaml/__init__.py", "_yaml/__init__.py", "bin/yaml")
    distribution(tmp_path, "other", "other.py")
    trim(tmp_path, [rule(distributions=("pyyaml",))])
    assert [name for name in left(tmp_path) if "/" not in name] == ["other-1.0.dist-info", "other.py"]


def test_a_distribution_cannot_name_files_outside(tmp_path: Path) -> None:
    root = tmp_path / "root"
    distribution(root, "wheel", "wheel.py")
    outside = tree(tmp_path, "outside.txt") / "outside.txt"
    with (root / "wheel-1.0.dist-info" / "RECORD").open("a", encoding="utf-8") as records:
        records.write("../outside.txt,,\n")
    trim(root, [rule(distributions=("wheel",))])
    assert outside.exists()
    assert left(root) == []


@pytest.mark.parametrize("field", ["paths", "keep"])
def test_a_pattern_that_matches_nothing_any_more_is_told(field: str, tmp_path: Path) -> None:
    root = tree(tmp_path, "a/x")
    with pytest.raises(LayerError, match=r"The rule 'a rule' .* names 'b/\*', which matches no file"):
        trim(root, [rule(**{field: ("b/*",)})])


def test_a_distribution_that_is_not_there_any_more_is_told(tmp_path: Path) -> None:
    with pytest.raises(LayerError, match="not among the dependencies any more \\(gone\\)"):
        trim(tree(tmp_path, "a/x"), [rule(distributions=("gone",))])
