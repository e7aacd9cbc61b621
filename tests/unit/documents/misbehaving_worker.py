"""A parser's process whose parser does what the document's first word says; started by the sandbox's tests."""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from docshelf.documents.archives.members import Member, Members
from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.sandbox.worker import run
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


def _descriptors() -> str:
    found: set[str] = set()
    for one in Path("/proc/self/fd").iterdir():
        try:
            found.add(str(one.readlink()).partition(":")[0])
        except FileNotFoundError:
            continue  # the folder itself, while it was listed
    return " ".join(sorted(found))


ORDERS: dict[str, Callable[[str], object]] = {
    "spin": _spin,
    "sleep": lambda _: time.sleep(600),
    "grow": lambda _: len([bytearray(10_000_000) for _ in range(10_000)]),
    "keep": lambda size: _KEPT.append(bytearray(int(size))),
    "crash": lambda _: signal.raise_signal(signal.SIGSEGV),
    "exit": lambda _: os._exit(7),
    "refuse": _refuse,
    "print": _print,
    "fork": lambda _: _outcome(os.fork),
    "connect": lambda port: _outcome(lambda: socket.create_connection(("127.0.0.1", int(port)))),
    "send": lambda port: _outcome(lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", int(port)))),
    "resolve": lambda name: _outcome(lambda: socket.getaddrinfo(name, 80)),
    "fetch": lambda address: _outcome(lambda: urllib.request.urlopen(address)),
    "run": lambda program: _outcome(lambda: subprocess.run([program], check=False)),
    "shell": lambda command: _outcome(lambda: os.system(command)),
    "become": lambda program: _outcome(lambda: os.execv(program, [program])),
    "spawn": lambda program: _outcome(lambda: os.posix_spawn(program, [program], {})),
    "load": lambda _: _outcome(lambda: ctypes.CDLL(None)),
    "symbol": lambda _: _outcome(lambda: ctypes.pythonapi.socket),
    "signal": lambda _: _outcome(lambda: os.kill(os.getppid(), 0)),
    "read": lambda path: _outcome(lambda: Path(path or f"/proc/{os.getppid()}/environ").read_bytes()),
    "make": lambda path: _outcome(lambda: Path(path).touch()),
    "empty": lambda path: _outcome(lambda: os.truncate(path, 0)),
    "remove": lambda path: _outcome(lambda: Path(path).unlink()),
    "move": lambda path: _outcome(lambda: Path(path).rename(f"{path}.moved")),
    "folder": lambda path: _outcome(lambda: Path(f"{path}.folder").mkdir()),
    "database": lambda path: _outcome(lambda: sqlite3.connect(path)),
    "import": lambda module: _outcome(lambda: importlib.import_module(module)),
    "descriptors": lambda _: _descriptors(),
    "write": lambda path: _outcome(lambda: os.write(os.open(path, os.O_CREAT | os.O_RDWR), b"x")),
    "look": lambda _: " ".join([*sorted(os.environ), f"session={os.getsid(0)} pid={os.getpid()}"]),
}


_KEPT: list[bytearray] = []


def _document(text: str) -> Document:
    return Document("Title", f"{text}\n", (Block(Kind.PARAGRAPH, 0, len(text) + 1),), "plain text")


def unpack(data: bytes, key: str, limits: Limits, start: int) -> Members:
    """Obeys an order too; by itself, one member that tells which was asked for."""
    order, _, argument = data.decode().partition(" ")
    if order in ORDERS:
        ORDERS[order](argument)
    if order == "members":
        name, length = argument.split(" ")
        return Members((Member(name, b"x" * int(length), int(length)),), more=False)
    return Members((Member(f"from {start}", data, len(data)),), more=False)


if __name__ == "__main__":
    run(parse, unpack)
