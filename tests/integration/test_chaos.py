"""The randomized test of ingest and commit; `scripts/chaos` runs more of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FAILED_ONCE = Path(__file__).with_name("chaos_seeds.txt")
SEEDS = 20
OPERATIONS = 40
SECONDS = 1_200
"""No seed may hang; an idle machine with two cores needs a fifth of it."""


def chaos(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `scripts/chaos` without its set-up; its jobs are not measured, since measuring doubles their time."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "chaos.py"), *arguments],
        env={**kept, "PYTHONPATH": str(ROOT / "layers")},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def failed_once() -> list[tuple[str, str]]:
    """Seed and operations of every case that is kept."""
    lines = (line.split() for line in FAILED_ONCE.read_text().splitlines() if line and not line.startswith("#"))
    return [(seed, operations) for seed, operations, *_ in lines]


@pytest.mark.parametrize(("seed", "operations"), failed_once())
def test_a_seed_that_once_failed_passes(seed: str, operations: str) -> None:
    done = chaos("--seed", seed, "--operations", operations)
    assert done.returncode == 0, done.stdout + done.stderr


def test_whatever_happens_the_index_ends_equal_to_the_bucket_and_readers_see_whole_documents() -> None:
    done = chaos("--seeds", str(SEEDS), "--operations", str(OPERATIONS))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    last = re.fullmatch(rf"{SEEDS} seeds, {SEEDS * OPERATIONS} operations, (\d+) faults, 0 differences", lines[-1])
    assert last, done.stdout
    # Otherwise it would show nothing: faults, handlers killed in both functions, and readers at work.
    assert int(last[1]) > 10 * SEEDS
    assert len(lines) == SEEDS + 1
    assert sum(int(found) for found in re.findall(r"(\d+) kills", done.stdout)) > 2 * SEEDS
    assert all(int(found) > 0 for found in re.findall(r"(\d+) reads", done.stdout))


@pytest.mark.parametrize("argument", ["--seeds=0", "--jobs=x", "--operations=-1", "more"])
def test_arguments_that_make_no_sense_are_refused(argument: str) -> None:
    done = chaos(argument)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: scripts/chaos")
