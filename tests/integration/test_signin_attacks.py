"""Attacks on a sign-in, over HTTP: what one client, one browser or one link can get of another's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import jwt
import pytest

from docshelf.signin.sealing import Purpose
from tests.integration.conftest import NewBrowser
from tests.support.browser import Browser
from tests.support.cognito_pool import s256
from tests.support.oauth_client import (
    ALLOW,
    APP,
    LOOPBACK,
    Attempt,
    OAuthClient,
    approve,
    error_of,
    log_in,
    parameters_of,
    post,
)
from tests.support.signin_endpoint import ANNA, BERT, SigninEndpoint
from tests.support.site import Site

EVIL = "https://evil.example/cb"


def code_of(signin: SigninEndpoint, browser: Browser, client: OAuthClient) -> tuple[Attempt, str]:
    """A sign-in of Anna's, and the code that the client gets."""
    attempt = client.begin()
    return attempt, client.answer(attempt, approve(browser, attempt, ANNA))["code"]


# -- confused deputy, forged forms, frames -----------------------------------------------------------------------------


def test_a_link_of_another_client_gets_nothing_from_a_browser_that_has_allowed_one(
    signin: SigninEndpoint, browser: Browser
) -> None:
    """The confused deputy: the pool remembers the person, so that only our question stands between."""
    OAuthClient.registered(signin.origin).sign_in(browser, ANNA)
    signin.cognito.asked.clear()
    evil = OAuthClient.registered(signin.origin, EVIL, name="Test client")
    page = browser.open(evil.begin().url, of="https://evil.example/lure")
    assert page.status == 200
    assert page.element("#destination").text() == "evil.example"
    assert page.hops == (page.url,)
    assert signin.cognito.asked == []


def test_a_page_of_somebody_else_cannot_press_the_button(
    signin: SigninEndpoint, browser: Browser, new_browser: NewBrowser, site: Site
) -> None:
    evil = OAuthClient.registered(signin.origin, EVIL)
    asked = new_browser().open(evil.begin().url)
    values = {"request": asked.value("request"), "csrf": asked.value("csrf"), "decision": "approve"}
    site.pages["/lure"] = (200, [], "")
    # The victim has a consent page of its own open, and so the cookie.
    browser.open(OAuthClient.registered(signin.origin).begin().url)
    for lure in (f"{site.other}/lure", f"{site.here}/lure"):  # of another site, and of another port of this one
        page = browser.send(browser.open(lure), f"{signin.origin}/authorize/decision", values)
        assert page.is_refusal
        link = browser.open(f"{signin.origin}/authorize/decision?{urlencode(values)}", of=lure)
        assert link.status == 405
    assert signin.cognito.asked == []


@pytest.mark.parametrize("name", ["request", "csrf"])
def test_the_form_of_one_browser_is_not_good_in_another(
    signin: SigninEndpoint, browser: Browser, new_browser: NewBrowser, name: str
) -> None:
    client = OAuthClient.registered(signin.origin)
    mine, other = browser.open(client.begin().url), new_browser().open(client.begin().url)
    assert browser.press(mine, ALLOW, **{name: other.value(name)}).is_refusal
    assert browser.press(mine, ALLOW, request=other.value("request"), csrf=other.value("csrf")).is_refusal
    assert signin.cognito.asked == []


def test_a_form_without_its_cookie_or_its_secret_is_not_good(
    signin: SigninEndpoint, browser: Browser, new_browser: NewBrowser
) -> None:
    page = browser.open(OAuthClient.registered(signin.origin).begin().url)
    assert new_browser().press(page, ALLOW).is_refusal
    for changed in ({"csrf": ""}, {"csrf": "x" * 43}, {"request": ""}, {"request": page.value("request") + "A"}):
        assert browser.press(page, ALLOW, **changed).is_refusal
    assert signin.cognito.asked == []


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none", "Origin": "https://evil.example"},
        {"Origin": "HERE.evil.example"},
    ],
)
def test_a_form_that_says_it_is_from_elsewhere_is_refused_even_with_cookie_and_secret(
    signin: SigninEndpoint, browser: Browser, headers: dict[str, str]
) -> None:
    page = browser.open(OAuthClient.registered(signin.origin).begin().url)
    form = {"request": page.value("request"), "csrf": page.value("csrf"), "decision": "approve"}
    cookies = {"Cookie": browser.cookies.header(page.url, cross_site=False, safe=False)}
    sent = {name: value.replace("HERE", signin.origin) for name, value in headers.items()}
    answer = post(f"{signin.origin}/authorize/decision", form, **cookies, **sent)
    assert answer.status_code in (400, 403)
    assert "location" not in answer.headers
    assert signin.cognito.asked == []


def test_no_page_can_be_put_into_a_frame(signin: SigninEndpoint, browser: Browser) -> None:
    app = OAuthClient.registered(signin.origin, APP)
    for page in (browser.open(app.begin().url), approve(browser, app.begin(), ANNA), browser.open(signin.origin)):
        assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
        assert page.headers["x-frame-options"] == "DENY"


# -- another browser ---------------------------------------------------------------------------------------------------


def test_a_sign_in_that_an_attacker_began_cannot_be_finished_by_a_victim(
    signin: SigninEndpoint, browser: Browser, new_browser: NewBrowser
) -> None:
    """The attacker allows his own client and sends the victim on to the pool, where the victim logs in."""
    attacker, victim = new_browser(), browser
    client = OAuthClient.registered(signin.origin, EVIL)
    at_pool = attacker.press(attacker.open(client.begin().url), ALLOW)
    end = log_in(victim, victim.open(at_pool.url, of="https://evil.example/"), ANNA)
    assert end.status == 400
    assert end.url.startswith(f"{signin.origin}/callback?")
    assert "another browser" in end.words


def test_the_callback_of_an_attacker_signs_no_victim_in(
    signin: SigninEndpoint, browser: Browser, new_browser: NewBrowser
) -> None:
    """The attacker logs in at the pool, keeps the address of our callback, and has the victim open it."""
    attacker, victim = new_browser(), browser
    client = OAuthClient.registered(signin.origin)
    at_pool = attacker.press(attacker.open(client.begin().url), ALLOW)
    state = parameters_of(at_pool.url)
    callback = f"{signin.origin}/callback?{urlencode({'code': 'of-the-attacker', 'state': dict(state)['state']})}"
    # The victim is in the middle of a sign-in of its own.
    victim.press(victim.open(client.begin().url), ALLOW)
    assert victim.open(callback, of="https://evil.example/").is_refusal


def test_a_callback_is_good_once(signin: SigninEndpoint, browser: Browser) -> None:
    client = OAuthClient.registered(signin.origin)
    page = approve(browser, client.begin(), ANNA)
    callback = next(hop for hop in page.hops if hop.startswith(f"{signin.origin}/callback"))
    assert browser.open(callback).is_refusal


def test_a_state_of_one_tab_does_not_pass_with_the_cookie_of_another(signin: SigninEndpoint, browser: Browser) -> None:
    client = OAuthClient.registered(signin.origin)
    first, second = (browser.press(browser.open(client.begin().url), ALLOW) for _ in range(2))
    state = dict(parameters_of(first.url))["state"]
    flows = [cookie for cookie in browser.cookies.kept if "flow" in cookie.name]
    assert len(flows) == 2
    data = signin.sealer().unseal(Purpose.STATE, state)
    mine = next(cookie for cookie in flows if str(data["f"]) in cookie.name)
    other = next(cookie for cookie in flows if cookie is not mine)
    browser.cookies.put(replace(mine, value=other.value))
    assert browser.open(f"{signin.origin}/callback?code=1&state={state}", of=second.url).is_refusal


def test_a_cookie_that_is_there_twice_is_none(signin: SigninEndpoint, browser: Browser) -> None:
    """Who can plant one with another path, from a page of the same host, must not choose which is read."""
    page = browser.press(browser.open(OAuthClient.registered(signin.origin).begin().url), ALLOW)
    state = dict(parameters_of(page.url))["state"]
    flow = next(cookie for cookie in browser.cookies.kept if "flow" in cookie.name)
    browser.cookies.put(replace(flow, path="/callback", value="A" * 43))
    assert browser.open(f"{signin.origin}/callback?code=1&state={state}", of=page.url).is_refusal


# -- codes, tokens and verifiers ---------------------------------------------------------------------------------------


def test_the_code_of_one_client_is_no_good_to_another(signin: SigninEndpoint, browser: Browser) -> None:
    client, evil = OAuthClient.registered(signin.origin), OAuthClient.registered(signin.origin, LOOPBACK)
    attempt, code = code_of(signin, browser, client)
    assert error_of(evil.redeem(attempt, code)) == (400, "invalid_grant")
    assert client.redeem(attempt, code).status_code == 200


def test_a_code_is_good_once(signin: SigninEndpoint, browser: Browser) -> None:
    client = OAuthClient.registered(signin.origin)
    attempt, code = code_of(signin, browser, client)
    assert client.redeem(attempt, code).status_code == 200
    assert error_of(client.redeem(attempt, code)) == (400, "invalid_grant")


def test_a_refresh_token_that_was_rotated_is_no_good_again(
    signin: SigninEndpoint, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signin.pool, "rotation", True)
    client = OAuthClient.registered(signin.origin)
    token = client.sign_in(browser, ANNA)["refresh_token"]
    assert client.refresh(token).status_code == 200
    assert error_of(client.refresh(token)) == (400, "invalid_grant")


def test_the_refresh_token_of_one_client_is_no_good_to_another(signin: SigninEndpoint, browser: Browser) -> None:
    client, evil = OAuthClient.registered(signin.origin), OAuthClient.registered(signin.origin)
    token = client.sign_in(browser, ANNA)["refresh_token"]
    assert error_of(evil.refresh(token)) == (400, "invalid_grant")
    evil.revoke(token)
    assert client.refresh(token).status_code == 200


def test_a_code_with_the_verifier_of_another_sign_in_is_no_good(signin: SigninEndpoint, browser: Browser) -> None:
    """A code that was put into another sign-in of the same client (RFC 9700, 4.5)."""
    client = OAuthClient.registered(signin.origin)
    mine, _ = code_of(signin, browser, client)
    other, code = code_of(signin, browser, client)
    assert error_of(client.redeem(mine, code)) == (400, "invalid_grant")
    for verifier in ("", s256(other.verifier), other.verifier[:-1], f"{other.verifier}A", other.verifier.swapcase()):
        assert error_of(client.redeem(other, code, code_verifier=verifier)) == (400, "invalid_grant")


def test_a_code_of_the_pool_that_is_put_into_another_sign_in_is_no_good(
    signin: SigninEndpoint, browser: Browser, new_browser: NewBrowser
) -> None:
    """The attacker has a code of the pool for an account, and brings it to our callback in the middle of a sign-in."""
    client, other = OAuthClient.registered(signin.origin), new_browser()
    stolen = log_in(other, other.press(other.open(client.begin().url), ALLOW), BERT)
    code = dict(parameters_of(next(hop for hop in stolen.hops if "/callback?code=" in hop)))["code"]
    attempt = client.begin()
    state = dict(parameters_of(browser.press(browser.open(attempt.url), ALLOW).url))["state"]
    query = urlencode({"code": code, "state": state})
    answer = client.answer(attempt, browser.open(f"{signin.origin}/callback?{query}"))
    assert error_of(client.redeem(attempt, answer["code"])) == (400, "invalid_grant")


def test_nothing_sealed_passes_for_something_else(signin: SigninEndpoint, browser: Browser) -> None:
    client = OAuthClient.registered(signin.origin)
    attempt = client.begin()
    consent = browser.open(attempt.url)
    at_pool = browser.press(consent, ALLOW)
    state = dict(parameters_of(at_pool.url))["state"]
    code = client.answer(attempt, log_in(browser, at_pool, ANNA))["code"]
    token = client.redeem(attempt, code).json()["refresh_token"]
    sealed = {"client": client.client_id, "request": consent.value("request"), "state": state, "code": code}
    sealed["refresh"] = token
    for name, value in sealed.items():
        if name != "code":
            assert error_of(client.redeem(attempt, value)) == (400, "invalid_grant")
        if name != "refresh":
            assert error_of(client.refresh(value)) == (400, "invalid_grant")
        if name != "client":
            assert error_of(replace(client, client_id=value).refresh(token)) == (401, "invalid_client")
            assert browser.open(replace(client, client_id=value).begin().url).is_refusal
        if name != "state":
            assert browser.open(f"{signin.origin}/callback?code=1&state={value}").is_refusal
        if name != "request":
            assert browser.press(browser.open(attempt.url), ALLOW, request=value).is_refusal


def test_a_sealed_value_with_one_sign_changed_is_no_good(signin: SigninEndpoint, browser: Browser) -> None:
    client = OAuthClient.registered(signin.origin)
    token = client.sign_in(browser, ANNA)["refresh_token"]
    for place in (0, token.index("."), token.index(".") + 1, len(token) // 2, len(token) - 1):
        changed = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
        assert error_of(client.refresh(changed)) == (400, "invalid_grant")
    for changed in (token[:-4], f"{token}=", f"{token}AAAA", token.replace(".", "..", 1), token.upper()):
        assert error_of(client.refresh(changed)) == (400, "invalid_grant")


def test_a_token_of_one_person_is_never_that_of_another(
    signin: SigninEndpoint, browser: Browser, new_browser: NewBrowser
) -> None:
    client = OAuthClient.registered(signin.origin)
    tokens = {person.subject: client.sign_in(made, person) for person, made in ((ANNA, browser), (BERT, new_browser()))}
    for subject, given in tokens.items():
        refreshed = client.refresh(given["refresh_token"]).json()
        for token in (given["access_token"], refreshed["access_token"]):
            assert subject_of(token) == subject


def subject_of(token: str) -> str:
    claims: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    return str(claims["sub"])


# -- PKCE --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["plain", None, "", "s256", "S512"])
def test_a_sign_in_cannot_be_talked_down_to_a_weaker_proof(
    signin: SigninEndpoint, browser: Browser, method: str | None
) -> None:
    client = OAuthClient.registered(signin.origin)
    attempt = client.begin(code_challenge="v" * 43, code_challenge_method=method)
    assert client.answer(attempt, browser.open(attempt.url))["error"] == "invalid_request"
    attempt = client.begin(code_challenge=None, code_challenge_method=method)
    assert client.answer(attempt, browser.open(attempt.url))["error"] == "invalid_request"
    assert signin.cognito.asked == []


def test_a_verifier_that_is_the_challenge_is_no_good(signin: SigninEndpoint, browser: Browser) -> None:
    client = OAuthClient.registered(signin.origin)
    attempt, code = code_of(signin, browser, client)
    challenge = s256(attempt.verifier)
    assert error_of(client.redeem(attempt, code, code_verifier=challenge)) == (400, "invalid_grant")
    assert error_of(client.redeem(attempt, code, code_verifier=None)) == (400, "invalid_grant")
