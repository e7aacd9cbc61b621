from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from docshelf.access.key_fetching import MAX_BYTES, fetch_key_set
from docshelf.access.keys import KeySource
from docshelf.errors import KeysUnavailableError, SettingsError
from tests.support.scripted_server import ScriptedServer, answer, scripted_server
from tests.support.self_signed import certificate, serving
from tests.support.tokens import TokenIssuer

SHORT_SECONDS = 0.2


def test_the_answer_of_the_address_is_given_as_it_is(issuer: TokenIssuer) -> None:
    assert issuer.kid.encode() in fetch_key_set(issuer.keys_url)


def test_an_answer_of_64_kib_is_taken_and_one_byte_more_is_not() -> None:
    with scripted_server(lambda _: iter([answer(b"x" * MAX_BYTES)])) as server:
        assert len(fetch_key_set(server.url)) == 65_536
    with (
        scripted_server(lambda _: iter([answer(b"x" * (MAX_BYTES + 1))])) as server,
        pytest.raises(KeysUnavailableError, match="64 KiB"),
    ):
        fetch_key_set(server.url)


def test_an_answer_that_never_ends_is_cut_off_at_the_limit() -> None:
    def endless(_: ScriptedServer) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        while True:
            yield b"x" * 4096

    with scripted_server(endless) as server, pytest.raises(KeysUnavailableError, match="64 KiB"):
        fetch_key_set(server.url)


def silent(server: ScriptedServer) -> Iterator[bytes]:
    server.released.wait()
    yield b""


def stopping_in_the_head(server: ScriptedServer) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Le"
    server.released.wait()


def stopping_in_the_body(server: ScriptedServer) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"
    server.released.wait()


def trickling(server: ScriptedServer) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n"
    while not server.released.wait(SHORT_SECONDS / 10):
        yield b"x"


@pytest.mark.parametrize("respond", [silent, stopping_in_the_head, stopping_in_the_body, trickling])
def test_a_slow_answer_is_given_up_and_leaves_no_thread_behind(respond: object) -> None:
    with scripted_server(respond) as server:  # type: ignore[arg-type]  # each is a function that responds
        with pytest.raises(KeysUnavailableError, match="minute"):
            fetch_key_set(server.url, SHORT_SECONDS)
        for thread in threading.enumerate():
            if thread.name == "token-keys":
                thread.join(10)
                assert not thread.is_alive()


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "307 Temporary Redirect"])
def test_a_redirect_is_not_followed(status: str) -> None:
    def redirect(server: ScriptedServer) -> Iterator[bytes]:
        yield answer(b"", status=status, headers=f"Location: {server.url}/elsewhere\r\n")

    with scripted_server(redirect) as server:
        with pytest.raises(KeysUnavailableError, match=status[:3]):
            fetch_key_set(server.url)
        assert server.paths == ["/document.json"]


@pytest.mark.parametrize("status", ["204 No Content", "403 Forbidden", "404 Not Found", "500 Internal Server Error"])
def test_any_other_status_than_200_is_no_key_set(status: str) -> None:
    with (
        scripted_server(lambda _: iter([answer(b"", status=status)])) as server,
        pytest.raises(KeysUnavailableError, match=status[:3]),
    ):
        fetch_key_set(server.url)


@pytest.mark.parametrize("sent", [b"", b"\x16\x03\x01\x02", b"SSH-2.0-server\r\n", b"HTTP/1.1 200 OK\r\n"])
def test_what_is_no_http_answer_is_no_key_set(sent: bytes) -> None:
    def respond(_: ScriptedServer) -> Iterator[bytes]:
        yield sent

    with scripted_server(respond) as server, pytest.raises(KeysUnavailableError, match="keys"):
        KeySource(server.url).key("kid")


def test_an_address_where_nobody_listens_is_said_to_be_so() -> None:
    with scripted_server(lambda _: iter([b""])) as server:
        pass
    with pytest.raises(KeysUnavailableError, match="ConnectionRefusedError"):
        fetch_key_set(server.url)


def test_over_https_the_certificate_must_be_one_that_the_system_trusts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = certificate(tmp_path, "127.0.0.1")
    with scripted_server(lambda _: iter([answer(b"keys")]), tls=serving(own)) as server:
        with pytest.raises(KeysUnavailableError, match="SSLCertVerificationError"):
            fetch_key_set(server.url)
        assert server.paths == []
        monkeypatch.setenv("SSL_CERT_FILE", str(own))
        assert fetch_key_set(server.url) == b"keys"
        with pytest.raises(KeysUnavailableError, match="SSLCertVerificationError"):
            fetch_key_set(server.url.replace("127.0.0.1", "localhost"))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "pool.example.com/jwks.json",
        "http://pool.example.com/jwks.json",
        "http://127.0.0.1.example.com/jwks.json",
        "http://localhost.example.com/jwks.json",
        "http://169.254.169.254/latest/meta-data",
        "http://user@127.0.0.1/jwks.json",
        "https://user:word@pool.example.com/jwks.json",
        "file:///etc/passwd",
        "ftp://127.0.0.1/jwks.json",
        "https://",
        "https://pool.example.com:port/jwks.json",
        "https://pool.example.com/jwks.json#fragment",
        "https://pool.example.com/jwks json",
        "https://pool.example.com/\r\nHost: elsewhere",
    ],
)
def test_only_https_addresses_and_this_machine_are_asked(url: str) -> None:
    with pytest.raises(SettingsError, match="DOCSHELF_TOKEN_KEYS_URL"):
        KeySource(url)
    with pytest.raises(SettingsError, match="DOCSHELF_TOKEN_KEYS_URL"):
        fetch_key_set(url)
