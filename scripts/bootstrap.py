"""Runs a docshelf command, after making the environment that it needs. Standard library only.

Usage: bootstrap.py NAME ARGUMENT... where NAME is one of COMMANDS, DEPLOYMENT, DEVELOPMENT or PLAIN, or bench/SCRIPT.
The launchers beside this file find a Python for it.
"""

import os
import sys
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036  a person may start it with any Python
    sys.exit("docshelf needs Python 3.11 or newer; this is Python %d.%d." % sys.version_info[:2])  # noqa: UP031

ROOT = Path(__file__).resolve().parent.parent
# `python -I` leaves every directory of ours out of the search path.
sys.path.insert(0, str(ROOT))

from scripts.environment import Environment, Kind, SetupError  # noqa: E402

COMMANDS = ("local", "query", "reindex", "status", "upload")
DEVELOPMENT = ("bench/cold_start", "chaos", "fuzz", "test")
"""Scripts that need the tools of development besides what docshelf itself needs."""
DEPLOYMENT = ("build_layers", "deploy", "smoke")
"""Scripts that need what builds and deploys an environment."""

PLAIN = ("cost", "evaluate")
"""Scripts that need no more than docshelf itself needs."""


def command_line(python: Path, name: str, arguments: list[str]) -> list[str]:
    """The command that `name` stands for. `-P` keeps files of the current directory from being imported."""
    if name in COMMANDS:
        return [str(python), "-P", "-m", f"docshelf.commands.{name}", *arguments]
    script = "run_tests" if name == "test" else name
    return [str(python), "-P", str(ROOT / "scripts" / f"{script}.py"), *arguments]


def packages_of(name: str) -> Kind:
    """The set of packages that a command needs."""
    if name in DEVELOPMENT:
        return "dev"
    return "deploy" if name in DEPLOYMENT else "runtime"


def main(arguments: list[str]) -> int:
    """Set up what is missing, then become the command; returns only where that fails, with the exit status."""
    if not arguments:
        print("Usage: bootstrap.py NAME ARGUMENT...", file=sys.stderr)
        return 2
    name, *rest = arguments
    environment = Environment(ROOT)
    try:
        environment.make_ready(packages_of(name))
    except SetupError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nInterrupted: the set-up is done anew at the next start.", file=sys.stderr)
        return 130
    kept = {"DOCSHELF_HOME": str(ROOT / ".docshelf")}
    variables = kept | os.environ | {"PYTHONPATH": str(ROOT / "layers"), "ORT_DISABLE_TELEMETRY": "1"}
    return os.execve(environment.python, command_line(environment.python, name, rest), variables)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
