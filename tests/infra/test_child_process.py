"""Ended by a signal, a command of the infrastructure ends what it has started, and says so by its exit status."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from infra.command_line import INTERRUPTED, TERMINATED

ROOT = Path(__file__).resolve().parents[2]
CHILD = """
import signal, sys
def end(number, frame):
    print("child ended by", signal.Signals(number).name, flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
signal.signal(signal.SIGINT, end)
print("child runs", flush=True)
signal.pause()
"""
COMMAND = f"""
import os, sys
from infra.child_process import run_child
from infra.command_line import run
sys.exit(run(lambda: run_child([sys.executable, "-c", {CHILD!r}], variables=os.environ)))
"""


@pytest.mark.parametrize(
    ("sent", "to_group", "status"), [("SIGTERM", False, TERMINATED), ("SIGINT", True, INTERRUPTED)]
)
def test_a_signal_ends_the_child_too(sent: str, status: int, *, to_group: bool) -> None:
    started = [sys.executable, "-c", COMMAND]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "layers"), str(ROOT)])}
    with subprocess.Popen(
        started, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "child runs\n"
        # Ctrl-C goes to everything in the terminal's foreground, a signal of `kill` to one process.
        (signal_group if to_group else signal_one)(process, signal.Signals[sent])
        assert process.stdout.read() == f"child ended by {sent}\n"
    assert process.returncode == status


def signal_one(process: subprocess.Popen[str], number: signal.Signals) -> None:
    process.send_signal(number)


def signal_group(process: subprocess.Popen[str], number: signal.Signals) -> None:
    os.killpg(process.pid, number)
