"""Writing the bytecode: the functions' file system is read-only, and compiling at each start takes seconds."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from infra.layers.errors import LayerError
from infra.layers.interpreters import Interpreter

_PLACE = "/opt"
"""Where Lambda unpacks layers: the paths in tracebacks begin with it."""


def compile_tree(tree: Path, interpreter: Interpreter) -> None:
    """Write the bytecode of every module below `tree/python`.

    It is not checked against the source when it is read, whose time is not kept by what unpacks a layer. The same
    sources give the same bytes wherever `tree` is.

    Raises:
        LayerError: a module cannot be compiled.
    """
    # One process and one seed: else the order of what is in a set, and what is shared within a file, would vary.
    done = subprocess.run(
        [
            str(interpreter.path),
            *("-s", "-S", "-P", "-m", "compileall", "-q", "-f", "--invalidation-mode", "unchecked-hash"),
            *("-s", str(tree), "-p", _PLACE, str(tree / "python")),
        ],
        env={"PYTHONHASHSEED": "0", "PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise LayerError(
            f"Python {interpreter.release} cannot compile a module of the layer: {' '.join(lines[:3])[:500]}"
        )
