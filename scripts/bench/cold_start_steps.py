"""Where the time of a start goes: runs in a function's place of `tests/support/layered_function.py`, by `cold_start`.

`python -I -S cold_start_steps.py BOOTSTRAP OPT MODULE EVENT` begins as Lambda's bootstrap does, answers the event in
the file EVENT, and prints the CPU seconds of each step as JSON in its last line. A step within another counts for
itself alone.
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

START, CLIENT, IMPORTS, UNPACKING = "interpreter", "runtime client", "imports", "unpacking"
MODEL, INDEX, REST, ANSWER = "model", "index", "rest", "first answer"
_LEFT_MS = 300_000


class Steps:
    """CPU seconds of this process by step, those of all threads included."""

    def __init__(self) -> None:
        self.seconds = {START: time.process_time()}
        self._open: list[str] = []
        self._since = time.process_time()

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Count what the block takes for `name`, and not for the step around it."""
        self._count()
        self._open.append(name)
        try:
            yield
        finally:
            self._count()
            self._open.pop()

    def within(self, owner: object, method: str, name: str) -> None:
        """Count every call of a method of `owner` for `name`."""
        original: Callable[..., Any] = getattr(owner, method)

        @functools.wraps(original)
        def counted(*given: Any, **named: Any) -> Any:
            with self.step(name):
                return original(*given, **named)

        setattr(owner, method, counted)

    def _count(self) -> None:
        now = time.process_time()
        if self._open:
            self.seconds[self._open[-1]] = self.seconds.get(self._open[-1], 0.0) + now - self._since
        self._since = now


class Context:
    """Of an invocation with time enough."""

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds."""
        return _LEFT_MS


def main(bootstrap: str, opt: str, module: str, event: str) -> None:
    """Go through the steps."""
    steps = Steps()
    sys.path.append(str(Path(bootstrap).parent))
    with steps.step(CLIENT):
        importlib.import_module(Path(bootstrap).stem).use_places(opt)
        importlib.import_module("awslambdaric.bootstrap")
        importlib.import_module("awslambdaric.lambda_runtime_client")
    with steps.step(IMPORTS):
        importlib.import_module("docshelf")
        unpacked = importlib.import_module("docshelf.packed_libraries_directory").UnpackedLibraries
        steps.within(unpacked, "provide", UNPACKING)
        importlib.import_module(module)
    for name, owner, method, step in (
        ("docshelf.embedding.embedder", "Embedder", "__init__", MODEL),
        ("docshelf.serving.index_in_use", "IndexInUse", "open_ahead", INDEX),
    ):
        if name in sys.modules:
            steps.within(getattr(sys.modules[name], owner), method, step)
    with steps.step(REST):
        handler = importlib.import_module("handler").handler
    with steps.step(ANSWER):
        handler(json.loads(Path(event).read_text("utf-8")), Context())
    print(json.dumps(steps.seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
