"""Registration of clients by themselves (RFC 7591). Nothing is kept: the client_id is the registration, sealed."""

from __future__ import annotations

from collections.abc import Callable, Collection

from docshelf.errors import OAuthError
from docshelf.signin.client_metadata import parse_client_metadata
from docshelf.signin.clients import registered_client
from docshelf.signin.sealing import Sealer

REGISTRATION_SECONDS = 90 * 24 * 3600
"""How long a registration is good for; after that the client is unknown and registers again."""
MAX_ID_CHARACTERS = 5_000
"""A client_id is part of an address, which API Gateway takes up to 10,240 bytes of, headers included."""

_MAX_ECHOED_CHARACTERS = 500
_ECHOED = ("application_type", "scope", "software_id", "software_version")


def register(
    body: bytes, sealer: Sealer, clock: Callable[[], float], allowed: Collection[str] = ()
) -> dict[str, object]:
    """The document that answers a registration, with the status 201.

    `body` is the client's metadata, `clock` gives seconds since 1970, `allowed` are the web sites that redirect URIs
    may be on, in lower case: with none, every one. Whatever way of authentication was asked for, it becomes `none`.

    Raises:
        OAuthError: invalid_redirect_uri if no redirect URI can be used, else invalid_client_metadata.
    """
    metadata = parse_client_metadata(body, allowed)
    client = registered_client(metadata.name, metadata.redirect_uris, sealer, REGISTRATION_SECONDS)
    if len(client.client_id) > MAX_ID_CHARACTERS:
        raise OAuthError("invalid_client_metadata", "The redirect URIs are too long all together: register fewer.")
    return {
        "client_id": client.client_id,
        "client_id_issued_at": int(clock()),
        "client_name": client.name,
        "redirect_uris": list(client.redirect_uris),
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        **{name: value for name in _ECHOED if _is_short_text(value := metadata.values.get(name))},
    }


def _is_short_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_ECHOED_CHARACTERS
