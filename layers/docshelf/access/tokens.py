"""Access tokens of a user pool (JWT, RFC 7519), checked by the rules of RFC 8725."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Callable, Collection

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import PyJWTError
from jwt.api_jws import PyJWS

from docshelf.access import strict_json
from docshelf.access.caller import Caller
from docshelf.access.claims import Claims
from docshelf.access.key_set import MAX_KEY_ID_CHARACTERS
from docshelf.access.keys import KeySource
from docshelf.errors import InsufficientScopeError, InvalidTokenError, MissingTokenError

MAX_TOKEN_CHARACTERS = 8192
_ALGORITHM = "RS256"
_FORM = re.compile(r"([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", re.ASCII)


class TokenVerifier:
    """Says who is asking by the `Authorization` header of a request."""

    def __init__(
        self,
        *,
        issuer: str,
        keys: KeySource,
        audience: str,
        client_ids: Collection[str],
        scope: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Take tokens that `issuer` signed for `audience`, or, where they name none, for one of `client_ids`.

        `scope` is what a token must grant, by itself or behind the audience and a slash, as Cognito names it. `clock`
        gives the seconds since 1970.
        """
        self._issuer = issuer
        self._keys = keys
        self._audience = audience
        self._client_ids = frozenset(client_ids)
        self._scopes = frozenset({scope, f"{audience}/{scope}"})
        self._jws = PyJWS(algorithms=[_ALGORITHM])
        self._clock = clock

    def verify(self, authorization: str | None) -> Caller:
        """The caller whom the token of the header names.

        Raises:
            MissingTokenError: there is no header, or it is not of the scheme "Bearer".
            InvalidTokenError: the token is not one that this server takes.
            InsufficientScopeError: the token is good, but does not grant the scope.
            KeysUnavailableError: the issuer's keys cannot be had just now.
        """
        token = _bearer_token(authorization)
        key = self._keys.key(_key_id(token))
        if key is None:
            raise InvalidTokenError("The token is signed with a key that its issuer does not have: sign in again.")
        claims = self._signed_claims(token, key)
        claims.check_times(self._clock())
        self._check_purpose(claims)
        client_id = claims.text("client_id")
        self._check_audience(claims, client_id)
        caller = Caller(claims.text("sub"), client_id, claims.texts("cognito:groups"), claims.scopes())
        if self._scopes.isdisjoint(caller.scopes):
            raise InsufficientScopeError("The token was not given for reading documents: sign in again and allow it.")
        return caller

    def _signed_claims(self, token: str, key: RSAPublicKey) -> Claims:
        try:
            payload = self._jws.decode(token, key, algorithms=[_ALGORITHM])
        except PyJWTError:
            raise InvalidTokenError("The token's signature is not right: sign in again.") from None
        return Claims.parse(payload)

    def _check_purpose(self, claims: Claims) -> None:
        if claims.text("iss") != self._issuer:
            raise InvalidTokenError("The token is from another issuer: sign in at this server.")
        if claims.text("token_use") != "access":
            raise InvalidTokenError("The token is not an access token: send the access token of the sign-in.")

    def _check_audience(self, claims: Claims, client_id: str) -> None:
        if claims.has("aud"):
            if self._audience not in claims.audience():
                raise InvalidTokenError("The token is for another server: sign in at this one.")
        elif client_id not in self._client_ids:
            raise InvalidTokenError("The token was given to a client that this server does not know.")


def _bearer_token(authorization: str | None) -> str:
    scheme, _, rest = (authorization or "").partition(" ")
    token = rest.strip(" ")
    if scheme.lower() != "bearer" or not token:
        raise MissingTokenError("Sign in first: the request carries no bearer token.")
    if len(token) > MAX_TOKEN_CHARACTERS:
        raise InvalidTokenError("The token is too long: sign in again.")
    return token


def _key_id(token: str) -> str:
    """The id of the key that a token says it is signed with; nothing else of its header is heeded."""
    form = _FORM.fullmatch(token)
    if form is None:
        raise _not_a_token()
    encoded = form[1]
    try:
        header = strict_json.loads(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
    except ValueError:
        raise _not_a_token() from None
    if not isinstance(header, dict):
        raise _not_a_token()
    if header.get("alg") != _ALGORITHM:
        raise InvalidTokenError(f"The token is not signed with {_ALGORITHM}: sign in again.")
    if "crit" in header:
        raise InvalidTokenError("The token demands an extension that this server does not have: sign in again.")
    kid = header.get("kid")
    if not isinstance(kid, str) or not 0 < len(kid) <= MAX_KEY_ID_CHARACTERS:
        raise InvalidTokenError("The token does not say which key it is signed with: sign in again.")
    return kid


def _not_a_token() -> InvalidTokenError:
    return InvalidTokenError("The token is not a signed JWT: sign in again.")
