"""Which client sends a request to the token or revocation endpoint. Clients are public: none proves who it is."""

from __future__ import annotations

import base64
import binascii
from urllib.parse import unquote_plus

from docshelf.errors import OAuthError
from docshelf.gateway.messages import HttpRequest
from docshelf.signin.parameters import Parameters


def asking_client(request: HttpRequest, form: Parameters) -> str:
    """The client_id of a request, from its form or from HTTP Basic authentication, whose secret is not looked at.

    Raises:
        OAuthError: invalid_request, it names no client; invalid_client, it names two, or none that can be read.
    """
    named, authenticated = form.get("client_id"), _basic(request.headers.get("authorization", ""))
    if authenticated is None:
        return form.needed("client_id")
    if named is not None and named != authenticated:
        raise OAuthError("invalid_client", "The form and the Authorization header name different clients.", 401)
    return authenticated


def _basic(authorization: str) -> str | None:
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        name, colon, _ = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        name = colon = ""
    if not name or not colon:
        raise OAuthError("invalid_client", "The Authorization header cannot be read.", 401)
    return unquote_plus(name)
