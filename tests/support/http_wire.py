"""HTTP/1.1 messages as bytes: just enough to pass them on unchanged."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urlsplit

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_HEAD_END = b"\r\n\r\n"
MAX_HEAD_BYTES = 1 << 20


@dataclass(frozen=True)
class HttpMessage:
    """A request or an answer: `head` with its blank line, `body` as it was framed (chunks included)."""

    head: bytes
    body: bytes

    @property
    def first_line(self) -> str:
        """The request line or the status line."""
        return self.head.split(b"\r\n", 1)[0].decode("latin-1")

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """Headers by their names in lower case; of several with one name the last."""
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        pairs = (line.partition(":") for line in lines if line)
        return {name.strip().lower(): value.strip() for name, _, value in pairs}


class RequestLine(NamedTuple):
    """The parts of a request line; `path` and `query` are still percent-encoded."""

    method: str
    path: str
    query: str


def request_line(message: HttpMessage) -> RequestLine:
    """What a request asks for."""
    method, target, _ = message.first_line.split(" ", 2)
    parts = urlsplit(target)
    return RequestLine(method, parts.path, parts.query)


async def read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> HttpMessage | None:
    """The next request of a connection, None at its end; a client that waits for a word before the body gets it."""
    head = await _read_head(reader)
    if head is None:
        return None
    if HttpMessage(head, b"").headers.get("expect", "").lower() == "100-continue":
        writer.write(_CONTINUE)
        await writer.drain()
        head = b"\r\n".join(line for line in head.split(b"\r\n") if not line.lower().startswith(b"expect:"))
    return HttpMessage(head, await _read_body(reader, HttpMessage(head, b"").headers, to_the_end=False))


async def read_answer(reader: asyncio.StreamReader, method: str) -> HttpMessage:
    """The answer to a request with `method`.

    Raises:
        ConnectionError: the server closed the connection without one.
    """
    head = await _read_head(reader)
    if head is None:
        raise ConnectionError("the server closed the connection without an answer")
    message = HttpMessage(head, b"")
    status = int(message.first_line.split(" ", 2)[1])
    if method == "HEAD" or status in (204, 304):
        return message
    return HttpMessage(head, await _read_body(reader, message.headers, to_the_end=True))


async def _read_head(reader: asyncio.StreamReader) -> bytes | None:
    try:
        return await reader.readuntil(_HEAD_END)
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str], *, to_the_end: bool) -> bytes:
    if "chunked" in headers.get("transfer-encoding", "").lower():
        return await _read_chunks(reader)
    if "content-length" in headers:
        return await reader.readexactly(int(headers["content-length"]))
    return await reader.read() if to_the_end else b""


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    while True:
        line = await reader.readuntil(b"\r\n")
        size = int(line.split(b";", 1)[0], 16)
        parts.append(line)
        if size == 0:
            break
        parts.append(await reader.readexactly(size + 2))
    while parts[-1] != b"\r\n":
        parts.append(await reader.readuntil(b"\r\n"))
    return b"".join(parts)
