"""Messages between parent and child: a JSON object and raw bytes after their lengths; nothing that runs code."""

from __future__ import annotations

import json
import struct
from typing import BinaryIO

from docshelf.errors import ParseFailedError

READY = b"+"
prefix_lengths = struct.Struct(">QQ")
_LARGEST_HEADER = 256_000_000


class ClosedError(Exception):
    """The other side ended before its message did."""


def frame(header: dict[str, object], body: bytes) -> bytes:
    """What goes before `body`: the lengths of both parts, and the header as JSON."""
    encoded = json.dumps(header, separators=(",", ":")).encode()
    return prefix_lengths.pack(len(encoded), len(body)) + encoded


def body_length(lengths: tuple[int, ...], largest_body: int) -> tuple[int, int]:
    """Check the lengths of header and body that a child announces.

    Raises:
        ParseFailedError: one is too large.
    """
    header, body = lengths
    if header > _LARGEST_HEADER or body > largest_body:
        raise unusable()
    return header, body


def parse_header(encoded: bytes) -> dict[str, object]:
    """The JSON object in `encoded`.

    Raises:
        ParseFailedError: it is not one.
    """
    try:
        header = json.loads(encoded)
    except (ValueError, RecursionError) as error:
        raise unusable() from error
    if not isinstance(header, dict):
        raise unusable()
    return header


def write_message(stream: BinaryIO, header: dict[str, object], body: bytes = b"") -> None:
    """Send a JSON object and raw bytes."""
    stream.write(frame(header, body))
    stream.write(body)
    stream.flush()


def read_message(stream: BinaryIO) -> tuple[dict[str, object], bytes]:
    """Receive, from a side that is trusted, what `write_message` sent.

    Raises:
        ClosedError: the stream ended.
    """
    header, body = prefix_lengths.unpack(_exactly(stream, prefix_lengths.size))
    return parse_header(_exactly(stream, header)), _exactly(stream, body)


def _exactly(stream: BinaryIO, length: int) -> bytes:
    data = stream.read(length)
    if len(data) != length:
        raise ClosedError
    return data


def unusable() -> ParseFailedError:
    """The error for an answer that is not what a sound child sends."""
    return ParseFailedError("The parser gave an answer that cannot be used.")
