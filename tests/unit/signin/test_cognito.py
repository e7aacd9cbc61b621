"""Requests to the pool: as it wants them, and bounded."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from docshelf.errors import OAuthError, UserPoolRefusedError, UserPoolUnavailableError
from docshelf.signin.cognito import Cognito
from tests.support.api_gateway_server import WireAnswer, WireRequest, http_front
from tests.unit.signin.begun import ENVIRONMENT, settings

CLIENT = ENVIRONMENT["DOCSHELF_COGNITO_CLIENT_ID"]


@contextmanager
def pool(answer: Callable[[], WireAnswer], **changed: str) -> Iterator[tuple[Cognito, list[WireRequest]]]:
    """The client of a pool that gives one answer, and what it was asked."""
    seen: list[WireRequest] = []

    def respond(request: WireRequest) -> WireAnswer:
        seen.append(request)
        return answer()

    with http_front(respond) as url:
        yield Cognito(settings(cognito_url=url, **changed), seconds=5), seen


def answering(status: int, value: object) -> Callable[[], WireAnswer]:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return lambda: WireAnswer(status, [("content-type", "application/json")], body)


def test_a_client_with_a_secret_shows_it_in_a_header_alone() -> None:
    with pool(answering(200, {"access_token": "a"}), cognito_client_secret="s+/=") as (cognito, seen):
        cognito.refresh("r")
    [request] = seen
    scheme, encoded = request.values("authorization")[0].split(" ")
    assert (scheme, base64.b64decode(encoded)) == ("Basic", f"{CLIENT}:s+/=".encode())
    assert b"s%2B" not in request.body
    assert f"client_id={CLIENT}".encode() in request.body


def test_a_client_without_a_secret_shows_none() -> None:
    with pool(answering(200, {"access_token": "a"})) as (cognito, seen):
        cognito.refresh("r")
    assert seen[0].values("authorization") == []
    assert seen[0].target == "/oauth2/token"


@pytest.mark.parametrize(
    ("value", "seconds", "refresh_token"),
    [
        ({"access_token": "a", "expires_in": 60, "refresh_token": "r", "id_token": "i"}, 60, "r"),
        ({"access_token": "a", "expires_in": "60", "refresh_token": ""}, None, None),
        ({"access_token": "a", "expires_in": True, "refresh_token": 1}, None, None),
    ],
)
def test_tokens_are_taken_as_far_as_they_are_what_they_must_be(
    value: object, seconds: int | None, refresh_token: str | None
) -> None:
    with pool(answering(200, value)) as (cognito, _):
        issued = cognito.redeem("c", "v")
    assert (issued.access_token, issued.seconds, issued.refresh_token) == ("a", seconds, refresh_token)
    assert "'a'" not in repr(issued)


@pytest.mark.parametrize(
    ("status", "value"),
    [
        (500, {"error": "invalid_grant"}),
        (503, b""),
        (429, {"error": "invalid_grant"}),
        (200, {}),
        (200, []),
        (200, b"<html>"),
        (200, b"x" * 70_000),
        (200, {"access_token": ""}),
        (200, {"access_token": ["a"]}),
    ],
)
def test_no_tokens_means_to_try_again(status: int, value: object) -> None:
    with pool(answering(status, value)) as (cognito, _), pytest.raises(UserPoolUnavailableError, match="try again"):
        cognito.redeem("c", "v")


def test_an_invalid_grant_is_the_client_s() -> None:
    with pool(answering(400, {"error": "invalid_grant"})) as (cognito, _), pytest.raises(OAuthError) as refused:
        cognito.refresh("r")
    assert (refused.value.error, refused.value.status) == ("invalid_grant", 400)


@pytest.mark.parametrize(
    ("status", "value", "said"),
    [
        (400, {"error": "invalid_client"}, "invalid_client"),
        (400, {"error": "unauthorized_client"}, "unauthorized_client"),
        (400, {"error": "<b>Secret</b>"}, "no code"),
        (403, b"Forbidden", "no code"),
        (302, b"", "no code"),
    ],
)
def test_everything_else_is_the_settings(status: int, value: object, said: str) -> None:
    with pool(answering(status, value)) as (cognito, _):
        for ask in (lambda: cognito.redeem("c", "v"), lambda: cognito.revoke("r")):
            with pytest.raises(UserPoolRefusedError, match=rf"\({said}\)"):
                ask()


def test_a_pool_that_is_not_there_or_never_answers_is_given_up() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(UserPoolUnavailableError, match="ConnectionRefusedError"):
            Cognito(settings(cognito_url=url)).refresh("r")
        closed.listen()
        with pytest.raises(UserPoolUnavailableError, match="TimeoutError"):
            Cognito(settings(cognito_url=url), seconds=0.1).refresh("r")


@pytest.mark.parametrize(("status", "value"), [(200, b""), (400, {"error": "invalid_grant"})])
def test_a_token_that_is_gone_already_is_revoked(status: int, value: object) -> None:
    with pool(answering(status, value)) as (cognito, seen):
        cognito.revoke("r")
    assert seen[0].target == "/oauth2/revoke"
    assert seen[0].body == f"token=r&client_id={CLIENT}".encode()
