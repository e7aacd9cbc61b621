"""One file read as docshelf reads it, in a fresh process: how it ended, what it took."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from docshelf.documents.model import Document
from docshelf.documents.sandbox.process import ParserProcess
from docshelf.errors import DocumentError
from docshelf.settings import Limits

_EVERY_SECONDS = 0.01
_WARMING = b"x"


@dataclass(frozen=True, slots=True)
class Reading:
    """`state` is that of `docshelf.states`; `peak_mb` is the parser's most memory, in MB of 10^6 bytes."""

    state: str
    reason: str
    document: Document | None
    seconds: float
    peak_mb: float


def read(file: Path, limits: Limits) -> Reading:
    """Parse `file`; the start of the process is not in `seconds`."""
    data = file.read_bytes()
    with ParserProcess(limits) as process:
        process.parse(_WARMING, "warming.txt")
        assert process.pid is not None
        watch = _Watch(process.pid)
        start = time.perf_counter()
        document, state, reason = None, "indexed", ""
        try:
            document = process.parse(data, file.name)
        except DocumentError as error:
            state, reason = str(error.state), error.sentence
        seconds = time.perf_counter() - start
        return Reading(state, reason, document, seconds, watch.stop() / 1e6)


class _Watch:
    """Follows the peak of a process's resident memory, in bytes."""

    def __init__(self, pid: int) -> None:
        self._status = Path(f"/proc/{pid}/status")
        self._ended = threading.Event()
        self._peak = 0
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def stop(self) -> int:
        self._look()
        self._ended.set()
        self._thread.join()
        return self._peak

    def _follow(self) -> None:
        while not self._ended.wait(_EVERY_SECONDS):
            self._look()

    def _look(self) -> None:
        try:
            found = re.search(r"VmHWM:\s*(\d+) kB", self._status.read_text("ascii"))
        except OSError:
            return  # it ended
        if found:
            self._peak = max(self._peak, int(found[1]) * 1024)
