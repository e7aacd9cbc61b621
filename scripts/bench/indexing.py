"""Index a folder into a temporary index and tell where the CPU time went: embedding against everything else.

Usage: scripts/bench/indexing FOLDER

The ratio is what docshelf adds to embedding alone. It is one run on one machine; compare ratios, not seconds.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console

from docshelf.embedding.onnx_model import OnnxModel
from docshelf.local.runner import LocalOptions, LocalRun


class Meter:
    """CPU seconds that threads spend in the model; each inference runs in the thread that asks for it."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.texts = 0
        self._lock = threading.Lock()
        self._embed = OnnxModel.embed

    def embed(self, model: OnnxModel, ids: list[int]) -> npt.NDArray[np.float32]:
        """As `OnnxModel.embed`, counted."""
        start = time.thread_time()
        vector = self._embed(model, ids)
        spent = time.thread_time() - start
        with self._lock:
            self.seconds += spent
            self.texts += 1
        return vector


def main(arguments: list[str]) -> int:
    """Run the measurement and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args(arguments)
    meter = Meter()

    def embed(model: OnnxModel, ids: list[int]) -> npt.NDArray[np.float32]:
        return meter.embed(model, ids)

    setattr(OnnxModel, "embed", embed)  # noqa: B010  the meter stands in for the method in this process only
    with tempfile.TemporaryDirectory() as place:
        began = time.monotonic()
        options = LocalOptions(given.folder, index=Path(place) / "index", once=True)
        status = LocalRun(options, Console(stderr=True), Console(stderr=True)).once()
        wall = time.monotonic() - began
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    total = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
    print(f"embedding        {meter.seconds:8.1f} CPU s for {meter.texts:,} texts")
    print(f"parser processes {children.ru_utime + children.ru_stime:8.1f} CPU s")
    print(f"all              {total:8.1f} CPU s, {wall:.1f} s by the clock, peak {own.ru_maxrss / 1024:.0f} MiB")
    print(f"ratio            {total / meter.seconds:8.3f} (everything against embedding alone)")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
