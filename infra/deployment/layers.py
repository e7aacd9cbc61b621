"""Building the layers that an environment needs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from infra.child_process import run_child
from infra.errors import InfrastructureError
from infra.settings import Environment

_ROOT = Path(__file__).resolve().parents[2]
_PROGRAM = _ROOT / "scripts" / "build_layers.py"


class BuildError(InfrastructureError):
    """The layers could not be built; what was wrong stands above."""


def build_layers(environment: Environment, model_dir: Path | None = None, program: Path = _PROGRAM) -> None:
    """Run `scripts/build_layers` for the environment; it builds only what has changed, and says what it does.

    Raises:
        BuildError: it ended with an error.
    """
    command = [sys.executable, "-P", str(program), "--arch", environment.architecture, "--model", environment.model]
    if model_dir is not None:
        command += ["--model-dir", str(model_dir)]
    variables = os.environ | {"PYTHONPATH": str(_ROOT / "layers")}
    if run_child(command, variables=variables) != 0:
        raise BuildError("The layers could not be built, for the reason above: nothing was deployed.")
