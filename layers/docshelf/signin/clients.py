"""The clients that may ask for a sign-in: found by their client_id, which says by itself who they are."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Protocol

from docshelf.errors import OAuthError
from docshelf.signin.redirects import Redirect, RedirectError, is_allowed, parse_redirect, same_redirect
from docshelf.signin.sealing import Purpose, SealBrokenError, Sealer, SealExpiredError

_MAX_ID_CHARACTERS = 8_000
_FINGERPRINT_CHARACTERS = 22


class UnknownClientError(OAuthError):
    """Nobody is known by this client_id, or no longer: the client has to register again."""

    code = "unknown_client"

    def __init__(self, sentence: str) -> None:
        super().__init__("invalid_client", sentence, 401)


@dataclass(frozen=True, slots=True)
class Client:
    """One client.

    `name` is what it calls itself, which proves nothing. `verified_host` is the host of its client ID metadata
    document, None for a client that has registered itself.
    """

    client_id: str = field(repr=False)
    name: str
    redirect_uris: tuple[str, ...]
    verified_host: str | None

    def redirect(self, requested: str) -> Redirect:
        """The redirect URI `requested`, which is one of the client's.

        Raises:
            RedirectError: it is not, or answers are never sent there.
        """
        found = parse_redirect(requested)
        if not any(same_redirect(registered, requested) for registered in self.redirect_uris):
            raise RedirectError(
                "The redirect URI is not one that this client has registered, or not one that this server allows."
            )
        return found

    @property
    def fingerprint(self) -> str:
        """22 characters that stand for the client_id, which may be long."""
        return fingerprint(self.client_id)


def fingerprint(client_id: str) -> str:
    """22 letters, digits, `-` and `_` that are the same for the same client_id alone."""
    digest = hashlib.sha256(client_id.encode("utf-8", "surrogatepass")).digest()
    return base64.urlsafe_b64encode(digest).decode()[:_FINGERPRINT_CHARACTERS]


def registered_client(name: str, redirect_uris: tuple[str, ...], sealer: Sealer, seconds: int) -> Client:
    """A client that has just registered itself; its client_id is its registration, sealed for `seconds`."""
    client_id = sealer.seal(Purpose.CLIENT, {"n": name, "r": redirect_uris}, seconds)
    return Client(client_id, name, redirect_uris, None)


class Documents(Protocol):
    """Where clients are found whose client_id is an address."""

    def client(self, url: str) -> Client:
        """The client that the document at `url` describes.

        Raises:
            OAuthError: there is none, or it cannot be had just now.
        """


class Clients:
    """Every client there is: those that have registered themselves here, and those that have a document."""

    def __init__(self, sealer: Sealer, documents: Documents, redirect_hosts: Collection[str] = ()) -> None:
        """With `redirect_hosts` (in lower case) the redirect URIs on other web sites are left out of every client."""
        self._sealer = sealer
        self._documents = documents
        self._hosts = frozenset(redirect_hosts)

    def find(self, client_id: str) -> Client:
        """The client with this id.

        Raises:
            UnknownClientError: there is none, or its registration has expired.
            DocumentUnavailableError: its document cannot be had just now.
        """
        if len(client_id) > _MAX_ID_CHARACTERS:
            raise UnknownClientError("The client_id is too long to be one: register again.")
        found = self._documents.client(client_id) if "://" in client_id else self._registered(client_id)
        allowed = (uri for uri in found.redirect_uris if is_allowed(parse_redirect(uri), self._hosts))
        return replace(found, redirect_uris=tuple(allowed))

    def _registered(self, client_id: str) -> Client:
        try:
            values = self._sealer.unseal(Purpose.CLIENT, client_id)
        except SealBrokenError:
            raise UnknownClientError("The client is not registered here: register again.") from None
        except SealExpiredError:
            raise UnknownClientError("The registration of the client has expired: register again.") from None
        name, uris = values["n"], values["r"]
        # Both were checked before they were sealed.
        assert isinstance(name, str)
        assert isinstance(uris, list)
        return Client(client_id, name, tuple(uris), None)
