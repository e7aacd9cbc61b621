"""Runs lint, format check, types and every test; with arguments, only pytest with those arguments.

`--clients` alone runs everything, and besides the coding clients, which are large.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CHECKS = {
    "lint": ["ruff", "check"],
    "format": ["ruff", "format", "--check"],
    "types": ["mypy"],
    # Two at a time, each file by one process: the tests wait for servers and processes more than they compute. In the
    # order of tests/conftest.py: files of few tests, which otherwise come last, are the longest.
    "tests": ["pytest", "--cov", "--cov-branch", "--numprocesses=2", "--dist=loadfile", "--no-loadscope-reorder"],
}
CLIENTS = ["--clients"]


def run(tool: list[str]) -> int:
    """Run a tool of this environment in the repository and return its exit status."""
    return subprocess.run([sys.executable, "-m", *tool], cwd=ROOT, check=False).returncode


def main(arguments: list[str]) -> int:
    """Run every check even where an early one fails; 0 only if all of them pass."""
    if arguments not in ([], CLIENTS):
        return run(["pytest", *arguments])
    failed = []
    for name, tool in (CHECKS | {"tests": [*CHECKS["tests"], *arguments]}).items():
        print(f"== {name}: {' '.join(tool)}", flush=True)
        if run(tool) != 0:
            failed.append(name)
    print(f"== failed: {', '.join(failed)}" if failed else "== all checks passed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
