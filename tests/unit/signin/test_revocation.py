"""A client ends its sign-in."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from docshelf.signin.clients import fingerprint
from docshelf.signin.grants import RefreshGrant
from docshelf.signin.revocation import Revocation
from tests.support.api_gateway_server import WireAnswer, WireRequest, http_front
from tests.unit.signin.begun import ISSUER, Begun, asked, settings


@pytest.fixture
def pool() -> Iterator[tuple[Begun, list[bytes]]]:
    """A sign-in, and what its pool was asked to revoke."""
    seen: list[bytes] = []

    def respond(request: WireRequest) -> WireAnswer:
        seen.append(request.body)
        return WireAnswer(200, [], b"")

    with http_front(respond) as url:
        yield Begun(settings(cognito_url=url)), seen


def revoke(begun: Begun, form: dict[str, str] | bytes) -> tuple[int, str | None]:
    response = Revocation(begun.settings, begun.sealer, begun.cognito)(asked("POST", "/revoke", "", form)).response
    return response.status, json.loads(response.body)["error"] if response.body else None


def test_a_refresh_token_is_ended_at_the_pool(pool: tuple[Begun, list[bytes]]) -> None:
    begun, seen = pool
    token = RefreshGrant(fingerprint("client"), f"{ISSUER}/mcp", "pool-token").sealed(begun.sealer)
    assert revoke(begun, {"token": token, "client_id": "other"}) == (400, "invalid_grant")
    assert seen == []
    assert revoke(begun, {"token": token, "client_id": "client", "token_type_hint": "access_token"}) == (200, None)
    assert [b"token=pool-token&" in body for body in seen] == [True]


def test_a_token_for_an_address_that_was_given_up_is_ended_too(pool: tuple[Begun, list[bytes]]) -> None:
    begun, seen = pool
    token = RefreshGrant(fingerprint("client"), "https://old.example/mcp", "pool-token").sealed(begun.sealer)
    assert revoke(begun, {"token": token, "client_id": "client"}) == (200, None)
    assert len(seen) == 1


@pytest.mark.parametrize("token", ["unknown", "eyJ.eyJ.x", "x" * 60_000])
def test_a_token_that_is_not_known_is_no_error(pool: tuple[Begun, list[bytes]], token: str) -> None:
    begun, seen = pool
    assert revoke(begun, {"token": token, "client_id": "client"}) == (200, None)
    assert seen == []


@pytest.mark.parametrize("form", [{}, {"token": "x"}, {"client_id": "x"}, b"token=a&token=b&client_id=x"])
def test_a_request_that_says_too_little_is_invalid(
    pool: tuple[Begun, list[bytes]], form: dict[str, str] | bytes
) -> None:
    assert revoke(pool[0], form) == (400, "invalid_request")
