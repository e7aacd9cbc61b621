"""Starting and ending the local server."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from docshelf.errors import InvalidArgumentError, SettingsError
from docshelf.mcp_server import server
from docshelf.mcp_server.http_app import create_app
from docshelf.mcp_server.server import listen, serve, url_of
from tests.support.memory_shelf import company_shelf

ROOT = Path(__file__).parents[2]
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "search_documents", "arguments": {"query": "Bank"}},
}
JSON = {"Accept": "application/json"}


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    """A server process on a free port."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "layers"), str(ROOT)])}
    with subprocess.Popen(
        [sys.executable, str(ROOT / "tests/integration/serve_memory_shelf.py"), "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as started:
        yield started
        started.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_process_cleanly_in_spite_of_open_connections(
    process: subprocess.Popen[str], number: signal.Signals
) -> None:
    assert process.stdout
    assert process.stderr
    url = process.stdout.readline().strip()
    with httpx2.Client() as client:
        assert client.post(url, json=CALL, headers=JSON).status_code == 200
        assert client.get(url, headers={"Host": "evil.example"}).status_code == 421
        half_open = socket.create_connection(("127.0.0.1", int(url.split(":")[2].split("/")[0])))
        half_open.sendall(b"POST /mcp HTTP/1.1\r\nContent-Le")
        asked = time.monotonic()
        process.send_signal(number)
        assert process.wait(10) == 0
        assert time.monotonic() - asked < 3
        half_open.close()
    assert process.stdout.read() == "ended\n"
    assert process.stderr.read() == ""


def test_a_used_port_is_one_sentence() -> None:
    with listen(0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(SettingsError, match=rf"^Port {port} is in use by another program; .*--port\.$"):
            listen(port)


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.EACCES, "This user may not open port 80; choose a port from 1024 on with --port."),
        (errno.ENOBUFS, "Port 80 of 127.0.0.1 cannot be opened (no room); choose another port with --port."),
    ],
)
def test_a_port_that_cannot_be_opened_is_one_sentence(number: int, sentence: str) -> None:
    assert server._cannot_listen(80, OSError(number, "no room")) == sentence


def test_a_host_without_its_port_is_known_on_port_80_only() -> None:
    assert server._host_names(80) == ["127.0.0.1:80", "localhost:80", "127.0.0.1", "localhost"]
    assert server._host_names(8080) == ["127.0.0.1:8080", "localhost:8080"]


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_number_that_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(InvalidArgumentError, match="from 0 to 65535"):
        listen(port)


def test_a_port_can_be_used_again_at_once() -> None:
    port = 0
    for _ in range(2):
        stop, started = threading.Event(), threading.Event()
        listener = listen(port)
        port = listener.getsockname()[1]
        url = url_of(listener)
        thread = threading.Thread(
            target=serve,
            args=(company_shelf, listener),
            kwargs={"on_started": lambda _url, event=started: event.set(), "stop": stop},
        )
        thread.start()
        assert started.wait(10)
        with httpx2.Client() as client:
            assert client.post(url, json=CALL, headers=JSON).status_code == 200
            stop.set()
            thread.join(10)
        assert not thread.is_alive()
        assert listener.fileno() == -1


def test_the_application_can_be_started_again_after_it_ended() -> None:
    application = create_app(company_shelf, allowed_hosts=["shelf.example"])

    async def once() -> httpx2.Response:
        transport = httpx2.ASGITransport(app=application)
        async with (
            application.router.lifespan_context(application),
            httpx2.AsyncClient(transport=transport, base_url="https://shelf.example") as client,
        ):
            assert (await client.get("/")).status_code == 404
            return await client.post("/mcp", json=CALL, headers=JSON)

    for _ in range(3):
        assert asyncio.run(once()).status_code == 200


def test_the_application_says_when_it_is_not_running() -> None:
    application = create_app(company_shelf, allowed_hosts=["shelf.example"])

    async def ask() -> httpx2.Response:
        transport = httpx2.ASGITransport(app=application)
        async with httpx2.AsyncClient(transport=transport, base_url="https://shelf.example") as client:
            return await client.post("/mcp", json=CALL, headers=JSON)

    assert asyncio.run(ask()).status_code == 503
