"""Sign-in from a client's first request to its last, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.support.browser import Browser
from tests.support.cognito_pool import Person
from tests.support.commands import EXAMPLES
from tests.support.fake_cognito import Fault
from tests.support.oauth_client import (
    ALLOW,
    APP,
    DENY,
    LOOPBACK,
    REDIRECTS,
    WEB,
    OAuthClient,
    approve,
    error_of,
    log_in,
    post,
)
from tests.support.search_endpoint import indexed
from tests.support.signin_endpoint import (
    ANNA,
    BERT,
    CARL,
    MACHINE_CLIENT,
    MACHINE_SECRET,
    SigninEndpoint,
    signin_endpoint,
)
from tests.support.site import Site

KINDS = (*REDIRECTS, "document")
KEYS = ("delivery/release-guide.md", "finance/annual-report-2025.pdf")
QUESTION = "Which bank provided the loan?"
OPEN_QUESTION = "When is the gauge service released?"
"""Answered by the first of them, which everybody may see."""


@pytest.fixture(scope="module")
def index(moto_url: str) -> dict[str, str]:
    """The variables of an index of two of the examples."""
    return indexed(moto_url, {key: (EXAMPLES / key).read_bytes() for key in KEYS})


@pytest.fixture(scope="module")
def running_shelf(index: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[SigninEndpoint]:
    """Sign-in and search behind one front."""
    with signin_endpoint(tmp_path_factory.mktemp("shelf"), index=index, trust_local_documents="1") as made:
        yield made


@pytest.fixture
def shelf(running_shelf: SigninEndpoint) -> Iterator[SigninEndpoint]:
    running_shelf.reset()
    yield running_shelf
    running_shelf.reset()


def call(shelf: SigninEndpoint, token: str | None, tool: str = "search_documents", **arguments: str) -> httpx2.Response:
    """The answer to a call of a tool of the MCP endpoint."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    headers = {"Accept": "application/json, text/event-stream"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    return httpx2.post(shelf.url, json=body, headers=headers, timeout=40)


def found(shelf: SigninEndpoint, token: str, question: str = QUESTION) -> str:
    """What a search finds with `token`."""
    answer = call(shelf, token, query=question)
    assert answer.status_code == 200, answer.text
    text: str = answer.json()["result"]["content"][0]["text"]
    return text


def client_of(signin: SigninEndpoint, kind: str, site: Site) -> OAuthClient:
    """A new client: with a document at `site`, or registered with an address of that kind."""
    if kind == "document":
        client_id = site.describes("/client.json", "http://localhost/callback")
        return OAuthClient(signin.origin, client_id, LOOPBACK)
    return OAuthClient.registered(signin.origin, REDIRECTS[kind])


# -- everything, with search -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_finds_out_how_to_sign_in_signs_somebody_in_searches_and_refreshes(
    shelf: SigninEndpoint, browser: Browser, site: Site, kind: str
) -> None:
    refused = call(shelf, None, query=QUESTION)
    challenge = refused.headers["x-amzn-remapped-www-authenticate"]
    assert refused.status_code == 401
    assert f'resource_metadata="{shelf.origin}/.well-known/oauth-protected-resource/mcp"' in challenge
    resource = httpx2.get(f"{shelf.origin}/.well-known/oauth-protected-resource/mcp").json()
    server = httpx2.get(f"{resource['authorization_servers'][0]}/.well-known/oauth-authorization-server").json()
    assert (server["issuer"], resource["resource"]) == (shelf.origin, shelf.url)
    client = client_of(shelf, kind, site)
    tokens = client.sign_in(browser, ANNA)
    assert tokens.keys() == {"access_token", "token_type", "expires_in", "refresh_token", "scope"}
    assert (tokens["token_type"], tokens["scope"]) == ("Bearer", "docs:read")
    assert KEYS[1] in found(shelf, tokens["access_token"])
    for _ in range(2):
        tokens = client.refresh(tokens["refresh_token"]).json()
        assert KEYS[1] in found(shelf, tokens["access_token"])
    assert client.revoke(tokens["refresh_token"]).status_code == 200
    assert error_of(client.refresh(tokens["refresh_token"])) == (400, "invalid_grant")


@pytest.mark.parametrize(("person", "sees"), [(ANNA, True), (BERT, False), (CARL, False)])
def test_a_person_finds_what_the_groups_of_the_account_open(
    shelf: SigninEndpoint, browser: Browser, person: Person, sees: bool
) -> None:
    tokens = OAuthClient.registered(shelf.origin).sign_in(browser, person)
    assert (KEYS[1] in found(shelf, tokens["access_token"])) == sees


def test_a_machine_searches_with_a_token_of_its_own(shelf: SigninEndpoint) -> None:
    machine = {"client_id": MACHINE_CLIENT, "client_secret": MACHINE_SECRET, "grant_type": "client_credentials"}
    url = f"{shelf.cognito.url}/oauth2/token"
    token = post(url, machine | {"scope": f"{shelf.url}/docs:read"}).json()["access_token"]
    # It is in no group, so it sees what those without one see; the point is that it is let in.
    assert call(shelf, token, query=QUESTION).status_code == 200
    other = post(url, machine | {"scope": "docs:other"}).json()["access_token"]
    assert call(shelf, other, query=QUESTION).status_code == 403


def test_the_token_of_a_pool_that_cannot_bind_it_is_taken_by_its_client(
    index: dict[str, str], tmp_path: Path, browser: Browser
) -> None:
    with signin_endpoint(tmp_path, index=index, resource_binding=False) as shelf:
        tokens = OAuthClient.registered(shelf.origin).sign_in(browser, BERT)
        assert KEYS[0] in found(shelf, tokens["access_token"], OPEN_QUESTION)
        asked = shelf.asked_of_pool("/oauth2/authorize")[0]
        assert asked["scope"] == "docs:read"
        assert "resource" not in asked


# -- consent -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        (LOOPBACK, "localhost:58135"),
        ("http://127.0.0.1:33418/", "127.0.0.1:33418"),
        (REDIRECTS["IPv6"], "[::1]:8080"),
        (WEB, "claude.ai"),
        (APP, "cursor://anysphere.cursor-mcp"),
    ],
)
def test_a_person_is_shown_who_asks_for_what_and_where_the_answer_goes(
    signin: SigninEndpoint, browser: Browser, uri: str, shown: str
) -> None:
    page = browser.open(OAuthClient.registered(signin.origin, uri, name="Robin's editor").begin().url)
    assert page.status == 200
    assert page.element("h1").text() == "Allow Robin's editor to use Docshelf?"
    assert page.element("#destination").text() == shown
    assert "docs:read" in page.words
    assert signin.cognito.asked == []


def test_a_client_with_a_document_is_shown_with_the_host_that_vouches_for_it(
    signin: SigninEndpoint, browser: Browser, site: Site
) -> None:
    client_id = site.describes("/client.json", "http://localhost/callback")
    page = browser.open(OAuthClient(signin.origin, client_id, LOOPBACK).begin().url)
    assert "Client with a document" in page.words
    assert "localhost" in page.words
    # Any program of this computer could say that it is that client.
    registered = browser.open(OAuthClient.registered(signin.origin).begin().url)
    assert len(page.tree.css(".warning")) > len(registered.tree.css(".warning"))


def test_a_person_whom_the_pool_remembers_is_still_asked_by_us_every_time(
    signin: SigninEndpoint, browser: Browser
) -> None:
    client = OAuthClient.registered(signin.origin)
    client.sign_in(browser, ANNA)
    page = browser.open(client.begin().url)
    assert "Allow Test client to use Docshelf?" in page.words
    browser.press(page, ALLOW)
    assert [asked for asked, _ in signin.cognito.asked].count("POST /login") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_person_who_does_not_want_to_goes_back_to_the_client_without_a_sign_in(
    signin: SigninEndpoint, browser: Browser, site: Site, kind: str
) -> None:
    client = client_of(signin, kind, site)
    attempt = client.begin()
    page = browser.press(browser.open(attempt.url), DENY)
    answer = client.answer(attempt, page)
    assert answer["error"] == "access_denied"
    assert answer["error_description"]
    assert "code" not in answer
    assert "You are signed in" not in page.words
    assert signin.cognito.asked == []


def test_the_pool_is_asked_for_our_scope_with_proof_of_our_own_and_our_one_callback(
    signin: SigninEndpoint, browser: Browser
) -> None:
    client = OAuthClient.registered(signin.origin)
    attempt = client.begin(scope="docs:read phone offline_access", prompt="consent", nonce="1")
    approve(browser, attempt, ANNA)
    asked = signin.asked_of_pool("GET /oauth2/authorize")[0]
    challenge, state = asked.pop("code_challenge"), asked.pop("state")
    assert asked == {
        "client_id": signin.variables["DOCSHELF_COGNITO_CLIENT_ID"],
        "response_type": "code",
        "redirect_uri": f"{signin.origin}/callback",
        "scope": f"{signin.url}/docs:read",
        "resource": signin.url,
        "code_challenge_method": "S256",
    }
    assert challenge not in attempt.url
    assert attempt.state not in state


# -- the callback ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    ["a+b c%20d&e=f#g", "ünï–cödé 鍵", "x" * 2000, '"><script>', "\r\nSet-Cookie: a=1", "0", "a b", "%", "\x00\x7f"],
)
def test_the_state_of_a_client_comes_back_as_it_was(signin: SigninEndpoint, browser: Browser, state: str) -> None:
    client = OAuthClient.registered(signin.origin)
    attempt = client.begin(state=state)
    assert client.answer(attempt, approve(browser, attempt, ANNA)).keys() == {"code"}


def test_a_client_without_a_state_gets_none(signin: SigninEndpoint, browser: Browser) -> None:
    client = OAuthClient.registered(signin.origin)
    page = approve(browser, client.begin(state=None), ANNA)
    assert page.query.keys() == {"code", "iss"}


def test_the_query_of_a_redirect_uri_stays_as_it_was(signin: SigninEndpoint, browser: Browser) -> None:
    for uri in ("https://app.example.com/cb?a=%2f+b&a=2", "myapp:///cb?x", "com.example.app:/cb"):
        client = OAuthClient.registered(signin.origin, uri)
        page = approve(browser, client.begin(), ANNA)
        target = page.url if uri.startswith("https") else next(link for link in page.links if uri[:5] in link)
        assert target.startswith(f"{uri}{'&' if '?' in uri else '?'}code=")


def test_two_sign_ins_in_two_tabs_of_a_browser_both_end_well(signin: SigninEndpoint, browser: Browser) -> None:
    clients = [OAuthClient.registered(signin.origin, uri) for uri in (LOOPBACK, WEB, APP)]
    attempts = [client.begin() for client in clients]
    consents = [browser.open(attempt.url) for attempt in attempts]
    logins = [browser.press(page, ALLOW) for page in consents]
    ends = [log_in(browser, page, ANNA) for page in reversed(logins)]
    for client, attempt, end in zip(clients, attempts, reversed(ends), strict=True):
        assert client.redeem(attempt, client.answer(attempt, end)["code"]).status_code == 200


def test_a_sign_in_leaves_no_cookie_of_its_own_behind(signin: SigninEndpoint, browser: Browser) -> None:
    client = OAuthClient.registered(signin.origin)
    client.sign_in(browser, ANNA)
    ours = [cookie for cookie in browser.cookies.kept if cookie.host == "localhost"]
    assert [cookie.name for cookie in ours] in ([], ["__Host-docshelf-consent"])
    assert browser.cookies.refused == []
    for cookie in ours:
        assert cookie.http_only
        assert cookie.same_site == "lax"
        assert cookie.until is not None
        assert cookie.until <= signin.pool.now() + 600


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("fault", "error"), [(Fault.DENIED, "access_denied"), (Fault.SIGN_IN_FAILS, "access_denied|server_error")]
)
def test_an_error_of_the_pool_becomes_one_of_ours_for_the_client(
    signin: SigninEndpoint, browser: Browser, site: Site, kind: str, fault: Fault, error: str
) -> None:
    client = client_of(signin, kind, site)
    signin.cognito.fault = fault
    attempt = client.begin()
    page = approve(browser, attempt, ANNA)
    answer = client.answer(attempt, page)
    assert answer["error"] in error.split("|")
    assert answer["error_description"].isascii()
    assert not set('"\\<>') & set(answer["error_description"])
    assert "code" not in answer
    assert "You are signed in" not in page.words


def test_a_callback_without_a_sign_in_is_answered_with_a_sentence(signin: SigninEndpoint, browser: Browser) -> None:
    for query in ("", "?code=1", "?state=1", "?code=1&state=1", "?error=access_denied", "?state=1&state=2&code=1"):
        page = browser.open(f"{signin.origin}/callback{query}")
        assert page.status == 400
        assert "it-help@example.com" in page.words
        assert page.hops == (page.url,)
