"""Codes and refresh tokens become access tokens, for the client that they were given to."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from docshelf.errors import UserPoolRefusedError, UserPoolUnavailableError
from docshelf.gateway.messages import HttpResponse
from docshelf.observability import Metric
from docshelf.signin.answers import Answer
from docshelf.signin.pkce import s256
from docshelf.signin.sealing import Purpose
from docshelf.signin.tokens_endpoint import TokensEndpoint
from tests.support.cognito_pool import AppClient, Grant, Person, Pool
from tests.support.fake_cognito import FakeCognito, Fault, fake_cognito
from tests.support.tokens import TokenIssuer
from tests.unit.signin.begun import (
    DOCUMENT,
    ENVIRONMENT,
    ISSUER,
    LOOPBACK,
    VERIFIER,
    Begun,
    asked,
    location,
    parameters_of,
)
from tests.unit.signin.begun import settings as settings_of

ANNA = Person("anna", "password", ("everything",))
CLIENT = ENVIRONMENT["DOCSHELF_COGNITO_CLIENT_ID"]
SCOPE = f"{ISSUER}/mcp/docs:read"


@dataclass
class Exchange:
    """A sign-in before a pool; `client_id` is that of a registered client."""

    cognito: FakeCognito
    begun: Begun
    client_id: str = ""

    def __post_init__(self) -> None:
        begun = self.begun
        self.client_id = begun.registered()
        self.endpoint = TokensEndpoint(begun.settings, begun.sealer, begun.clients, begun.cognito)

    def code(self, client_id: str | None = None, redirect_uri: str = LOOPBACK) -> str:
        """A code for the client, after somebody has signed in at the pool."""
        sent = self.begun.decide(self.begun.consent(redirect_uri, client_id=client_id or self.client_id))
        asks = parameters_of(location(sent))
        grant = Grant(CLIENT, ANNA, (SCOPE,), asks.get("resource"), f"{ISSUER}/callback", asks["code_challenge"], 0)
        return parameters_of(location(self.begun.back(sent, code=self.cognito.pool.give_code(grant))))["code"]

    def redeem(self, code: str | None = None, **changed: str | None) -> Answer:
        """The answer to a request with a code, for which `headers` have names in capitals."""
        return self.ask(
            {
                "grant_type": "authorization_code",
                "code": code or self.code(),
                "client_id": self.client_id,
                "redirect_uri": LOOPBACK,
                "code_verifier": VERIFIER,
                "resource": f"{ISSUER}/mcp",
                **changed,
            }
        )

    def refresh(self, token: str, **changed: str | None) -> Answer:
        """The answer to a request with a refresh token."""
        return self.ask({"grant_type": "refresh_token", "refresh_token": token, "client_id": self.client_id, **changed})

    def ask(self, form: dict[str, str | None], **headers: str | None) -> Answer:
        """The answer to a form, of which parameters that are None are left out."""
        sent = {name: value for name, value in form.items() if value is not None}
        return self.endpoint(asked("POST", "/token", "", sent, **headers))


@pytest.fixture(scope="module")
def issuer() -> Iterator[TokenIssuer]:
    with TokenIssuer(audience=f"{ISSUER}/mcp", client_id=CLIENT) as made:
        yield made


@pytest.fixture(params=[False, True], ids=["kept", "rotated"])
def exchange(issuer: TokenIssuer, request: pytest.FixtureRequest) -> Iterator[Exchange]:
    pool = Pool(issuer, rotation=request.param)
    pool.clients[CLIENT] = AppClient(CLIENT, None, (SCOPE,), (f"{ISSUER}/callback",))
    pool.resource_servers.add(f"{ISSUER}/mcp")
    with fake_cognito(pool, [ANNA]) as cognito:
        yield Exchange(cognito, Begun(settings_of(cognito_url=cognito.url)))


def body_of(answer: Answer | HttpResponse) -> dict[str, Any]:
    response = answer.response if isinstance(answer, Answer) else answer
    found: dict[str, Any] = json.loads(response.body)
    return found


def refusal(answer: Answer) -> tuple[int, str]:
    """Status and error of an answer in the form of RFC 6749."""
    body = body_of(answer)
    assert body.keys() == {"error", "error_description"}
    assert body["error_description"].isascii()
    assert not {'"', "\\"} & set(body["error_description"])
    assert body["error"] == answer.error
    return answer.response.status, body["error"]


def test_a_code_becomes_an_access_token_and_a_refresh_token_of_ours(exchange: Exchange) -> None:
    answer = exchange.redeem()
    tokens = body_of(answer)
    assert (answer.response.status, answer.counted) == (200, Metric.SIGN_INS)
    assert answer.response.values("cache-control") == ("no-store",)
    assert tokens.pop("access_token").count(".") == 2
    given = tokens.pop("refresh_token")
    assert given not in exchange.cognito.pool.refresh_tokens
    assert tokens == {"token_type": "Bearer", "expires_in": 3600, "scope": "docs:read"}
    [(_, sent)] = [one for one in exchange.cognito.asked if one[0] == "POST /oauth2/token"]
    assert sent["client_id"] == CLIENT
    assert sent.keys() == {"grant_type", "client_id", "code", "code_verifier", "redirect_uri"}


def test_a_code_is_good_once(exchange: Exchange) -> None:
    code = exchange.code()
    assert exchange.redeem(code).response.status == 200
    assert refusal(exchange.redeem(code)) == (400, "invalid_grant")


def test_a_refresh_token_is_wrapped_anew_each_time(exchange: Exchange) -> None:
    first = body_of(exchange.redeem())["refresh_token"]
    answer = exchange.refresh(first)
    second = body_of(answer)["refresh_token"]
    assert (answer.counted, first != second) == (Metric.REFRESHES, True)
    assert exchange.refresh(second, resource=f"{ISSUER}/mcp/", scope="docs:read").response.status == 200
    again = exchange.refresh(first)
    assert (again.response.status == 400) == exchange.cognito.pool.rotation
    assert again.error in (None, "invalid_grant")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"grant_type": None}, (400, "invalid_request")),
        ({"grant_type": "password"}, (400, "unsupported_grant_type")),
        ({"client_id": None}, (400, "invalid_request")),
        ({"client_id": "made up"}, (401, "invalid_client")),
        ({"client_id": "https://unknown.example/client"}, (401, "invalid_client")),
        ({"client_id": DOCUMENT}, (400, "invalid_grant")),
        ({"redirect_uri": None}, (400, "invalid_request")),
        ({"redirect_uri": "http://localhost:58136/callback"}, (400, "invalid_grant")),
        ({"code_verifier": None}, (400, "invalid_grant")),
        ({"code_verifier": VERIFIER[:42]}, (400, "invalid_grant")),
        ({"code_verifier": "x" * 43}, (400, "invalid_grant")),
        ({"code_verifier": "x" * 129}, (400, "invalid_grant")),
        ({"code_verifier": s256(VERIFIER)}, (400, "invalid_grant")),
        ({"resource": "https://other.example/mcp"}, (400, "invalid_target")),
    ],
)
def test_a_request_that_is_not_the_right_one_never_reaches_the_pool(
    exchange: Exchange, changed: dict[str, str | None], expected: tuple[int, str]
) -> None:
    assert refusal(exchange.redeem(**changed)) == expected
    assert exchange.cognito.asked == []


def test_a_code_is_no_refresh_token_and_nothing_else_is_a_code(exchange: Exchange) -> None:
    code = exchange.code()
    token = body_of(exchange.redeem(code))["refresh_token"]
    assert refusal(exchange.refresh(code)) == (400, "invalid_grant")
    assert refusal(exchange.redeem(token)) == (400, "invalid_grant")
    data = exchange.begun.sealer.unseal(Purpose.CODE, code)
    for purpose in set(Purpose) - {Purpose.CODE}:
        assert refusal(exchange.redeem(exchange.begun.sealer.seal(purpose, data, 60))) == (400, "invalid_grant")


def test_codes_and_refresh_tokens_are_their_client_s(exchange: Exchange) -> None:
    other = exchange.begun.registered()
    code = exchange.code()
    assert refusal(exchange.redeem(code, client_id=other)) == (400, "invalid_grant")
    token = body_of(exchange.redeem(code))["refresh_token"]
    assert refusal(exchange.refresh(token, client_id=other)) == (400, "invalid_grant")


def test_codes_and_refresh_tokens_are_for_one_address(exchange: Exchange) -> None:
    code = exchange.code()
    token = body_of(exchange.redeem())["refresh_token"]
    moved = Exchange(
        exchange.cognito, Begun(settings_of(cognito_url=exchange.cognito.url, url="https://new.example/mcp"))
    )
    changed: dict[str, str | None] = {"client_id": exchange.client_id, "resource": None}
    assert refusal(moved.redeem(code, **changed)) == (400, "invalid_grant")
    assert refusal(moved.refresh(token, **changed)) == (400, "invalid_grant")


def test_a_client_whose_registration_is_over_is_told_to_register_again(exchange: Exchange) -> None:
    token = body_of(exchange.redeem())["refresh_token"]
    exchange.begun.now += 3600
    assert refusal(exchange.refresh(token)) == (401, "invalid_client")
    assert refusal(exchange.refresh("made up")) == (401, "invalid_client")


def test_a_client_with_a_document_goes_on_when_its_document_cannot_be_had(exchange: Exchange) -> None:
    exchange.client_id = DOCUMENT
    code = exchange.code()
    exchange.begun.documents.fault = RuntimeError("not looked at")
    token = body_of(exchange.redeem(code))["refresh_token"]
    assert exchange.refresh(token).response.status == 200


def test_a_code_ends_after_five_minutes_and_a_refresh_token_after_a_year_without_use(exchange: Exchange) -> None:
    exchange.client_id = DOCUMENT
    code = exchange.code()
    token = body_of(exchange.redeem())["refresh_token"]
    exchange.begun.now += 300
    assert refusal(exchange.redeem(code)) == (400, "invalid_grant")
    exchange.begun.now += 366 * 24 * 3600
    assert refusal(exchange.refresh(token)) == (400, "invalid_grant")


def basic(name: str) -> str:
    return f"Basic {base64.b64encode(f'{name}:secret'.encode()).decode()}"


def test_a_client_may_name_itself_by_basic_authentication_and_only_itself(exchange: Exchange) -> None:
    token = body_of(exchange.redeem())["refresh_token"]
    form: dict[str, str | None] = {"grant_type": "refresh_token", "refresh_token": token}
    named = form | {"client_id": exchange.client_id, "client_secret": "anything"}
    assert exchange.ask(form, authorization=basic(exchange.client_id)).response.status == 200
    token = body_of(exchange.redeem())["refresh_token"]
    for header in (basic("another"), basic(""), "Basic", "Basic =", "basic w6Q="):
        answer = exchange.ask(named, authorization=header)
        assert refusal(answer) == (401, "invalid_client")
        assert answer.response.values("www-authenticate") == ('Basic realm="docshelf"',)
    named["refresh_token"] = token
    assert exchange.ask(named, authorization="Bearer x").response.status == 200


def test_what_is_no_form_is_an_invalid_request(exchange: Exchange) -> None:
    for content_type in (None, "application/json"):
        assert refusal(exchange.ask({"a": "b"}, content_type=content_type)) == (400, "invalid_request")
    twice = exchange.endpoint(asked("POST", "/token", "", b"grant_type=refresh_token&client_id=a&client_id=a"))
    assert refusal(twice) == (400, "invalid_request")
    assert refusal(exchange.endpoint(asked("POST", "/token", "", b"a" * 65537))) == (413, "invalid_request")


@pytest.mark.parametrize("fault", [Fault.BROKEN, Fault.NO_TOKEN, Fault.NOT_JSON, Fault.PAGE_INSTEAD])
def test_a_pool_that_does_not_answer_is_no_fault_of_the_grant(exchange: Exchange, fault: Fault) -> None:
    code = exchange.code()
    exchange.cognito.fault = fault
    with pytest.raises(UserPoolUnavailableError, match="try again"):
        exchange.redeem(code)


def test_a_pool_that_does_not_know_us_is_a_fault_of_the_settings(exchange: Exchange) -> None:
    code = exchange.code()
    exchange.cognito.pool.clients.clear()
    with pytest.raises(UserPoolRefusedError, match=r"\(invalid_client\): its app client and the settings"):
        exchange.redeem(code)
