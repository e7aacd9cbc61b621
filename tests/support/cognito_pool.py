"""What a user pool of Cognito knows and decides: its people, its app clients, codes and refresh tokens."""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.support.tokens import TokenIssuer

ACCESS_SECONDS = 3600
CODE_SECONDS = 300
REFRESH_SECONDS = 30 * 24 * 3600


class PoolError(Exception):
    """The pool refuses; the text is the code of RFC 6749."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who can sign in. `groups` None: the pool puts no claim of groups into the token."""

    name: str
    password: str
    groups: tuple[str, ...] | None = ()
    subject: str = field(default_factory=lambda: str(uuid.uuid4()))


@dataclass(frozen=True, slots=True)
class AppClient:
    """A client of the pool. Only one without `redirect_uris` may ask for tokens of its own (client_credentials)."""

    client_id: str
    secret: str | None
    scopes: tuple[str, ...]
    redirect_uris: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grant:
    """What a person gave a client; `resource` is what the token is bound to."""

    client_id: str
    person: Person
    scopes: tuple[str, ...]
    resource: str | None
    redirect_uri: str
    challenge: str | None
    until: float


class Pool:
    """Gives tokens, signed by `issuer`, and takes them back.

    `resource_servers` are the identifiers that tokens can be bound to. With `rotation` every refresh gives a new
    refresh token, and the old one ends when `grace_seconds` are over. `access_seconds` is how long the access tokens
    are good that it gives from now on. `advance` moves its clock.
    """

    def __init__(self, issuer: TokenIssuer, *, rotation: bool = False, grace_seconds: int = 0) -> None:
        self.issuer = issuer
        self.rotation, self.grace_seconds = rotation, grace_seconds
        self.access_seconds = ACCESS_SECONDS
        self.people: dict[str, Person] = {}
        self.clients: dict[str, AppClient] = {}
        self.resource_servers: set[str] = set()
        self.codes: dict[str, Grant] = {}
        self.refresh_tokens: dict[str, Grant] = {}
        self._moved = 0.0

    def advance(self, seconds: float) -> None:
        """Let `seconds` go by for codes, refresh tokens, and the moments in tokens."""
        self._moved += seconds

    def now(self) -> float:
        """The seconds since 1970, as this pool counts them."""
        return time.time() + self._moved

    def client(self, client_id: str, secret: str | None) -> AppClient:
        """The client that asks, by its secret where it has one.

        Raises:
            PoolError: there is none such.
        """
        found = self.clients.get(client_id)
        if found is None or found.secret != secret:
            raise PoolError("invalid_client")
        return found

    def give_code(self, grant: Grant) -> str:
        """A code for `grant`, whose time begins now."""
        code = str(uuid.uuid4())
        self.codes[code] = replace(grant, until=self.now() + CODE_SECONDS)
        return code

    def redeem(self, client: AppClient, form: Mapping[str, str]) -> dict[str, Any]:
        """Tokens for a code, once.

        Raises:
            PoolError: the code is used, old, or of another client, or it was asked for in another way.
        """
        grant = self.codes.pop(form.get("code", ""), None)
        if grant is None or grant.client_id != client.client_id or self.now() > grant.until:
            raise PoolError("invalid_grant")
        verified = s256(form["code_verifier"]) if "code_verifier" in form else None
        if grant.redirect_uri != form.get("redirect_uri") or grant.challenge != verified:
            raise PoolError("invalid_grant")
        if form.get("resource", grant.resource) != grant.resource or not self._can_be_bound(grant.resource):
            raise PoolError("invalid_grant")
        return self._tokens(grant) | {"refresh_token": self._new_refresh_token(grant)}

    def refresh(self, client: AppClient, form: Mapping[str, str]) -> dict[str, Any]:
        """New tokens for a refresh token; a new one of these only where they rotate.

        Raises:
            PoolError: it is unknown, revoked, old or of another client.
        """
        old = form.get("refresh_token", "")
        grant = self.refresh_tokens.get(old)
        if grant is None or grant.client_id != client.client_id or self.now() > grant.until:
            raise PoolError("invalid_grant")
        if not self.rotation:
            return self._tokens(grant)
        self.refresh_tokens[old] = replace(grant, until=min(grant.until, self.now() + self.grace_seconds))
        if not self.grace_seconds:
            del self.refresh_tokens[old]
        return self._tokens(grant) | {"refresh_token": self._new_refresh_token(grant)}

    def machine_token(self, client: AppClient, form: Mapping[str, str]) -> dict[str, Any]:
        """A token of the client's own.

        Raises:
            PoolError: it is a client for people, or asks for a scope that it does not have.
        """
        if client.secret is None or client.redirect_uris:
            raise PoolError("unauthorized_client")
        scopes = form.get("scope", " ".join(client.scopes)).split()
        if not set(scopes) <= set(client.scopes):
            raise PoolError("invalid_grant")
        token = self._signed(client.client_id, client.client_id, scopes, without=("username", "auth_time"))
        return {"access_token": token, "expires_in": self.access_seconds, "token_type": "Bearer"}

    def revoke(self, client: AppClient, token: str) -> None:
        """End a refresh token; one that nobody has is no error.

        Raises:
            PoolError: it is an access token, or of another client.
        """
        if token.count(".") == 2:
            raise PoolError("unsupported_token_type")
        grant = self.refresh_tokens.get(token)
        if grant is not None and grant.client_id != client.client_id:
            raise PoolError("invalid_request")
        self.refresh_tokens.pop(token, None)

    def _can_be_bound(self, resource: str | None) -> bool:
        return resource is None or resource in self.resource_servers

    def _new_refresh_token(self, grant: Grant) -> str:
        token = f"eyJjdHkiOiJKV1QifQ.{secrets.token_urlsafe(1300)}.A.B.C"
        self.refresh_tokens[token] = replace(grant, until=self.now() + REFRESH_SECONDS)
        return token

    def _tokens(self, grant: Grant) -> dict[str, Any]:
        claims: dict[str, Any] = {"username": grant.person.name, "groups": grant.person.groups}
        if grant.resource:
            claims["aud"] = grant.resource
        token = self._signed(grant.client_id, grant.person.subject, grant.scopes, **claims)
        return {"access_token": token, "expires_in": self.access_seconds, "token_type": "Bearer"}

    def _signed(self, client_id: str, subject: str, scopes: tuple[str, ...] | list[str], **claims: Any) -> str:
        now = int(self.now())
        claims |= {"iat": now, "auth_time": now, "exp": now + self.access_seconds}
        return self.issuer.issue(client_id=client_id, sub=subject, scope=" ".join(scopes), **claims)


def s256(verifier: str) -> str:
    """The challenge of a PKCE verifier."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
