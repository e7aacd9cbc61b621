"""The parser's process: reads documents from its standard input, answers on its standard output, ends at its end."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import BinaryIO

from docshelf.documents.archives.members import Members
from docshelf.documents.archives.members_wire import encode_members
from docshelf.documents.model import Document
from docshelf.documents.sandbox.frames import READY, ClosedError, read_message, write_message
from docshelf.documents.sandbox.guard import refuse_contact
from docshelf.documents.sandbox.limits import fix_limits, limit_job, mapped_bytes, should_retire, used_seconds
from docshelf.documents.sandbox.wire import decode_request, encode_document, encode_error
from docshelf.errors import DocumentError, ParseFailedError, ParseTimeoutError
from docshelf.settings import Limits

Parse = Callable[[bytes, str, Limits], Document]
Unpack = Callable[[bytes, str, Limits, int], Members]


def run(parse: Parse, unpack: Unpack) -> None:
    """Serve the parent with `parse` and `unpack` until it closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then closes the pipe
    source, sink = _private_streams()
    fix_limits()
    refuse_contact()
    mapped_at_start = mapped_bytes()
    sink.write(READY)
    sink.flush()
    serve(source, sink, (parse, unpack), mapped_at_start, apply_limits=True)


def serve(
    source: BinaryIO,
    sink: BinaryIO,
    work: tuple[Parse, Unpack],
    mapped_at_start: int | None,
    *,
    apply_limits: bool,
) -> None:
    """Answer each request on `source` with one message on `sink`."""
    used_at_start = used_seconds()
    while True:
        try:
            header, data = read_message(source)
        except ClosedError:
            return
        key, limits, start = decode_request(header)
        if apply_limits:
            limit_job(limits, mapped_at_start)
        answer, body = _answer(work, data, key, limits, start)
        del data
        used = used_seconds() - used_at_start
        answer["retire"] = answer.get("retire") is True or should_retire(limits, mapped_at_start, used)
        write_message(sink, answer, body)
        del body


def _answer(
    work: tuple[Parse, Unpack], data: bytes, key: str, limits: Limits, start: int | None
) -> tuple[dict[str, object], bytes]:
    parse, unpack = work
    try:
        return (
            encode_document(parse(data, key, limits))
            if start is None
            else encode_members(unpack(data, key, limits, start))
        )
    except DocumentError as error:
        return encode_error(error), b""
    except MemoryError:
        sentence = (
            f"The parser needed more than the {limits.parse_memory_mb:,} MiB of memory "
            "that DOCSHELF_PARSE_MEMORY_MB allows."
        )
        return {**encode_error(ParseTimeoutError(sentence)), "retire": True}, b""
    except RecursionError:
        return encode_error(ParseFailedError("The document nests its parts too deeply to be read.")), b""


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for messages alone; whatever a library prints goes nowhere."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return source, sink


if __name__ == "__main__":
    from docshelf.documents import load_parsers, parse
    from docshelf.documents.archives.unpacking import unpack

    load_parsers()  # before any limit holds
    run(parse, unpack)
