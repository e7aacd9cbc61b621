"""What an instance of the search function costs before its first request: `scripts/bench/start [--model MODEL]`.

Each row is a process of its own. Memory is what the process has (resident), and the most that it had; the files that
it maps count as far as it has looked at them. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUERIES = 200
_AS_IT_COMES = {"DOCSHELF_LANCE_STUB": "0"}


def memory(field: str) -> float:
    """A field of this process's status, in MB."""
    found = re.search(rf"{field}:\s+(\d+)", Path("/proc/self/status").read_text("ascii"))
    assert found is not None
    return int(found[1]) / 1000


def measured(model: str) -> dict[str, list[float]]:
    """CPU milliseconds, MB and most MB of each step, done one after the other in this process."""
    steps: dict[str, list[float]] = {}

    def step(name: str, work: Callable[[], object]) -> object:
        cpu = time.process_time()
        result = work()
        steps[name] = [(time.process_time() - cpu) * 1000, memory("VmRSS"), memory("VmHWM")]
        return result

    def load() -> object:
        from docshelf.embedding.embedder import Embedder
        from docshelf.embedding.model_files import resolve_model

        return Embedder(resolve_model(model), threads=1)

    step("imports", lambda: __import__("docshelf.serving.function"))
    embedder = step("the model", load)
    embed = embedder.embed_query  # type: ignore[attr-defined]
    step(f"{QUERIES} queries embedded", lambda: [embed(f"rotate release token {n}") for n in range(QUERIES)])
    return steps


def child(model: str, variables: dict[str, str]) -> dict[str, list[float]]:
    """`measured` in a process that has just started."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers")])
    command = [sys.executable, "-P", "-m", "scripts.bench.start", "--child", "--model", model]
    environment = {**os.environ, "PYTHONPATH": paths, **variables}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    steps: dict[str, list[float]] = json.loads(done.stdout)
    return steps


def compare(model: str, repeats: int) -> None:
    """Print the table."""
    from docshelf.embedding.model_files import resolve_model
    from docshelf.embedding.preparation import prepare_model

    with tempfile.TemporaryDirectory() as scratch:
        prepared = str(prepare_model(resolve_model(model), Path(scratch) / "prepared").files.model_path.parent)
        ways: list[tuple[str, str, dict[str, str]]] = [
            ("LanceDB as it comes", model, _AS_IT_COMES),
            ("without its client", model, {}),
            ("and the model prepared", prepared, {}),
        ]
        print(f"{'':24} {'after':>24} {'CPU ms':>8} {'MB':>6} {'at most':>8}")
        for name, used, variables in ways:
            runs = [child(used, variables) for _ in range(repeats)]
            for step in runs[0]:
                cpu, now, most = (min(run[step][place] for run in runs) for place in range(3))
                print(f"{name:24} {step:>24} {cpu:>8.0f} {now:>6.0f} {most:>8.0f}", flush=True)


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(prog="scripts/bench/start", description=__doc__)
    parser.add_argument("--model", default="auto", help="auto, a model's name, or a directory")
    parser.add_argument("--repeats", type=int, default=3, help="processes for each way, of which the best counts")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(measured(arguments.model)))
    else:
        compare(arguments.model, arguments.repeats)


if __name__ == "__main__":
    main()
