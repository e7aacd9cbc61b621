"""Finding the Python that writes the bytecode, and the wheels for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from infra.layers.errors import LayerArgumentError, LayerError
from infra.layers.interpreters import find_interpreter
from infra.layers.wheels import install_wheels

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"


def test_the_python_that_is_found_is_of_the_version_asked_for() -> None:
    found = find_interpreter(HERE, fetch=False)
    asked = subprocess.run([found.path, "-V"], capture_output=True, text=True, check=True).stdout
    assert asked.strip() == f"Python {found.release}"
    assert found.minor == HERE


def test_a_python_that_only_the_path_has_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "python3.99"
    program.write_text("#!/bin/sh\necho cpython 3 99 1 final\necho /real/python\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    found = find_interpreter("3.99", fetch=False)
    assert (found.path, found.release) == (Path("/real/python"), "3.99.1")


@pytest.mark.parametrize(
    "answer", ["echo pypy 3 99 1 final", "echo cpython 3 98 1 final", "echo cpython 3 99 0 beta", "exit 3"]
)
def test_a_program_of_that_name_that_is_another_python_is_passed_over(
    answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "python3.99"
    program.write_text(f"#!/bin/sh\n{answer}\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(
        LayerError, match=r"CPython 3\.99, which writes the functions' bytecode, is not on this machine"
    ):
        find_interpreter("3.99", fetch=False)


@pytest.mark.parametrize("version", ["3", "3.13.1", "python3.13", ""])
def test_a_version_that_is_no_minor_version_is_refused(version: str) -> None:
    with pytest.raises(LayerArgumentError, match=r"--python must be a minor version such as 3\.13"):
        find_interpreter(version)


def test_requirements_without_hashes_are_not_installed(tmp_path: Path) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("rpds-py==1.0\n", "utf-8")
    with pytest.raises(LayerError, match=r"(?s)for arm64 and Python 3\.13 cannot be installed.*hash"):
        install_wheels(requirements, tmp_path / "target", "arm64", "3.13")
