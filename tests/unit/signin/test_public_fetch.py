from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from docshelf.signin.fetch_target import FetchFailedError, FetchRefusedError
from docshelf.signin.public_fetch import MAX_BYTES, PublicFetch, resolve_host
from tests.support.scripted_server import ScriptedServer, answer, scripted_server
from tests.support.self_signed import certificate, serving

HOST = "client.example.com"
PUBLIC_ADDRESS = "93.184.216.34"
URL = f"https://{HOST}/oauth/client.json"
SHORT_SECONDS = 0.3
ENOUGH_SECONDS = 20.0

Respond = Callable[[ScriptedServer], Iterator[bytes]]


@pytest.fixture(scope="module")
def certificate_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("tls"), HOST)


@pytest.fixture(autouse=True)
def _trusted(certificate_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate_file))


def resolving(*addresses: str) -> Callable[[str, int], Sequence[str]]:
    return lambda host, port: addresses


def fetching(server: ScriptedServer, *addresses: str, seconds: float = ENOUGH_SECONDS) -> PublicFetch:
    return PublicFetch(resolve=resolving(*(addresses or (PUBLIC_ADDRESS,))), connect=server.connect, seconds=seconds)


def saying(*pieces: bytes) -> Respond:
    return lambda _: iter(pieces)


def test_a_document_comes_from_the_address_that_was_checked_under_the_hosts_own_name(certificate_file: Path) -> None:
    with scripted_server(saying(answer(b"{}")), tls=serving(certificate_file)) as server:
        fetched = fetching(server)(f"{URL}?v=1")
    assert fetched.body == b"{}"
    assert fetched.headers["content-type"] == "application/json"
    assert server.connections == [(PUBLIC_ADDRESS, 443)]
    assert server.names == [HOST]
    (head,) = server.requests
    assert head.startswith("GET /oauth/client.json?v=1 HTTP/1.1\r\n")
    assert f"\r\nHost: {HOST}\r\n" in head
    assert "cookie" not in head.lower()
    assert "authorization" not in head.lower()


@pytest.mark.parametrize(
    "addresses",
    [
        ["169.254.169.254"],
        ["127.0.0.1"],
        ["10.0.0.5"],
        ["0.0.0.0"],
        ["::1"],
        ["::ffff:169.254.169.254"],
        ["::ffff:93.184.216.34"],
        ["64:ff9b::a9fe:a9fe"],
        ["fd00:ec2::254"],
        ["fe80::1%eth0"],
        [PUBLIC_ADDRESS, "169.254.169.254"],
        ["10.0.0.5", PUBLIC_ADDRESS],
        [*[PUBLIC_ADDRESS] * 50, "127.0.0.1"],
        ["not an address"],
    ],
)
def test_a_name_with_any_address_that_is_not_public_is_never_connected_to(
    addresses: list[str], certificate_file: Path
) -> None:
    with scripted_server(saying(answer(b"{}")), tls=serving(certificate_file)) as server:
        with pytest.raises(FetchRefusedError, match="public internet"):
            fetching(server, *addresses)(URL)
        assert server.connections == []


def test_a_name_that_resolves_differently_the_next_time_is_asked_for_once(certificate_file: Path) -> None:
    answers = [[PUBLIC_ADDRESS], ["169.254.169.254"], ["127.0.0.1"]]
    asked = []

    def rebinding(host: str, port: int) -> list[str]:
        asked.append((host, port))
        return answers[len(asked) - 1]

    with scripted_server(saying(answer(b"{}")), tls=serving(certificate_file)) as server:
        fetch = PublicFetch(resolve=rebinding, connect=server.connect, seconds=ENOUGH_SECONDS)
        assert fetch(URL).body == b"{}"
        assert asked == [(HOST, 443)]
        assert server.connections == [(PUBLIC_ADDRESS, 443)]
        with pytest.raises(FetchRefusedError, match="public internet"):
            fetch(URL)
        assert len(server.connections) == 1


@pytest.mark.parametrize("url", ["https://localhost/client.json", "https://169.254.169.254/x", "http://localhost:1/x"])
def test_an_address_that_is_none_of_a_document_is_not_even_resolved(url: str) -> None:
    def resolve(host: str, port: int) -> list[str]:
        raise AssertionError(host)

    with pytest.raises(FetchRefusedError):
        PublicFetch(resolve=resolve)(url)


def test_names_of_this_machine_resolve_to_addresses_that_are_refused() -> None:
    assert set(resolve_host("localhost", 443)) <= {"127.0.0.1", "::1"}
    with pytest.raises(FetchRefusedError, match="public internet"):
        PublicFetch(resolve=lambda _, port: resolve_host("localhost", port))(URL)


@pytest.mark.parametrize("error", [socket.gaierror(socket.EAI_NONAME, "no name"), UnicodeError("label too long")])
def test_a_name_that_cannot_be_resolved_is_a_fault_that_may_pass(error: Exception) -> None:
    def resolve(host: str, port: int) -> list[str]:
        raise error

    with pytest.raises(FetchFailedError):
        PublicFetch(resolve=resolve)(URL)


def test_a_name_without_any_address_is_a_fault_that_may_pass() -> None:
    with pytest.raises(FetchFailedError):
        PublicFetch(resolve=resolving())(URL)


def test_the_next_address_is_tried_where_one_cannot_be_reached(certificate_file: Path) -> None:
    with scripted_server(saying(answer(b"{}")), tls=serving(certificate_file)) as server:

        def connect(address: str, port: int, seconds: float) -> socket.socket:
            made = server.connect(address, port, seconds)
            if len(server.connections) == 1:
                made.close()
                raise ConnectionRefusedError
            return made

        fetch = PublicFetch(resolve=resolving("2606:4700:4700::1111", PUBLIC_ADDRESS), connect=connect)
        assert fetch(URL).body == b"{}"
    assert server.connections == [("2606:4700:4700::1111", 443), (PUBLIC_ADDRESS, 443)]


def test_a_host_with_many_addresses_does_not_make_many_connections() -> None:
    tried = []

    def connect(address: str, port: int, seconds: float) -> socket.socket:
        tried.append(seconds)
        raise ConnectionRefusedError

    with pytest.raises(FetchFailedError):
        PublicFetch(resolve=resolving(*[PUBLIC_ADDRESS] * 1_000), connect=connect)(URL)
    assert len(tried) == 4
    assert sum(tried[:1]) < 2


def test_the_certificate_must_be_one_that_is_trusted(
    certificate_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = certificate(tmp_path, "elsewhere.example.com")
    with scripted_server(saying(answer(b"{}")), tls=serving(elsewhere)) as server:
        with pytest.raises(FetchRefusedError, match="certificate"):
            fetching(server)(URL)
        monkeypatch.setenv("SSL_CERT_FILE", str(elsewhere))
        with pytest.raises(FetchRefusedError, match="certificate"):
            fetching(server)(URL)
        assert server.requests == []


@pytest.mark.parametrize("location", [URL, "http://169.254.169.254/latest/meta-data", "/other", ""])
@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect"])
def test_a_redirect_is_not_followed(status: str, location: str, certificate_file: Path) -> None:
    moved = answer(b"", status=status, headers=f"Location: {location}\r\n")
    with scripted_server(saying(moved), tls=serving(certificate_file)) as server:
        with pytest.raises(FetchRefusedError, match=status[:3]):
            fetching(server)(URL)
        assert len(server.connections) == len(server.requests) == 1


@pytest.mark.parametrize(
    "status", ["201 Created", "204 No Content", "206 Partial Content", "401 Unauthorized", "404 No"]
)
def test_another_status_than_200_means_that_there_is_no_document(status: str, certificate_file: Path) -> None:
    with (
        scripted_server(saying(answer(b"", status=status)), tls=serving(certificate_file)) as server,
        pytest.raises(FetchRefusedError, match=status[:3]),
    ):
        fetching(server)(URL)


@pytest.mark.parametrize(
    "status", ["408 Slow", "429 Too Many Requests", "500 Broken", "502 Bad", "503 Busy", "599 What"]
)
def test_a_server_that_cannot_answer_now_is_a_fault_that_may_pass(status: str, certificate_file: Path) -> None:
    with (
        scripted_server(saying(answer(b"", status=status)), tls=serving(certificate_file)) as server,
        pytest.raises(FetchFailedError, match=status[:3]),
    ):
        fetching(server)(URL)


def test_a_document_of_64_kib_is_taken_and_one_byte_more_is_not(certificate_file: Path) -> None:
    with scripted_server(saying(answer(b"x" * MAX_BYTES)), tls=serving(certificate_file)) as server:
        assert len(fetching(server)(URL).body) == 65_536
    with (
        scripted_server(saying(answer(b"x" * (MAX_BYTES + 1))), tls=serving(certificate_file)) as server,
        pytest.raises(FetchRefusedError, match="64 KiB"),
    ):
        fetching(server)(URL)


@pytest.mark.parametrize(
    "head", [b"\r\n", b"Content-Length: 999999999999\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n"]
)
def test_a_document_that_never_ends_is_cut_off_at_the_limit(head: bytes, certificate_file: Path) -> None:
    def endless(_: ScriptedServer) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n" + head
        while True:
            yield b"1000\r\n" + b"x" * 4096 + b"\r\n" if b"chunked" in head else b"x" * 4096

    with (
        scripted_server(endless, tls=serving(certificate_file)) as server,
        pytest.raises(FetchRefusedError, match="64 KiB"),
    ):
        fetching(server)(URL)


@pytest.mark.parametrize("encoding", ["gzip", "br", "identity, gzip"])
def test_a_compressed_document_is_not_unpacked(encoding: str, certificate_file: Path) -> None:
    packed = answer(b"\x1f\x8b", headers=f"Content-Encoding: {encoding}\r\n")
    with (
        scripted_server(saying(packed), tls=serving(certificate_file)) as server,
        pytest.raises(FetchRefusedError, match="compressed"),
    ):
        fetching(server)(URL)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"SSH-2.0-server\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 10_000,
        b"HTTP/1.1 200 OK\r\nx: " + b"y" * 1_000_000,
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 -5 OK\r\n\r\n",
    ],
)
def test_what_is_no_whole_answer_is_no_document(sent: bytes, certificate_file: Path) -> None:
    with (
        scripted_server(saying(sent), tls=serving(certificate_file)) as server,
        pytest.raises((FetchFailedError, FetchRefusedError)),
    ):
        fetching(server)(URL)


def silent(server: ScriptedServer) -> Iterator[bytes]:
    server.released.wait()
    yield b""


def stopping_in_the_body(server: ScriptedServer) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"
    server.released.wait()


def trickling_the_head(server: ScriptedServer) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\n"
    while not server.released.wait(SHORT_SECONDS / 10):
        yield b"x"


def trickling_the_body(server: ScriptedServer) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n"
    while not server.released.wait(SHORT_SECONDS / 10):
        yield b"x"


@pytest.mark.parametrize("respond", [silent, stopping_in_the_body, trickling_the_head, trickling_the_body])
def test_a_slow_answer_is_given_up_and_leaves_no_thread_behind(respond: Respond, certificate_file: Path) -> None:
    with scripted_server(respond, tls=serving(certificate_file)) as server:
        with pytest.raises(FetchFailedError, match="minute"):
            fetching(server, seconds=SHORT_SECONDS)(URL)
        _wait_for_threads()


def test_a_handshake_that_does_not_end_is_given_up() -> None:
    with scripted_server(silent) as server:
        with pytest.raises(FetchFailedError, match="minute"):
            fetching(server, seconds=SHORT_SECONDS)(URL)
        _wait_for_threads()


def test_a_server_that_speaks_no_tls_is_no_server_of_documents() -> None:
    with scripted_server(saying(answer(b"{}"))) as server, pytest.raises(FetchFailedError):
        fetching(server, seconds=SHORT_SECONDS)(URL)


def test_a_slow_name_server_is_given_up_and_nothing_is_asked_of_the_host_after_that(certificate_file: Path) -> None:
    released = threading.Event()

    def slow(host: str, port: int) -> list[str]:
        released.wait()
        return [PUBLIC_ADDRESS]

    with scripted_server(saying(answer(b"{}")), tls=serving(certificate_file)) as server:
        with pytest.raises(FetchFailedError, match="time"):
            PublicFetch(resolve=slow, connect=server.connect, seconds=SHORT_SECONDS)(URL)
        released.set()
        _wait_for_threads()
        assert server.requests == []


def _wait_for_threads() -> None:
    for thread in threading.enumerate():
        if thread.name == "client-document":
            thread.join(10)
            assert not thread.is_alive()


def test_a_document_of_this_machine_is_fetched_only_where_that_is_said() -> None:
    with scripted_server(saying(answer(b"{}"))) as server:
        url = f"http://127.0.0.1:{server.port}/client.json"
        assert PublicFetch(local=True)(url).body == b"{}"
        assert f"Host: 127.0.0.1:{server.port}\r\n" in server.requests[0]
        with pytest.raises(FetchRefusedError):
            PublicFetch()(url)
        with pytest.raises(FetchRefusedError, match="public internet"):
            PublicFetch(local=True, resolve=resolving("10.0.0.1"))(url)
        assert len(server.requests) == 1


def test_where_documents_of_this_machine_are_taken_those_of_the_internet_still_must_be_public() -> None:
    with pytest.raises(FetchRefusedError, match="public internet"):
        PublicFetch(local=True, resolve=resolving("127.0.0.1"))(URL)
