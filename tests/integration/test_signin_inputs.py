"""What a sign-in is given that is too much, or none of the kind."""

from __future__ import annotations

from urllib.parse import quote, urlencode

import httpx2
import pytest

from tests.integration.conftest import NewBrowser
from tests.support.browser import Browser, Page
from tests.support.fake_cognito import Fault
from tests.support.http_events import http_api_2
from tests.support.oauth_client import (
    ALLOW,
    APP,
    LOOPBACK,
    WEB,
    OAuthClient,
    approve,
    link_to_app,
    log_in,
    parameters_of,
    post,
    register,
)
from tests.support.signin_endpoint import ANNA, SigninEndpoint

EVIL = "https://evil.example/cb"
MEGABYTE = "x" * (1 << 20)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
MARKUP = "\"'><script>alert(1)</script><img src=x onerror=alert(1)><!--${title}{{7*7}}&lt;"


@pytest.mark.parametrize("path", ["/register", "/token", "/revoke", "/authorize/decision"])
@pytest.mark.parametrize("body", [MEGABYTE, f"a={MEGABYTE}", "a=1&" * 200_000, '{"a":' * 100_000, '["' * 300_000])
def test_a_body_of_a_megabyte_is_refused_at_once(signin: SigninEndpoint, path: str, body: str) -> None:
    for media_type in ("application/x-www-form-urlencoded", "application/json", "text/plain"):
        answer = httpx2.post(
            signin.origin + path, content=body.encode(), headers={"Content-Type": media_type}, timeout=5
        )
        assert answer.status_code in (400, 403, 413)


@pytest.mark.parametrize("name", ["client_id", "redirect_uri", "state", "scope", "code_challenge", "resource", "x"])
def test_a_parameter_of_a_megabyte_is_refused(signin: SigninEndpoint, name: str) -> None:
    """The gateway lets nothing through that is this long; the function does not count on it."""
    client = OAuthClient.registered(signin.origin)
    usual = [(key, value) for key, value in parameters_of(client.begin().url) if key != name]
    query = urlencode([*usual, (name, MEGABYTE)])
    assert httpx2.get(f"{signin.origin}/authorize?{query[:20_000]}").status_code == 431
    for path in ("/authorize", "/callback"):
        event = http_api_2("GET", path, rawQueryString=query, headers={"host": "localhost"}, body="")
        answer = signin.functions["signin"](event)
        assert isinstance(answer, dict)
        # A parameter that nobody knows is passed over, and so is a scope.
        assert answer["statusCode"] in ((200, 302, 400) if path == "/authorize" else (400,))
        assert len(str(answer)) < 100_000


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe\x00",
        b"%ff%fe=%00",
        b"grant_type=%ed%a0%80&client_id=%00",
        b"&&&===",
        b"client_id=a;grant_type=b",
        b"\x00" * 100,
    ],
)
def test_bytes_that_are_no_text_break_nothing(signin: SigninEndpoint, body: bytes) -> None:
    for path in ("/register", "/token", "/revoke", "/authorize/decision"):
        assert httpx2.post(signin.origin + path, content=body, headers=FORM).status_code in (400, 401, 403)
    for path in ("/authorize", "/callback"):
        query = quote(body, safe="&=;%")
        assert httpx2.get(f"{signin.origin}{path}?{query}").status_code == 400


LINES = "\r\nSet-Cookie: evil=1\r\n\r\n<script>"


def test_no_field_adds_a_header(signin: SigninEndpoint, browser: Browser) -> None:
    client = OAuthClient.registered(signin.origin, name=f"Name{LINES}")
    attempt = client.begin(state=LINES, scope=LINES)
    page = browser.open(attempt.url)
    end = log_in(browser, browser.press(page, ALLOW), ANNA)
    assert dict(parameters_of(end.url))["state"] == LINES
    for wrong in (
        {"client_id": LINES},
        {"redirect_uri": LOOPBACK + LINES},
        {"response_type": LINES},
        {"resource": LINES},
    ):
        browser.open(client.begin(**wrong).url)
    for query in ({"error": LINES, "state": LINES}, {"code": LINES, "state": LINES}, {"state": LINES}):
        browser.open(f"{signin.origin}/callback?{urlencode(query)}")
    post(f"{signin.origin}/token", {"grant_type": LINES, "client_id": LINES})
    register(signin.origin, LOOPBACK, software_id=LINES, scope=LINES)
    assert [cookie.name for cookie in browser.cookies.kept if cookie.name == "evil"] == []
    assert [one for one in signin.exchanges if one.status >= 500] == []


def test_a_host_that_somebody_sends_is_in_no_answer(signin: SigninEndpoint) -> None:
    for headers in ({"Host": "evil.example"}, {"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}):
        for path in ("/", "/.well-known/oauth-authorization-server", "/authorize"):
            answer = httpx2.get(signin.origin + path, headers=headers)
            assert "evil.example" not in answer.text
            assert "evil.example" not in str(answer.headers)


def elements_of(page: Page) -> list[tuple[str | None, tuple[str, ...]]]:
    """The elements of a page with the names of their attributes, in their order."""
    return [(node.tag, tuple(sorted(node.attributes))) for node in page.tree.css("*")]


@pytest.mark.parametrize("uri", [LOOPBACK, WEB, APP])
def test_markup_in_any_field_is_text(signin: SigninEndpoint, new_browser: NewBrowser, uri: str) -> None:
    seen = []
    for name, state in (("Plain name", "plain"), (MARKUP, MARKUP)):
        browser = new_browser()
        client = OAuthClient.registered(signin.origin, f"{uri}?x={quote(state)}", name=name)
        attempt = client.begin(state=state, scope=state, nonce=state)
        consent = browser.open(attempt.url)
        end = log_in(browser, browser.press(consent, ALLOW), ANNA)
        seen.append([elements_of(page) for page in (consent, end) if page.status])
        assert name[:20] in consent.words
    assert seen[0] == seen[1]


@pytest.mark.parametrize("name", ["client_id", "redirect_uri", "error", "error_description", "code", "state"])
def test_markup_in_what_is_refused_is_not_repeated(signin: SigninEndpoint, browser: Browser, name: str) -> None:
    for path in ("/authorize", "/callback"):
        for value in (MARKUP, f"https://a.example/{MARKUP}", f"{EVIL}?{MARKUP}"):
            page = browser.open(f"{signin.origin}{path}?{urlencode({name: value})}")
            assert page.status == 400
            assert "alert(1)" not in page.text


def test_what_the_pool_says_of_an_error_reaches_neither_the_person_nor_the_client(
    signin: SigninEndpoint, browser: Browser
) -> None:
    signin.cognito.fault = Fault.SIGN_IN_FAILS
    for uri in (LOOPBACK, APP):
        client = OAuthClient.registered(signin.origin, uri)
        page = approve(browser, client.begin(), ANNA)
        assert "required" not in page.words
        assert "required" not in (link_to_app(page) if page.status else page.url)


def test_a_name_cannot_hide_itself_or_turn_the_text_around(signin: SigninEndpoint, browser: Browser) -> None:
    name = "\u202eedualC\u202c\u200b\u0000\u2066 verified by evil"
    page = browser.open(OAuthClient.registered(signin.origin, name=name).begin().url)
    for sign in "\u202e\u202c\u200b\u0000\u2066":
        assert sign not in page.text
    blank = browser.open(OAuthClient.registered(signin.origin, name="\u3164\u200b \u2800").begin().url)
    assert "Unnamed client" in blank.words
    long = browser.open(OAuthClient.registered(signin.origin, name="x" * 5000).begin().url)
    assert "x" * 101 not in long.text
