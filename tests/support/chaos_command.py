"""`scripts/chaos`: many seeds of the randomized test, a line for each, and one about all of them."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path

from tests.support.chaos_run import Result, SeedRun
from tests.support.chaos_stage import Stage

OPERATIONS = 60
_MOST_SHOWN = 12

_open_stage: Stage | None = None


def main(arguments: Sequence[str]) -> int:
    """Run the seeds that the arguments name; 1 where anything differed."""
    given = _parser().parse_args(arguments)
    seeds = given.seed or range(given.first_seed, given.first_seed + given.seeds)
    logs = Path(tempfile.mkdtemp(prefix="docshelf-chaos-"))
    operations = faults = wrong = 0
    for result in _results(seeds, given.operations, given.jobs, logs):
        _show(result, given.operations, logs)
        operations, faults = operations + result.operations, faults + result.faults
        wrong += len(result.problems)
    if not wrong:
        for left in logs.iterdir():
            left.unlink()
        logs.rmdir()
    print(f"{len(seeds)} seeds, {operations} operations, {faults} faults, {wrong} differences", flush=True)
    return 1 if wrong else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/chaos",
        description="Change a bucket at random while everything that can fail does, and compare the index with it.",
    )
    parser.add_argument("--seeds", type=_count, default=20, help="how many seeds (20)")
    parser.add_argument("--first-seed", type=int, default=0, help="the first of them (0)")
    parser.add_argument("--seed", type=int, action="append", help="this seed, instead of a range; may be repeated")
    parser.add_argument("--operations", type=_count, default=OPERATIONS, help=f"operations a seed ({OPERATIONS})")
    parser.add_argument("--jobs", type=_count, default=os.cpu_count() or 1, help="seeds at once (one a core)")
    return parser


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of at least 1")
    return int(text)


def _results(seeds: Iterable[int], operations: int, jobs: int, logs: Path) -> Iterator[Result]:
    """The result of every seed as soon as it is there; each job is a process with a stage of its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_open) as pool:
        running: set[Future[Result]] = {pool.submit(_run, seed, operations, logs) for seed in seeds}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()


def _open() -> None:
    """Make this process's stage; what it starts ends with the process."""
    global _open_stage  # noqa: PLW0603  an initializer has no other way to hand something on
    _open_stage = Stage()
    _open_stage.__enter__()


def _run(seed: int, operations: int, logs: Path) -> Result:
    assert _open_stage
    return SeedRun(_open_stage, seed, operations, logs / f"seed-{seed}.log").run()


def _show(result: Result, operations: int, logs: Path) -> None:
    print(
        f"seed {result.seed}: {result.operations} operations, {result.faults} faults, {result.kills.total()} kills, "
        f"{result.redelivered} redelivered, {result.polls} reads, {result.seconds:.1f} s ({result.traits})",
        flush=True,
    )
    if not result.problems:
        return
    for problem in result.problems[:_MOST_SHOWN]:
        print(f"  DIFFERENCE {problem}")
    if len(result.problems) > _MOST_SHOWN:
        print(f"  and {len(result.problems) - _MOST_SHOWN} more")
    for error in sorted({error.strip().splitlines()[-1] for error in result.errors}):
        print(f"  handler raised: {error}")
    print(f"  kills: {dict(result.kills)}")
    print(f"  log of the handlers: {logs / f'seed-{result.seed}.log'}")
    print(f"  again: scripts/chaos --seed {result.seed} --operations {operations}", flush=True)
