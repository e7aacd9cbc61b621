"""A proxy in front of an HTTP server that lets requests fail in the ways a network and a service can."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Coroutine
from enum import StrEnum
from types import TracebackType
from typing import Protocol, Self, TypeVar
from urllib.parse import urlsplit

from tests.support.http_wire import MAX_HEAD_BYTES, HttpMessage, read_answer, read_request, request_line

T = TypeVar("T")

STALL_SECONDS = 30.0
"""How long a stalled request is held where the client does not give up before."""

_SLOW_DOWN = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
_INTERNAL = b"<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>"
_LONGEST_WAIT = 60.0
_CLOSE = re.compile(rb"(?i)(?<=\r\n)connection: close\r\n")


class Fault(StrEnum):
    """What happens to one request. Of those that take effect at the server the client never learns it."""

    NONE = "none"
    SLOW_DOWN = "503 before"
    ERROR = "500 before"
    STALL = "stalled"
    LOST_ANSWER = "answer lost"
    ERROR_AFTER = "500 after"
    KILL_BEFORE = "killed before"
    KILL_AFTER = "killed after"


class FaultPlan(Protocol):
    """Decides about the requests that come in at one port; called in the proxy's thread."""

    def decide(self, request: HttpMessage) -> Fault:
        """What shall happen to `request`."""

    def kill(self) -> None:
        """End the client, at once."""


class FaultProxy:
    """Serves any number of ports, each with a plan of its own, in one thread; as a context manager it ends with it."""

    def __init__(self, upstream: str, *, keep_alive: bool = False) -> None:
        """`upstream` is the server's address, as in `http://127.0.0.1:5000`.

        With `keep_alive` the connections of clients stay open, as those to S3 do, even where the server ends its own.
        """
        address = urlsplit(upstream)
        self._host, self._port = address.hostname or "127.0.0.1", address.port or 80
        self._keep_alive = keep_alive
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fault-proxy", daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()
        self._servers: dict[str, asyncio.Server] = {}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wait_for(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def listen(self, plan: FaultPlan) -> str:
        """Open a port whose requests follow `plan`; gives its address."""
        return self._wait_for(self._listen(plan))

    def close(self, address: str) -> None:
        """Close a port; connections that are open end with their clients."""
        self._loop.call_soon_threadsafe(self._servers.pop(address).close)

    def _wait_for(self, work: Coroutine[None, None, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_LONGEST_WAIT)

    async def _listen(self, plan: FaultPlan) -> str:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task
            self._tasks.add(task)
            try:
                await self._serve(plan, reader, writer)
            except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass  # the client has gone, or the proxy ends
            finally:
                self._tasks.discard(task)
                writer.transport.abort()

        server = await asyncio.start_server(accept, "127.0.0.1", 0, limit=MAX_HEAD_BYTES)
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._servers[address] = server
        return address

    async def _close(self) -> None:
        for server in self._servers.values():
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, plan: FaultPlan, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream = _Upstream(self._host, self._port)
        try:
            while (request := await read_request(reader, writer)) is not None:
                answer = await _carry_out(request, plan, upstream)
                if answer is None:
                    return
                head = _CLOSE.sub(b"", answer.head) if self._keep_alive else answer.head
                writer.write(head + answer.body)
                await writer.drain()
        finally:
            upstream.close()


class _Upstream:
    """The connection to the server that belongs to one connection of a client."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def forward(self, request: HttpMessage) -> HttpMessage:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port, limit=MAX_HEAD_BYTES)
        reader, writer = self._streams
        writer.write(request.head + request.body)
        await writer.drain()
        answer = await read_answer(reader, request_line(request).method)
        if answer.headers.get("connection", "").lower() == "close":
            self.close()
        return answer

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None


async def _carry_out(request: HttpMessage, plan: FaultPlan, upstream: _Upstream) -> HttpMessage | None:
    """The answer that the client gets; None where the connection breaks instead."""
    fault = plan.decide(request)
    if fault is Fault.SLOW_DOWN:
        return _failure("503 Slow Down", _SLOW_DOWN, request)
    if fault is Fault.ERROR:
        return _failure("500 Internal Server Error", _INTERNAL, request)
    if fault is Fault.STALL:
        await asyncio.sleep(STALL_SECONDS)
        return None
    if fault is Fault.KILL_BEFORE:
        plan.kill()
        return None
    answer = await upstream.forward(request)
    if fault is Fault.KILL_AFTER:
        plan.kill()
        return None
    if fault is Fault.LOST_ANSWER:
        return None
    return _failure("500 Internal Server Error", _INTERNAL, request) if fault is Fault.ERROR_AFTER else answer


def _failure(status: str, body: bytes, request: HttpMessage) -> HttpMessage:
    if request_line(request).method == "HEAD":
        body = b""
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nContent-Length: {len(body)}\r\n\r\n"
    return HttpMessage(head.encode(), body)
