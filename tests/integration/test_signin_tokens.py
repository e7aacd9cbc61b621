"""What clients ask the token endpoint, and what comes with time."""

from __future__ import annotations

import json
from dataclasses import replace

import httpx2
import pytest

from docshelf.signin.sealing import Purpose
from docshelf.signin.sealing_keys import SealingKeys
from tests.support.browser import Browser
from tests.support.fake_cognito import Fault
from tests.support.oauth_client import (
    ALLOW,
    OAuthClient,
    approve,
    error_of,
    log_in,
)
from tests.support.signin_endpoint import (
    ANNA,
    SigninEndpoint,
)

# -- time --------------------------------------------------------------------------------------------------------------


def test_a_consent_page_that_was_left_open_says_that_it_took_too_long(signin: SigninEndpoint, browser: Browser) -> None:
    page = browser.open(OAuthClient.registered(signin.origin).begin().url)
    late = browser.press(page, ALLOW, request=signin.aged(Purpose.REQUEST, page.value("request")))
    assert (late.status, "took longer" in late.words) == (400, True)
    assert signin.cognito.asked == []


def test_a_login_that_took_too_long_ends_with_a_sentence(signin: SigninEndpoint, browser: Browser) -> None:
    page = browser.press(browser.open(OAuthClient.registered(signin.origin).begin().url), ALLOW)
    state = signin.asked_of_pool("GET /oauth2/authorize")[0]["state"]
    late = browser.open(f"{signin.origin}/callback?code=1&state={signin.aged(Purpose.STATE, state)}", of=page.url)
    assert (late.status, "took longer" in late.words) == (400, True)


def test_a_code_a_refresh_token_and_a_registration_end_with_their_time(
    signin: SigninEndpoint, browser: Browser
) -> None:
    client = OAuthClient.registered(signin.origin)
    attempt = client.begin()
    code = client.answer(attempt, approve(browser, attempt, ANNA))["code"]
    assert error_of(client.redeem(attempt, signin.aged(Purpose.CODE, code))) == (400, "invalid_grant")
    tokens = client.redeem(attempt, code).json()
    old = signin.aged(Purpose.REFRESH, tokens["refresh_token"])
    assert error_of(client.refresh(old)) == (400, "invalid_grant")
    expired = replace(client, client_id=signin.aged(Purpose.CLIENT, client.client_id))
    assert error_of(expired.refresh(tokens["refresh_token"])) == (401, "invalid_client")
    page = browser.open(expired.begin().url)
    assert (page.status, "register again" in page.words) == (400, True)


def test_a_code_that_the_pool_no_longer_knows_is_an_invalid_grant(signin: SigninEndpoint, browser: Browser) -> None:
    client = OAuthClient.registered(signin.origin)
    attempt = client.begin()
    code = client.answer(attempt, approve(browser, attempt, ANNA))["code"]
    signin.pool.codes.clear()
    assert error_of(client.redeem(attempt, code)) == (400, "invalid_grant")


# -- tokens ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("grace", [0, 30])
def test_refresh_tokens_work_where_the_pool_rotates_them(
    signin: SigninEndpoint, browser: Browser, monkeypatch: pytest.MonkeyPatch, grace: int
) -> None:
    monkeypatch.setattr(signin.pool, "rotation", True)
    monkeypatch.setattr(signin.pool, "grace_seconds", grace)
    client = OAuthClient.registered(signin.origin)
    first = client.sign_in(browser, ANNA)["refresh_token"]
    second = client.refresh(first).json()["refresh_token"]
    third = client.refresh(second).json()["refresh_token"]
    assert len({first, second, third}) == 3
    replayed = client.refresh(first)
    assert replayed.status_code == (200 if grace else 400)
    assert client.refresh(third).status_code == 200


@pytest.mark.parametrize("scope", [None, "docs:read", "docs:read offline_access"])
def test_a_refresh_may_ask_for_the_scope_again(signin: SigninEndpoint, browser: Browser, scope: str | None) -> None:
    client = OAuthClient.registered(signin.origin)
    token = client.sign_in(browser, ANNA)["refresh_token"]
    assert client.refresh(token, scope=scope, resource=None).status_code == 200


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"grant_type": None}, (400, "invalid_request")),
        ({"grant_type": "password"}, (400, "unsupported_grant_type")),
        ({"grant_type": "client_credentials"}, (400, "unsupported_grant_type")),
        ({"code": None}, (400, "invalid_request")),
        ({"code": "made-up"}, (400, "invalid_grant")),
        ({"client_id": None}, (400, "invalid_request")),
        ({"client_id": "made-up"}, (401, "invalid_client")),
        ({"client_id": "https://127.0.0.1/client.json"}, (401, "invalid_client")),
        ({"redirect_uri": None}, (400, "invalid_request")),
        ({"redirect_uri": "http://localhost:58136/callback"}, (400, "invalid_grant")),
        ({"code_verifier": None}, (400, "invalid_grant")),
        ({"code_verifier": "v" * 43}, (400, "invalid_grant")),
        ({"code_verifier": "v" * 42}, (400, "invalid_grant")),
        ({"code_verifier": "é" * 43}, (400, "invalid_grant")),
        ({"resource": "https://other.example/mcp"}, (400, "invalid_target")),
    ],
)
def test_a_request_for_tokens_that_is_wrong_is_refused_by_the_words_of_the_standard(
    signin: SigninEndpoint, browser: Browser, changes: dict[str, str | None], refusal: tuple[int, str]
) -> None:
    client = OAuthClient.registered(signin.origin)
    attempt = client.begin()
    code = client.answer(attempt, approve(browser, attempt, ANNA))["code"]
    signin.cognito.asked.clear()
    assert error_of(client.redeem(attempt, code, **changes)) == refusal
    assert signin.cognito.asked == []
    assert client.redeem(attempt, code).status_code == 200


@pytest.mark.parametrize(
    ("body", "media_type", "status"),
    [
        (b'{"grant_type":"authorization_code"}', "application/json", 400),
        (b"grant_type=a&grant_type=b", "application/x-www-form-urlencoded", 400),
        (b"", "application/x-www-form-urlencoded", 400),
        (b"\xff\xfe=\x00", "application/x-www-form-urlencoded", 400),
        (b"x=" + b"y" * 70_000, "application/x-www-form-urlencoded", 413),
    ],
)
def test_a_body_that_is_no_such_form_is_refused(
    signin: SigninEndpoint, body: bytes, media_type: str, status: int
) -> None:
    for path in ("token", "revoke"):
        answer = httpx2.post(f"{signin.origin}/{path}", content=body, headers={"Content-Type": media_type})
        assert error_of(answer)[0] in (status, 401)
        assert error_of(answer)[1] in ("invalid_request", "invalid_client")


@pytest.mark.parametrize("fault", [Fault.BROKEN, Fault.PAGE_INSTEAD, Fault.NOT_JSON, Fault.NO_TOKEN])
def test_a_pool_that_has_a_fault_is_an_error_that_passes_and_names_no_inside(
    signin: SigninEndpoint, browser: Browser, fault: Fault
) -> None:
    client = OAuthClient.registered(signin.origin)
    token = client.sign_in(browser, ANNA)["refresh_token"]
    attempt = client.begin()
    code = client.answer(attempt, approve(browser, attempt, ANNA))["code"]
    signin.cognito.fault = fault
    for answer in (client.redeem(attempt, code), client.refresh(token)):
        status, error = error_of(answer)
        assert status in (502, 503)
        assert error in ("server_error", "temporarily_unavailable")
        assert signin.cognito.url not in answer.text
    signin.cognito.fault = None
    assert client.refresh(token).status_code == 200


def test_a_token_that_nobody_knows_is_given_back_without_a_complaint(signin: SigninEndpoint, browser: Browser) -> None:
    client = OAuthClient.registered(signin.origin)
    tokens = client.sign_in(browser, ANNA)
    for token in ("made-up", tokens["access_token"], signin.aged(Purpose.REFRESH, tokens["refresh_token"])):
        assert client.revoke(token, token_type_hint="access_token").status_code == 200
    assert client.refresh(tokens["refresh_token"]).status_code == 200
    for _ in range(2):
        answer = client.revoke(tokens["refresh_token"], token_type_hint="refresh_token")
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")


def test_a_change_of_keys_signs_nobody_out(signin: SigninEndpoint, browser: Browser) -> None:
    client = OAuthClient.registered(signin.origin)
    token = client.sign_in(browser, ANNA)["refresh_token"]
    attempt = client.begin()
    page = browser.press(browser.open(attempt.url), ALLOW)
    keys = SealingKeys.parse(signin.sealing_keys).rotated()
    with signin.restarted(sealing_keys=keys.text()):
        answer = client.answer(attempt, log_in(browser, page, ANNA))
        assert client.redeem(attempt, answer["code"]).status_code == 200
        token = client.refresh(token).json()["refresh_token"]
    only_new = json.dumps(
        {"current": keys.current, "keys": {keys.current: json.loads(keys.text())["keys"][keys.current]}}
    )
    with signin.restarted(sealing_keys=only_new):
        assert error_of(client.refresh(token)) == (401, "invalid_client")
        assert OAuthClient.registered(signin.origin).refresh(token).status_code == 400
