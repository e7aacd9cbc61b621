"""What a start of each function costs as it is deployed: `scripts/bench/cold_start [--repeats N]`.

The layers are built for this machine's processor, unpacked, and run as `tests/support/layered_function.py` says, over a
local S3, SQS and Secrets Manager. A start is measured from the new process to its first answer, its child processes
included; a second table, of other starts, says where the CPU time goes. The files are in the system's cache, as they
would not be at the first start of all. Linux only.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.bench import cold_start_steps as steps
from scripts.bench.cold_start_cases import Case, cases
from tests.support.lambda_runtime import LambdaRuntime
from tests.support.layered_function import Deployed, deployed
from tests.support.process_family import cpu_seconds, proportional_bytes, resident_bytes

_MB = 1_000_000
WITH_SNAPSHOTS = ("search", "signin")
STEPS = (
    steps.START,
    steps.CLIENT,
    steps.UNPACKING,
    steps.IMPORTS,
    steps.MODEL,
    steps.INDEX,
    steps.REST,
    steps.ANSWER,
)


@dataclass(frozen=True, slots=True)
class Start:
    """Of one start: seconds of CPU and by the clock, MB of memory and of the temporary directory."""

    cpu: float
    clock: float
    resident: float
    proportional: float
    temporary: float


def emptied(directory: Path) -> Path:
    """The temporary directory as a new instance finds it."""
    shutil.rmtree(directory)
    directory.mkdir()
    return directory


def start(case: Case, place: Deployed, log: Path, *, restored: bool = False) -> Start:
    """Start the function under AWS's runtime client and have it answer.

    With `restored` it is measured from the end of a snapshot, which is none here: the same process goes on.
    """
    temporary = emptied(place.temporary(case.function))
    begun, before, home = time.monotonic(), 0.0, place.home(case.function)
    with LambdaRuntime(case.function, case.variables, log, home=home, snap_start=restored) as runtime:
        if restored:
            runtime.wait_for_snapshot()
            begun, before = time.monotonic(), cpu_seconds(runtime.pid)
            runtime.restore()
        answer = cast("dict[str, Any]", runtime(case.event))
        clock = time.monotonic() - begun
        if answer.get("statusCode", 200) != 200 or answer.get("batchItemFailures"):
            raise SystemExit(f"{case.label} does not work; its log is\n{log.read_text('utf-8')}")
        used = sum(file.stat().st_size for file in temporary.rglob("*") if file.is_file())
        pid = runtime.pid
        return Start(
            cpu_seconds(pid) - before, clock, resident_bytes(pid) / _MB, proportional_bytes(pid) / _MB, used / _MB
        )


def by_step(case: Case, place: Deployed, directory: Path) -> dict[str, float]:
    """CPU seconds of each step of another start."""
    emptied(place.temporary(case.function))
    event = directory / "event.json"
    event.write_text(json.dumps(case.event), "utf-8")
    home = place.home(case.function)
    bootstrap = str(place.root / "var/runtime/bootstrap.py")
    command = place.confined(
        *(str(place.python), "-I", "-S", steps.__file__, bootstrap),
        *(str(place.opt(case.function)), case.module, str(event)),
    )
    environment = {**home.variables, **case.variables, "LAMBDA_TASK_ROOT": str(home.task_root)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def least(starts: list[Start]) -> Start:
    """The best of each number."""
    return Start(*(min(getattr(each, field.name) for each in starts) for field in fields(Start)))


def print_start(label: str, starts: list[Start]) -> None:
    """A row of the first table."""
    best = least(starts)
    memory = (best.resident, best.proportional, best.temporary)
    print(f"| {label} | {best.cpu:.2f} | {best.clock:.2f} |", *(f"{size:.0f} |" for size in memory), flush=True)


def main() -> None:
    """Read the arguments, measure, and print both tables."""
    parser = argparse.ArgumentParser(prog="scripts/bench/cold_start", description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="starts of each function, of which the best counts")
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory(prefix="docshelf-cold-start-") as scratch:
        directory = Path(scratch)
        with deployed(directory / "root") as place, cases(place) as wanted:
            print(f"| first answer | CPU s | by the clock s | resident MB | PSS MB | /tmp MB |\n|---|{'---:|' * 5}")
            for case in wanted:
                print_start(case.label, [start(case, place, directory / "log") for _ in range(repeats)])
            for case in (case for case in wanted if case.function in WITH_SNAPSHOTS):
                starts = [start(case, place, directory / "log", restored=True) for _ in range(repeats)]
                print_start(f"{case.label}, after a snapshot", starts)
            print(f"\n| CPU seconds | {' | '.join(STEPS)} |\n|---|{'---:|' * len(STEPS)}")
            for case in wanted:
                runs = [by_step(case, place, directory) for _ in range(repeats)]
                found = [min(run.get(step, 0.0) for run in runs) for step in STEPS]
                print(f"| {case.label} |", *(f"{seconds:.2f} |" for seconds in found), flush=True)


if __name__ == "__main__":
    main()
