"""The CDK app run as its users run it: by the command line of the CDK, offline, without an account."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from infra.deployment.cdk import APP, Cdk, installed_cdk
from tests.support.commands import ROOT

Done = subprocess.CompletedProcess[str]

_PROGRAM = ("-m", "infra.app")
_REGION = "us-east-1"
_SECONDS = 300


def synthesize(output: Path, context: Mapping[str, str | Path]) -> Done:
    """`cdk synth` into `output`, whatever its exit status is."""
    cdk = installed_cdk()
    arguments = [f"--context={name}={value}" for name, value in context.items()]
    synth = ["synth", "--quiet", "--no-notices", "--app", shlex.join(_python(_PROGRAM)), "--output", str(output)]
    return _run(cdk, [str(cdk.node), str(cdk.program), *synth, *arguments])


def run_app(
    output: Path, context: Mapping[str, str | Path], program: Sequence[str] = _PROGRAM, **variables: str
) -> Done:
    """The app by itself, without the command line of the CDK around it; `program` is what Python runs in its place."""
    flags = json.loads((APP / "cdk.json").read_bytes())["context"]
    told = json.dumps({**flags, **{name: str(value) for name, value in context.items()}})
    return _run(Cdk(), _python(program), CDK_OUTDIR=str(output), CDK_CONTEXT_JSON=told, **variables)


def _run(cdk: Cdk, command: list[str], **more: str) -> Done:
    path = os.pathsep.join([str(ROOT), str(ROOT / "layers")])
    return subprocess.run(
        command,
        cwd=APP,
        env=cdk.variables(os.environ, _REGION) | {"PYTHONPATH": path, "NO_COLOR": "1"} | more,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )


def _python(program: Sequence[str]) -> list[str]:
    return [sys.executable, "-P", *program]
