"""What is shipped, and what a layer is known by, are the files of the repository and nothing that lies between them."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.layers.errors import LayerError
from infra.layers.inputs import package_files


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with a module and a data file."""
    made = tmp_path / "docshelf"
    (made / "pages").mkdir(parents=True)
    (made / "__init__.py").write_text("", "utf-8")
    (made / "pages" / "start.html").write_text("<p>", "utf-8")
    return made


@pytest.mark.parametrize(
    "name",
    ["__pycache__/start.pyc", ".DS_Store", ".start.html.swp", "start.html~", "#start.html#", "start.html.orig"],
)
def test_what_python_and_editors_leave_is_not_shipped(name: str, package: Path) -> None:
    before = package_files(package)
    left = package / "pages" / name
    left.parent.mkdir(exist_ok=True)
    left.write_text("left", "utf-8")
    assert package_files(package) == before == [package / "__init__.py", package / "pages" / "start.html"]


def test_the_lock_of_an_editor_which_leads_nowhere_is_passed_over(package: Path) -> None:
    before = package_files(package)
    (package / ".#start.html").symlink_to("person@machine.1:2")
    assert package_files(package) == before


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_a_link_is_refused_for_what_it_leads_to_is_not_of_the_package(kind: str, package: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    if kind == "file":
        outside.write_text("not to be shipped", "utf-8")
    else:
        outside.mkdir()
    (package / "pages" / "more").symlink_to(outside)
    with pytest.raises(LayerError, match="more is a link"):
        package_files(package)
