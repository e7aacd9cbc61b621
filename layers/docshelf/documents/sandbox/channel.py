"""The parent's ends of the pipes to a child: sending and receiving that never waits beyond a deadline."""

from __future__ import annotations

import os
import selectors
import subprocess
import time

from docshelf.documents.sandbox.frames import ClosedError, body_length, frame, parse_header, prefix_lengths

_AT_ONCE = 1_048_576


class Channel:
    """Pipes to `process`, which was started with both standard streams piped and unbuffered."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin, process.stdout
        self._received = bytearray()
        for stream in (self._input, self._output):
            os.set_blocking(stream.fileno(), False)

    def close(self) -> None:
        """Close both pipes; the child sees the end of its input."""
        self._input.close()
        self._output.close()

    def wait_for(self, expected: bytes, seconds: float) -> bool:
        """Whether the child's next bytes are `expected`.

        Raises:
            TimeoutError: not within `seconds`.
            ClosedError: the child ended.
        """
        deadline = time.monotonic() + seconds
        self._receive(len(expected), deadline, b"")
        found = bytes(self._take(len(expected)))
        return found == expected

    def exchange(
        self, header: dict[str, object], data: bytes, largest_body: int, seconds: float
    ) -> tuple[dict[str, object], bytes]:
        """Send a message and receive the answer.

        Raises:
            TimeoutError: not within `seconds`.
            ClosedError: the child ended.
            ParseFailedError: the answer is too large or not a message.
        """
        deadline = time.monotonic() + seconds
        self._receive(prefix_lengths.size, deadline, frame(header, data), data)
        lengths = prefix_lengths.unpack(self._take(prefix_lengths.size))
        header_length, length = body_length(lengths, largest_body)
        self._receive(header_length + length, deadline, b"")
        return parse_header(bytes(self._take(header_length))), bytes(self._take(length))

    def _take(self, length: int) -> bytearray:
        taken = self._received[:length]
        del self._received[:length]
        return taken

    def _receive(self, length: int, deadline: float, *to_send: bytes) -> None:
        """Receive until `length` bytes are there, sending `to_send` meanwhile as the child takes it."""
        pending = [memoryview(part) for part in to_send if part]
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            if pending:
                selector.register(self._input, selectors.EVENT_WRITE)
            while len(self._received) < length:
                ready = selector.select(max(0.0, deadline - time.monotonic()))
                if not ready:
                    raise TimeoutError
                for key, _ in ready:
                    if key.fileobj is self._output:
                        self._read()
                    elif not _write(key.fd, pending):
                        selector.unregister(self._input)

    def _read(self) -> None:
        data = os.read(self._output.fileno(), _AT_ONCE)
        if not data:
            raise ClosedError
        self._received += data


def _write(descriptor: int, pending: list[memoryview]) -> bool:
    """Write as much as the pipe takes; whether something is left."""
    try:
        written = os.write(descriptor, pending[0][:_AT_ONCE])
    except BrokenPipeError as error:
        raise ClosedError from error
    pending[0] = pending[0][written:]
    if not pending[0]:
        del pending[0]
    return bool(pending)
