"""Programs in processes of their own, for what an import costs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import docshelf


def output_of(program: str, **variables: str) -> str:
    """What `program` prints, with docshelf at hand and a bare environment, so that nobody measures along."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(docshelf.__file__).parents[1]), **variables},
    )
    return done.stdout


def loaded_by(program: str, names: Collection[str]) -> set[str]:
    """Those of the modules `names` that are loaded when `program` has run."""
    return set(
        output_of(f"{program}\nimport sys\nprint(*(name for name in {tuple(names)!r} if name in sys.modules))").split()
    )
