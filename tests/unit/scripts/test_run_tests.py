"""The test command itself: it reports every check, and a test skipped without a reason fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]

PROJECT = """
[tool.ruff]
line-length = 120
[tool.mypy]
files = ["checked.py"]
[tool.coverage.run]
source = ["."]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A tiny repository with the test command."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(REPOSITORY / "scripts" / "run_tests.py", tmp_path / "scripts")
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "checked.py").write_text('"""Checked."""\n')
    (tmp_path / "test_it.py").write_text("def test_it() -> None:\n    assert True\n")
    return tmp_path


def run_tests(project: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, project / "scripts" / "run_tests.py", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=project.parent,
        env={name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"},
    )
    return done.returncode, done.stdout + done.stderr


def test_all_checks_run_and_pass(project: Path) -> None:
    status, output = run_tests(project)
    assert "== all checks passed" in output
    assert status == 0
    for name in ("lint", "format", "types", "tests"):
        assert f"== {name}: " in output


def test_every_check_that_fails_is_named_at_the_end(project: Path) -> None:
    (project / "checked.py").write_text("import os\nx:int='a'\n")
    (project / "test_it.py").write_text("def test_it() -> None:\n    assert False\n")
    status, output = run_tests(project)
    assert status == 1
    assert output.rstrip().endswith("== failed: lint, format, types, tests")


def test_with_arguments_only_pytest_runs(project: Path) -> None:
    (project / "checked.py").write_text("import os\n")
    status, output = run_tests(project, "-k", "it", "-q")
    assert status == 0
    assert "==" not in output
    assert "1 passed" in output
    assert run_tests(project, "-k", "nothing")[0] != 0


ASKED = """
def test_it(request):
    assert request.config.getoption("--clients")
"""

OPTION = """
def pytest_addoption(parser):
    parser.addoption("--clients", action="store_true")
"""


def test_the_coding_clients_are_asked_for_besides_all_checks(project: Path) -> None:
    (project / "conftest.py").write_text(OPTION.lstrip())
    (project / "test_it.py").write_text(ASKED.lstrip())
    status, output = run_tests(project, "--clients")
    assert "== all checks passed" in output
    assert status == 0


SKIPS = """
import pytest

@pytest.fixture
def broken(): pytest.skip()

@pytest.mark.skip
def test_bad_mark(): pass

def test_bad_call(): pytest.skip()

def test_bad_space(): pytest.skip("  ")

def test_bad_fixture(broken): pass

@pytest.mark.skip(reason="needs a bank")
def test_good_mark(): pass

def test_good_call(): pytest.skip("needs a bank")

@pytest.mark.xfail(reason="not yet")
def test_good_failure(): assert False
"""


def test_a_skip_without_a_reason_fails_and_one_with_a_reason_is_a_skip(tmp_path: Path) -> None:
    shutil.copy(REPOSITORY / "tests" / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --continue-on-collection-errors -rA\n")
    (tmp_path / "test_it.py").write_text(SKIPS)
    (tmp_path / "test_bad_module.py").write_text("import pytest\npytest.skip(allow_module_level=True)\n")
    (tmp_path / "test_good_module.py").write_text(
        "import pytest\npytest.skip('needs a bank', allow_module_level=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{REPOSITORY / 'layers'}{os.pathsep}{REPOSITORY}"},
        cwd=tmp_path,
    )
    assert done.returncode == 1
    complaints = [line for line in done.stdout.splitlines() if line.endswith("is skipped without a reason: say why")]
    named = {line.split(" is skipped")[0].split("::")[-1].split()[-1] for line in complaints}
    assert named == {"test_bad_mark", "test_bad_call", "test_bad_space", "test_bad_fixture", "test_bad_module.py"}
    assert "3 skipped, 1 xfailed" in done.stdout
