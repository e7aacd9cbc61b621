"""The local server: the application on a loopback port, until Ctrl-C."""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from docshelf.errors import InvalidArgumentError, SettingsError
from docshelf.mcp_server.connect import front_page
from docshelf.mcp_server.http_app import create_app
from docshelf.mcp_server.shelf import Shelf

HOST = "127.0.0.1"
# How long requests that are being answered may go on after the end was asked for.
_GRACE_SECONDS = 1

logging.getLogger("uvicorn").addHandler(logging.NullHandler())


def listen(port: int) -> socket.socket:
    """A socket that listens on the loopback `port`, 0 for any free one; clients that connect wait for `serve`.

    Raises:
        InvalidArgumentError: `port` is not a port number.
        SettingsError: another program has the port, or this user may not open it.
    """
    if not 0 <= port <= 65_535:
        raise InvalidArgumentError(f"The port must be a whole number from 0 to 65535, not {port}.")
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            # A port whose last connections are still closing is free; on Windows the option would share a used one.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise SettingsError(_cannot_listen(port, error)) from error
    return listener


def url_of(listener: socket.socket) -> str:
    """The address of the MCP endpoint that `serve` answers on `listener`."""
    return f"http://{HOST}:{_port(listener)}/mcp"


def serve(
    open_shelf: Callable[[], Shelf],
    listener: socket.socket,
    *,
    on_started: Callable[[str], None],
    stop: threading.Event | None = None,
    blurb: str | None = None,
) -> None:
    """Answer MCP requests on `listener` until Ctrl-C, SIGTERM or `stop`, then close it and return.

    `open_shelf` gives the shelf of each request. `on_started` is called with the endpoint's URL once requests are
    answered. Requests that are being answered get a second to end; idle connections are closed at once. Signals are
    only seen when called on the main thread; a second Ctrl-C does not wait. On return the earlier signal handlers are
    in place again.
    """
    names = _host_names(_port(listener))
    url = url_of(listener)
    application = create_app(
        open_shelf,
        allowed_hosts=names,
        allowed_origins=[f"http://{name}" for name in names],
        blurb=blurb,
        front_page=front_page(url),
    )
    config = uvicorn.Config(
        application,
        http="h11",
        loop="asyncio",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    _LocalServer(config, lambda: on_started(url), stop or threading.Event()).run(sockets=[listener])


class _LocalServer(uvicorn.Server):
    """Returns after a signal, where uvicorn's own would raise it again and so end the process before its clean-up."""

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None], stop: threading.Event) -> None:
        super().__init__(config)
        self._on_started = on_started
        self._stop = stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_started()

    async def on_tick(self, counter: int) -> bool:
        return await super().on_tick(counter) or self._stop.is_set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        earlier = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in earlier.items():
                signal.signal(number, handler)


def _host_names(port: int) -> list[str]:
    """The Host headers of this machine; clients leave the port out where it is the scheme's own."""
    names = [HOST, "localhost"]
    return [f"{name}:{port}" for name in names] + (names if port == 80 else [])


def _port(listener: socket.socket) -> int:
    port: int = listener.getsockname()[1]
    return port


def _cannot_listen(port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is in use by another program; end that program or choose another port with --port."
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"This user may not open port {port}; choose a port from 1024 on with --port."
    return f"Port {port} of {HOST} cannot be opened ({error.strerror}); choose another port with --port."
