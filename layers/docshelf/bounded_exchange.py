"""Exchanges over the network that are over at a given moment.

Neither a slow name server nor an answer that trickles in heeds a socket's time-out, so an exchange runs in a thread of
its own, whose connection is ended when the time is over.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from docshelf.background import settle

T = TypeVar("T")


class HeldConnection:
    """The connection of one exchange, for whoever has to end it under the exchange's feet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._abandoned = False

    def hold(self, connected: socket.socket) -> None:
        """Remember the connection that is used from now on.

        Raises:
            ConnectionAbortedError: the time is over already.
        """
        with self._lock:
            if self._abandoned:
                raise ConnectionAbortedError
            self._socket = connected

    def abandon(self) -> None:
        """End the connection, so that the exchange ends too."""
        with self._lock:
            self._abandoned = True
            if self._socket is not None:
                try:
                    # Of the plain socket: that of TLS would forget its state, which the exchange is using.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
                except OSError:
                    return  # it has ended by itself meanwhile


def within(seconds: float, exchange: Callable[[HeldConnection], T], name: str) -> T:
    """What `exchange` returns, which tells its connection; it runs in a thread called `name`.

    Raises:
        TimeoutError: `seconds` went by without a result. And whatever the exchange raises.
    """
    held, outcome = HeldConnection(), Future[T]()
    threading.Thread(target=lambda: settle(outcome, lambda: exchange(held)), name=name, daemon=True).start()
    try:
        return outcome.result(seconds)
    finally:
        if not outcome.done():
            held.abandon()
