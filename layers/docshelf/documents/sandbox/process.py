"""Parse documents in a process of their own, which can be ended at any moment without harm."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import docshelf
from docshelf.documents.archives.members import SLICE_BYTES, Members
from docshelf.documents.archives.members_wire import decode_members
from docshelf.documents.model import Document
from docshelf.documents.sandbox.channel import Channel
from docshelf.documents.sandbox.frames import READY, ClosedError
from docshelf.documents.sandbox.wire import decode_document, decode_error, encode_request
from docshelf.errors import (
    DocshelfError,
    DocumentError,
    ParseFailedError,
    ParserEndedError,
    ParserSlowError,
    ParseTimeoutError,
)
from docshelf.settings import Limits

_WORKER = "docshelf.documents.sandbox.worker"
_START_SECONDS = 60.0
_CLOSE_SECONDS = 2.0
_WALL_CLOCK_FACTOR = 2  # cores may be busy: the clock on the wall is allowed this much more than the CPU's
_BYTES_PER_CHARACTER = 4
_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR", "TZ")

_Child = tuple[subprocess.Popen[bytes], Channel]


class ParserProcess:
    """A child process that parses one document after another; use each instance from one thread at a time.

    It starts with the first document and again after it was ended. As a context manager it ends with the block.
    """

    def __init__(self, limits: Limits, worker: Sequence[str] = ("-m", _WORKER)) -> None:
        """`worker` is what the Python interpreter is started with."""
        self._limits = limits
        self._worker = tuple(worker)
        self._child: _Child | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The child's process id; None while there is no child."""
        return self._child[0].pid if self._child else None

    def parse(self, data: bytes, key: str) -> Document:
        """Parse `data`, the content of the file `key`, within the limits.

        Raises:
            ParseTimeoutError: the parser needed more time or memory than allowed, and was ended.
            ParseFailedError: the parser ended without an answer.
            DocumentError: what the parser itself found.
            DocshelfError: the child cannot be started; no document can be parsed.
        """
        largest = self._limits.max_characters * _BYTES_PER_CHARACTER
        header, body = self._exchanged(encode_request(key, self._limits), data, largest)
        try:
            return decode_document(header, body, self._limits)
        except ParseFailedError:
            self._kill()  # who gives such an answer is not to be asked again
            raise

    def unpack(self, data: bytes, key: str, start: int) -> Members:
        """Members of the archive or mail `data` from the one of number `start` on, as many as one slice takes.

        Raises:
            DocumentError: as `parse`, where it cannot be taken apart.
            DocshelfError: the child cannot be started.
        """
        largest = max(SLICE_BYTES, self._limits.max_bytes)
        header, body = self._exchanged(encode_request(key, self._limits, start), data, largest)
        try:
            return decode_members(header, body, self._limits)
        except ParseFailedError:
            self._kill()
            raise

    def _exchanged(self, request: dict[str, object], data: bytes, largest: int) -> tuple[dict[str, object], bytes]:
        """The child's answer of at most `largest` bytes; raises the error that it tells of."""
        process, channel = self._started()
        try:
            header, body = channel.exchange(request, data, largest, self._wall_clock)
        except TimeoutError as error:
            self._kill()
            raise self._too_late() from error
        except ClosedError as error:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_CLOSE_SECONDS)  # its own end says more than ours
            self._kill()
            raise self._reason(process.returncode) from error
        except ParseFailedError:
            self._kill()
            raise
        if header.get("retire") is True:
            self.close()
        failed = decode_error(header)
        if failed is not None:
            try:
                raise failed
            finally:
                del failed  # an error that its own frame holds keeps the bytes of the file until garbage is collected
        return header, body

    def close(self) -> None:
        """End the child; the next `parse` starts another."""
        if self._child is None:
            return
        process, channel = self._child
        channel.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_CLOSE_SECONDS)
        self._kill()

    @property
    def _wall_clock(self) -> int:
        return self._limits.parse_seconds * _WALL_CLOCK_FACTOR

    def _started(self) -> _Child:
        if self._child is not None and self._child[0].poll() is not None:
            self._kill()
        if self._child is None:
            self._child = self._start()
        return self._child

    def _start(self) -> _Child:
        process = subprocess.Popen(
            [sys.executable, "-P", "-B", *self._worker],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            cwd=Path(sys.executable).anchor,
            start_new_session=True,
        )
        channel = Channel(process)
        self._child = process, channel
        try:
            ready = channel.wait_for(READY, _START_SECONDS)
        except (ClosedError, TimeoutError):
            ready = False
        if not ready:
            self._kill()
            raise DocshelfError(f"The parser's process does not start with {sys.executable}; install docshelf again.")
        return self._child

    def _too_late(self) -> DocumentError:
        return ParserSlowError(
            f"The parser needed more than {self._wall_clock} s, "
            "which is twice what DOCSHELF_PARSE_SECONDS allows, and was ended."
        )

    def _reason(self, status: int) -> DocumentError:
        """Say why the child ended by itself with `status`."""
        if status == -signal.SIGXCPU:
            return ParseTimeoutError(
                f"The parser needed more than the {self._limits.parse_seconds} s of CPU "
                "that DOCSHELF_PARSE_SECONDS allows, and was ended."
            )
        if status >= 0:
            return ParseFailedError(f"The parser ended unexpectedly (exit code {status}); the file may be damaged.")
        return ParserEndedError(
            f"The parser ended unexpectedly (signal {-status}); the file may be damaged, "
            "or need more memory than DOCSHELF_PARSE_MEMORY_MB allows."
        )

    def _kill(self) -> None:
        """End the child at once with whatever it started; it leads a process group of its own."""
        if self._child is None:
            return
        process, channel = self._child
        self._child = None
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        channel.close()


def _environment() -> dict[str, str]:
    """As little as the interpreter needs to import what this one can; no secrets of the parent."""
    root = str(Path(docshelf.__file__).resolve().parents[1])
    paths = [root, *(str(Path(path).absolute()) for path in sys.path if path)]
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)), "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"}
