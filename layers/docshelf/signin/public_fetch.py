"""Fetching a document whose address a stranger has named, from the public internet alone.

The name is resolved once. All of its addresses must be public, and the connection goes to one of these very addresses,
so that a name server that answers differently the next time gains nothing.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse

from docshelf.bounded_exchange import HeldConnection, within
from docshelf.signin.fetch_target import FetchFailedError, FetchRefusedError, Target, parse_target
from docshelf.signin.public_addresses import is_loopback, is_public

MAX_BYTES = 64 * 1024
SECONDS = 5.0

_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "docshelf",
    "Connection": "close",
}
_TRANSIENT = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS})
_MOST_ATTEMPTS = 4
_LEAST_SECONDS = 0.01

Resolve = Callable[[str, int], Sequence[str]]
"""The addresses, in numbers, of a host and port; raises OSError."""
Connect = Callable[[str, int, float], socket.socket]
"""A connection to an address in numbers and a port, within seconds; raises OSError."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer with the status 200; the names of `headers` are in lower case."""

    body: bytes = field(repr=False)
    headers: Mapping[str, str]


def resolve_host(host: str, port: int) -> list[str]:
    """The addresses of `host` that the system knows, those of IPv4 first."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    ordered = sorted(found, key=lambda entry: entry[0] != socket.AF_INET)
    return list(dict.fromkeys(str(entry[4][0]) for entry in ordered))


def connect_to(address: str, port: int, seconds: float) -> socket.socket:
    """A connection to `address`, which is not a name."""
    return socket.create_connection((address, port), seconds)


class PublicFetch:
    """Fetches documents when called with their addresses."""

    def __init__(
        self,
        *,
        resolve: Resolve = resolve_host,
        connect: Connect = connect_to,
        local: bool = False,
        seconds: float = SECONDS,
    ) -> None:
        """With `local`, documents of this machine are fetched too, for tests; `seconds` is for a whole fetch."""
        self._resolve = resolve
        self._connect = connect
        self._local = local
        self._seconds = seconds

    def __call__(self, url: str) -> Fetched:
        """What `url` answers: at most 64 KiB. Redirects are not followed.

        Raises:
            FetchRefusedError: the address is none or is not public, or there is no such document.
            FetchFailedError: no answer came within the time, or the server says that it cannot answer now.
        """
        target = parse_target(url, local=self._local)
        ends = time.monotonic() + self._seconds
        try:
            return within(
                self._seconds,
                lambda held: _Exchange(target, self._resolve, self._connect, ends, held).fetched(),
                "client-document",
            )
        except TimeoutError as error:
            raise FetchFailedError(
                "The document of the client did not arrive in time: try again in a minute."
            ) from error
        except ssl.SSLCertVerificationError as error:
            sentence = "The document of the client is on a server without a valid certificate."
            raise FetchRefusedError(sentence) from error
        except (OSError, HTTPException, ValueError) as error:  # ValueError: what came is not HTTP
            raise FetchFailedError("The document of the client cannot be fetched: try again in a minute.") from error


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One request, which is to be over at `ends`, by the monotonic clock."""

    target: Target
    resolve: Resolve
    connect: Connect
    ends: float
    held: HeldConnection

    def fetched(self) -> Fetched:
        """The answer. Raises what `PublicFetch` makes sentences of."""
        with closing(HTTPConnection(self.target.host, self.target.port)) as connection:
            connection.sock = self._connected()
            if not self.target.local:
                connection.sock = handshaking = _encrypted(connection.sock, self.target.host)
                self.held.hold(handshaking)
                handshaking.do_handshake()
            else:
                self.held.hold(connection.sock)
            connection.request("GET", self.target.path, headers={**_HEADERS, "Host": self.target.host_header})
            with connection.getresponse() as response:
                return _document(response)

    def _connected(self) -> socket.socket:
        addresses = self.resolve(self.target.host, self.target.port)
        usable = is_loopback if self.target.local else is_public
        if not all(usable(address) for address in addresses):
            raise FetchRefusedError("The document of the client is not on the public internet.")
        tried = addresses[:_MOST_ATTEMPTS]
        fault = OSError("The host has no address.")
        for attempt, address in enumerate(tried):
            left = max(self.ends - time.monotonic(), _LEAST_SECONDS)
            try:
                # One address that swallows everything leaves time for the others.
                made = self.connect(address, self.target.port, left / (len(tried) - attempt))
            except OSError as error:
                fault = error
            else:
                made.settimeout(left)
                return made
        raise fault


def _encrypted(plain: socket.socket, host: str) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    return context.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)


def _document(response: HTTPResponse) -> Fetched:
    if response.status >= HTTPStatus.INTERNAL_SERVER_ERROR or response.status in _TRANSIENT:
        raise FetchFailedError(f"The document of the client cannot be fetched just now (status {response.status}).")
    if response.status != HTTPStatus.OK:
        raise FetchRefusedError(f"The client_id is not the address of a document (status {response.status}).")
    headers: dict[str, str] = {}
    for name, value in response.getheaders():
        headers[name.lower()] = f"{headers[name.lower()]}, {value}" if name.lower() in headers else value
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise FetchRefusedError("The document of the client is compressed, although that was not asked for.")
    body = response.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise FetchRefusedError(f"The document of the client has more than {MAX_BYTES // 1024} KiB.")
    if response.length:
        raise FetchFailedError("The document of the client did not arrive whole: try again in a minute.")
    return Fetched(body, headers)
