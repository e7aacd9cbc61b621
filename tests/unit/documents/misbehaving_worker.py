"""A parser's process whose parser does what the document's first word says; started by the sandbox's tests."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable

from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.sandbox_worker import run
from docshelf.errors import EncryptedDocumentError
from docshelf.settings import Limits


def parse(data: bytes, key: str, limits: Limits) -> Document:
    """Obey `data`; answer with the key and the size where the first word is no order."""
    order, _, rest = data.decode().partition(" ")
    if order == "recurse":
        return parse(data, key, limits)
    if order == "lie":
        return Document("t", "text\n", (Block(Kind.PARAGRAPH, 0, 99),), "plain text")
    outcome = ORDERS[order](rest) if order in ORDERS else None
    return _document(f"{key} {len(data)}" if outcome is None else str(outcome))


def _spin(_: str) -> None:
    while True:
        pass


def _refuse(_: str) -> None:
    raise EncryptedDocumentError("A password is needed; take it off.")


def _print(_: str) -> None:
    sys.stdout.write("noise\n")
    os.write(1, b"noise\n")


def _outcome(action: Callable[[], object]) -> str:
    try:
        action()
    except OSError as error:
        return type(error).__name__
    return "allowed"


ORDERS: dict[str, Callable[[str], object]] = {
    "spin": _spin,
    "sleep": lambda _: time.sleep(600),
    "grow": lambda _: len([bytearray(10_000_000) for _ in range(10_000)]),
    "keep": lambda size: _KEPT.append(bytearray(int(size))),
    "crash": lambda _: os.kill(os.getpid(), signal.SIGSEGV),
    "exit": lambda _: os._exit(7),
    "refuse": _refuse,
    "print": _print,
    "fork": lambda _: _outcome(os.fork),
    "write": lambda path: _outcome(lambda: os.write(os.open(path, os.O_CREAT | os.O_RDWR), b"x")),
    "look": lambda _: " ".join([*sorted(os.environ), f"session={os.getsid(0)} pid={os.getpid()}"]),
}


_KEPT: list[bytearray] = []


def _document(text: str) -> Document:
    return Document("Title", f"{text}\n", (Block(Kind.PARAGRAPH, 0, len(text) + 1),), "plain text")


if __name__ == "__main__":
    run(parse)
