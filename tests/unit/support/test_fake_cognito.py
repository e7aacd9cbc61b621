"""The stand-in for a Cognito domain, asked as the sign-in function and a browser ask it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2
import pytest

from docshelf.access.keys import KeySource
from docshelf.access.tokens import TokenVerifier
from tests.support.browser import Browser
from tests.support.cognito_pool import AppClient, Person, Pool, s256
from tests.support.fake_cognito import FakeCognito, Fault, fake_cognito
from tests.support.oauth_client import log_in, post
from tests.support.tokens import AUDIENCE, TokenIssuer

CALLBACK, SCOPE = "https://docs.example.com/callback", f"{AUDIENCE}/docs:read"
ANNA = Person("anna", "secret", ("board",))
VERIFIER = "v" * 43
BASIC = {"Authorization": "Basic " + base64.b64encode(b"app:app-secret").decode()}


@pytest.fixture
def cognito() -> Iterator[FakeCognito]:
    with TokenIssuer() as issuer:
        pool = Pool(issuer)
        pool.clients["app"] = AppClient("app", "app-secret", (SCOPE, "openid"), (CALLBACK,))
        pool.clients["machine"] = AppClient("machine", "machine-secret", (SCOPE, "docs:other"))
        pool.resource_servers.add(AUDIENCE)
        with fake_cognito(pool, [ANNA]) as made:
            yield made


@pytest.fixture
def browser() -> Iterator[Browser]:
    made = Browser()
    yield made
    made.close()


def authorize(cognito: FakeCognito, **changes: str) -> str:
    usual = {
        "client_id": "app",
        "redirect_uri": CALLBACK,
        "response_type": "code",
        "scope": SCOPE,
        "state": "s t&",
        "resource": AUDIENCE,
        "code_challenge": s256(VERIFIER),
        "code_challenge_method": "S256",
    }
    return f"{cognito.url}/oauth2/authorize?{urlencode(usual | changes)}"


def code_for(cognito: FakeCognito, browser: Browser, **changes: str) -> str:
    return log_in(browser, browser.open(authorize(cognito, **changes)), ANNA).query["code"]


def redeem(cognito: FakeCognito, given: str, /, **changes: str) -> httpx2.Response:
    form = {"grant_type": "authorization_code", "code": given, "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
    return post(f"{cognito.url}/oauth2/token", form | changes, **BASIC)


def verifier_of(cognito: FakeCognito, client_id: str = "app") -> TokenVerifier:
    issuer = cognito.pool.issuer
    keys = KeySource(issuer.keys_url)
    return TokenVerifier(issuer=issuer.issuer, keys=keys, audience=AUDIENCE, client_ids=[client_id], scope="docs:read")


def refusal(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


def test_a_person_logs_in_and_the_client_gets_tokens_that_the_search_function_takes(
    cognito: FakeCognito, browser: Browser
) -> None:
    page = browser.press(browser.open(authorize(cognito)), "Sign in", username="anna", password="wrong")
    assert "Incorrect username or password." in page.words
    page = log_in(browser, page, ANNA)
    assert page.url.startswith(f"{CALLBACK}?")
    assert page.query["state"] == "s t&"
    tokens = redeem(cognito, page.query["code"]).json()
    assert tokens.keys() == {"access_token", "refresh_token", "expires_in", "token_type"}
    caller = verifier_of(cognito).verify(f"Bearer {tokens['access_token']}")
    assert (caller.subject, caller.groups) == (ANNA.subject, ("board",))


def test_a_person_who_is_logged_in_is_not_asked_again(cognito: FakeCognito, browser: Browser) -> None:
    code_for(cognito, browser)
    assert browser.open(authorize(cognito)).url.startswith(f"{CALLBACK}?code=")


@pytest.mark.parametrize(
    ("changes", "location"),
    [
        ({"client_id": "nobody"}, "/error?error=Client+does+not+exist."),
        ({"redirect_uri": f"{CALLBACK}/"}, "/error?error=redirect_mismatch&client_id=app"),
        ({"redirect_uri": CALLBACK.replace("https", "http")}, "/error?error=redirect_mismatch&client_id=app"),
    ],
)
def test_a_client_or_an_address_that_the_pool_does_not_know_ends_on_its_error_page(
    cognito: FakeCognito, changes: dict[str, str], location: str
) -> None:
    answer = httpx2.get(authorize(cognito, **changes))
    assert (answer.status_code, answer.headers["location"]) == (302, cognito.url + location)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": "id"}, "unauthorized_client"),
        ({"scope": "offline_access"}, "invalid_scope"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
    ],
)
def test_other_faults_of_a_request_go_back_to_the_client(
    cognito: FakeCognito, changes: dict[str, str], error: str
) -> None:
    location = urlsplit(httpx2.get(authorize(cognito, **changes)).headers["location"])
    assert dict(parse_qsl(location.query)) == {"error": error, "state": "s t&"}


def test_a_code_is_good_once_for_five_minutes_and_as_it_was_asked_for(cognito: FakeCognito, browser: Browser) -> None:
    code = code_for(cognito, browser)
    assert redeem(cognito, code).status_code == 200
    assert refusal(redeem(cognito, code)) == (400, "invalid_grant")
    for change in ({"code_verifier": "w" * 43}, {"redirect_uri": f"{CALLBACK}/"}, {"code": "made-up"}):
        assert refusal(redeem(cognito, code_for(cognito, browser), **change)) == (400, "invalid_grant")
    code = code_for(cognito, browser)
    cognito.pool.advance(301)
    assert refusal(redeem(cognito, code)) == (400, "invalid_grant")


def test_a_token_is_bound_only_to_a_resource_server_of_the_pool(cognito: FakeCognito, browser: Browser) -> None:
    other = code_for(cognito, browser, resource="https://other.example/mcp")
    assert refusal(redeem(cognito, other)) == (400, "invalid_grant")


@pytest.mark.parametrize(("rotation", "grace", "left"), [(False, 0, 200), (True, 0, 400), (True, 30, 200)])
def test_refresh_tokens_rotate_as_the_pool_is_set(
    cognito: FakeCognito, browser: Browser, rotation: bool, grace: int, left: int
) -> None:
    cognito.pool.rotation, cognito.pool.grace_seconds = rotation, grace
    first = redeem(cognito, code_for(cognito, browser)).json()["refresh_token"]
    form = {"grant_type": "refresh_token", "refresh_token": first}
    assert ("refresh_token" in post(f"{cognito.url}/oauth2/token", form, **BASIC).json()) == rotation
    assert post(f"{cognito.url}/oauth2/token", form, **BASIC).status_code == left
    cognito.pool.advance(31)
    assert post(f"{cognito.url}/oauth2/token", form, **BASIC).status_code == (400 if rotation else 200)


def test_a_refresh_token_that_was_given_back_is_no_longer_good(cognito: FakeCognito, browser: Browser) -> None:
    tokens = redeem(cognito, code_for(cognito, browser)).json()
    for token, status in ((tokens["refresh_token"], 200), ("unknown", 200), (tokens["access_token"], 400)):
        assert post(f"{cognito.url}/oauth2/revoke", {"token": token}, **BASIC).status_code == status
    form = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    assert refusal(post(f"{cognito.url}/oauth2/token", form, **BASIC)) == (400, "invalid_grant")


def test_a_machine_gets_tokens_of_its_own_and_a_client_for_people_does_not(cognito: FakeCognito) -> None:
    form = {"grant_type": "client_credentials", "scope": SCOPE}
    machine = {"client_id": "machine", "client_secret": "machine-secret"}
    answer = post(f"{cognito.url}/oauth2/token", form | machine).json()
    assert answer.keys() == {"access_token", "expires_in", "token_type"}
    caller = verifier_of(cognito, "machine").verify(f"Bearer {answer['access_token']}")
    assert (caller.subject, caller.groups) == ("machine", ())
    assert refusal(post(f"{cognito.url}/oauth2/token", form, **BASIC)) == (400, "unauthorized_client")
    assert refusal(post(f"{cognito.url}/oauth2/token", form | machine | {"client_secret": "no"})) == (
        400,
        "invalid_client",
    )


def test_the_pool_does_wrong_what_it_is_told_to(cognito: FakeCognito, browser: Browser) -> None:
    code = code_for(cognito, browser)
    for fault, status in ((Fault.BROKEN, 500), (Fault.PAGE_INSTEAD, 200), (Fault.NOT_JSON, 200), (Fault.NO_TOKEN, 200)):
        cognito.fault = fault
        assert redeem(cognito, code).status_code == status
    for fault, error in ((Fault.DENIED, "access_denied"), (Fault.SIGN_IN_FAILS, "invalid_request")):
        cognito.fault = fault
        assert browser.open(authorize(cognito)).query["error"] == error
    cognito.fault = Fault.SLOW
    with pytest.raises(httpx2.ReadTimeout):
        httpx2.post(f"{cognito.url}/oauth2/token", timeout=0.2)
