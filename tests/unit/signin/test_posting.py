"""A form goes to the user pool, and a bounded answer comes back or a sentence."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from docshelf.errors import UserPoolUnavailableError
from docshelf.signin.posting import MAX_BYTES, post_form
from tests.support.scripted_server import ScriptedServer, answer, scripted_server

SHORT_SECONDS = 0.2


def test_the_status_and_the_body_come_back_whatever_they_are() -> None:
    with scripted_server(lambda _: iter([answer(b"{}", status="400 Bad Request")])) as server:
        assert post_form(server.url, {"grant_type": "x y"}, {"Authorization": "Basic eA=="}) == (400, b"{}")
    (head,) = server.requests
    assert head.startswith("POST /document.json HTTP/1.1\r\n")
    assert "\r\nAuthorization: Basic eA==\r\n" in head


def test_an_answer_of_more_than_64_kib_is_refused() -> None:
    with (
        scripted_server(lambda _: iter([answer(b"x" * (MAX_BYTES + 1))])) as server,
        pytest.raises(UserPoolUnavailableError, match="too large"),
    ):
        post_form(server.url, {}, {})


def silent(server: ScriptedServer) -> Iterator[bytes]:
    server.released.wait()
    yield b""


def trickling(server: ScriptedServer) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n"
    while not server.released.wait(SHORT_SECONDS / 10):
        yield b"x"


@pytest.mark.parametrize("respond", [silent, trickling])
def test_a_slow_answer_is_given_up_and_leaves_no_thread_behind(respond: object) -> None:
    with scripted_server(respond) as server:  # type: ignore[arg-type]  # each is a function that responds
        with pytest.raises(UserPoolUnavailableError, match="TimeoutError"):
            post_form(server.url, {}, {}, SHORT_SECONDS)
        for thread in threading.enumerate():
            if thread.name == "user-pool":
                thread.join(10)
                assert not thread.is_alive()
