"""Where answers are sent and where documents are fetched: addresses that are not what they look like."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest

from docshelf.signin.fetch_target import FetchFailedError, FetchRefusedError
from docshelf.signin.public_fetch import PublicFetch
from tests.support.browser import Browser
from tests.support.fake_cognito import Fault
from tests.support.oauth_client import (
    APP,
    LOOPBACK,
    OAuthClient,
    approve,
    error_of,
    link_to_app,
    parameters_of,
    register,
)
from tests.support.signin_endpoint import ANNA, SigninEndpoint, signin_endpoint
from tests.support.site import Site

EVIL = "https://evil.example/cb"

# -- where answers are sent --------------------------------------------------------------------------------------------


NEVER = [
    "javascript:alert(1)",
    "JavaScript://localhost/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://a.example/1",
    "about:blank",
    "ws://localhost/",
    "http://example.com/cb",
    "http://localhost.evil.example/cb",
    "http://localhost@evil.example/cb",
    "http://evil.example@localhost/cb",
    "https://a.example\\@evil.example/cb",
    "http://localhost\\.evil.example/cb",
    "http://localhost:80@evil.example/",
    "http://127.1/cb",
    "http://2130706433/cb",
    "http://0x7f.0.0.1/cb",
    "http://127.0.0.1.nip.io/cb",
    "http://0.0.0.0/cb",
    "http://[::]/cb",
    "http://[::ffff:127.0.0.1]/cb",
    "http://[::1%25eth0]/cb",
    "http://localhost./cb",
    "http://localhost:99999/cb",
    "http://localhost:/cb#",
    "https://*.example.com/cb",
    "https://a.example/cb#fragment",
    "https://a.example/x/../cb",
    "https://a.example/x/%2e%2e/cb",
    "https://a.example/./cb",
    "https://user:pw@a.example/cb",
    "https://a.example./cb",
    "https:///cb",
    "https:a.example/cb",
    "https://",
    "//evil.example/cb",
    "/cb",
    "cb",
    "",
    " https://a.example/cb",
    "https://a.example/cb\r\nSet-Cookie: a=1",
    "https://a.example/c b",
    "https://exämple.com/cb",
    "https://a.example/\x00",
    "https://127.0.0.1.5/cb",
    "https://192.168.0.1/cb",
]


@pytest.mark.parametrize("uri", NEVER)
def test_an_address_that_is_not_what_it_looks_like_is_never_registered(signin: SigninEndpoint, uri: str) -> None:
    assert error_of(register(signin.origin, uri)) == (400, "invalid_redirect_uri")
    assert register(signin.origin, uri, LOOPBACK).json()["redirect_uris"] == [LOOPBACK]


LOOK_ALIKES = {
    "http://localhost/callback": [
        "http://127.0.0.1:58135/callback",
        "http://[::1]:58135/callback",
        "https://localhost/callback",
        "http://localhost:1/callback/",
        "http://localhost:1/Callback",
        "http://localhost:1/callback?x=1",
        "http://localhost:1/callback?",
        "http://localhost:1/callback#",
        "http://localhost:1/callbac%6b",
        "http://localhost:1//callback",
        "http://localhost:1/x/../callback",
        "http://localhost.:1/callback",
        "http://localhost.evil.example/callback",
        "http://localhost:1@evil.example/callback",
        "http://evil.example/callback",
    ],
    "https://a.example/cb": [
        "https://a.example:8443/cb",
        "https://a.example:443/cb",
        "http://a.example/cb",
        "https://A.example/cb",
        "https://a.example.evil.example/cb",
        "https://a.example/cb/",
        "https://a.example/cb?x=1",
        "https://a.example/cb%2f",
        "https://a.example\\@evil.example/cb",
        "https://a.example/cb/../evil",
        "https://evil.example/?https://a.example/cb",
    ],
    APP: [
        f"{APP}/",
        f"{APP}?x=1",
        "cursor://evil/oauth/callback",
        "cursor:evil",
        "vscode://anysphere.cursor-mcp/oauth/callback",
    ],
    "http://[::1]/cb": [
        "http://[::2]:80/cb",
        "http://localhost:80/cb",
        "http://[0:0:0:0:0:0:0:1]:80/cb",
        "http://::1/cb",
    ],
}


@pytest.mark.parametrize(("registered", "asked"), [(one, other) for one, many in LOOK_ALIKES.items() for other in many])
def test_an_answer_is_never_sent_to_an_address_that_only_looks_like_the_one_that_was_registered(
    signin: SigninEndpoint, browser: Browser, registered: str, asked: str
) -> None:
    client = OAuthClient.registered(signin.origin, registered)
    for wrong in ({}, {"response_type": "token"}, {"code_challenge_method": "plain"}):
        page = browser.open(replace(client, redirect_uri=asked).begin(**wrong).url)
        assert page.is_refusal


def test_a_request_with_two_addresses_goes_to_neither(signin: SigninEndpoint, browser: Browser) -> None:
    client = OAuthClient.registered(signin.origin)
    for name, value in (("redirect_uri", EVIL), ("redirect_uri", LOOPBACK), ("client_id", "x"), ("client_id", "")):
        assert browser.open(f"{client.begin().url}&{urlencode({name: value})}").is_refusal
    attempt = client.begin()
    answer = client.answer(attempt, browser.open(f"{attempt.url}&scope=x&scope=y"))
    assert answer["error"] == "invalid_request"


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example/",
        "//evil.example/authorize",
        "/callback?redirect_uri=https://evil.example/&error=access_denied",
        "/callback?iss=https://evil.example&code=1&state=1",
        "/authorize?redirect_uri=https://evil.example/&error=x",
        "/?next=https://evil.example/",
        "/\\evil.example",
        "/.well-known/../../evil.example",
        "/authorize/",
        "/authorize/decision/https://evil.example",
    ],
)
def test_no_link_to_here_leads_elsewhere(signin: SigninEndpoint, path: str) -> None:
    answer = httpx2.get(signin.origin + path)
    assert answer.status_code in (200, 400, 404, 405)
    assert "location" not in answer.headers


@pytest.mark.parametrize(
    "wrong", [{"response_type": "token"}, {"resource": "https://other.example/"}, {"request": "1"}]
)
def test_a_web_site_that_anybody_can_register_is_not_gone_to_before_the_person_has_agreed(
    signin: SigninEndpoint, browser: Browser, wrong: dict[str, str]
) -> None:
    """An open redirector by way of errors (RFC 9700, 4.11.2)."""
    assert browser.open(OAuthClient.registered(signin.origin, EVIL).begin(**wrong).url).is_refusal


@pytest.mark.parametrize("wrong", [{"response_type": "token"}, {"code_challenge_method": "plain"}])
def test_an_app_is_not_opened_by_a_link_before_the_person_has_agreed(
    signin: SigninEndpoint, browser: Browser, wrong: dict[str, str]
) -> None:
    page = browser.open(OAuthClient.registered(signin.origin, APP).begin(**wrong).url)
    assert page.tree.css("script") == []
    assert "script-src" not in page.headers["content-security-policy"]
    assert link_to_app(page).startswith(APP)


def test_every_answer_names_this_server_once_whatever_the_address_says(
    signin: SigninEndpoint, browser: Browser
) -> None:
    """The mix-up attack (RFC 9207): a client must be able to trust `iss`."""
    for uri in (f"{EVIL}?iss=https://evil.example", f"{LOOPBACK}?a=1&iss=x&%69ss=y", f"{APP}?code=1&state=2&error=3"):
        client = OAuthClient.registered(signin.origin, uri)
        for fault in (None, Fault.DENIED):
            signin.cognito.fault = fault
            page = approve(browser, client.begin(), ANNA)
            signin.cognito.fault = None
            url = link_to_app(page) if uri.startswith("cursor") else page.url
            pairs = parameters_of(url)
            names = [name for name, _ in pairs]
            assert [value for name, value in pairs if name == "iss"] == [signin.origin]
            assert names.count("state") == 1
            assert names.count("code") + names.count("error") == 1


# -- documents of clients ----------------------------------------------------------------------------------------------


@contextmanager
def listening() -> Iterator[tuple[int, socket.socket]]:
    """A port of this machine at which something inside would be, and its socket."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server.getsockname()[1], server


def was_contacted(server: socket.socket) -> bool:
    try:
        server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


INSIDE = [
    "https://169.254.169.254/latest/meta-data/",
    "https://127.0.0.1:PORT/client.json",
    "https://localhost:PORT/client.json",
    "https://localhost/client.json",
    "https://[::1]:PORT/client.json",
    "https://10.0.0.1/client.json",
    "https://2130706433/client.json",
    "https://0x7f000001/client.json",
    "https://127.1:PORT/client.json",
    "https://[::ffff:169.254.169.254]/x",
    "https://[fd00:ec2::254]/latest",
    "https://metadata/client.json",
    "http://localhost:PORT/client.json",
    "http://127.0.0.1:PORT/client.json",
    "http://169.254.169.254/latest/meta-data/",
    "https://user@localhost:PORT/client.json",
    "https://claude.ai:PORT/client.json",
    "https://claude.ai/",
    "https://claude.ai",
    "https://claude.ai/x#y",
    "https://claude.ai/../x",
    "file:///etc/passwd",
    "gopher://127.0.0.1:PORT/x",
    "ftp://127.0.0.1:PORT/x",
]


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SigninEndpoint]:
    """The sign-in as it is deployed: documents come from the public internet alone."""
    with signin_endpoint(tmp_path_factory.mktemp("strict")) as made:
        yield made


@pytest.mark.parametrize("client_id", INSIDE)
def test_a_client_id_never_makes_the_server_look_at_something_inside(
    strict: SigninEndpoint, browser: Browser, client_id: str
) -> None:
    with listening() as (port, server):
        client = OAuthClient(strict.origin, client_id.replace("PORT", str(port)), LOOPBACK)
        page = browser.open(client.begin().url)
        assert page.is_refusal
        assert error_of(client.redeem(client.begin(), "code")) == (401, "invalid_client")
        assert not was_contacted(server)


def test_a_name_that_leads_inside_is_not_followed() -> None:
    for address in ("127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1", "::ffff:127.0.0.1", "100.64.0.1"):
        contacted: list[str] = []

        def connect(address: str, port: int, seconds: float, contacted: list[str] = contacted) -> socket.socket:
            contacted.append(address)
            raise OSError

        # One public address among them does not help.
        for found in ([address], ["93.184.215.14", address]):
            fetch = PublicFetch(resolve=lambda host, port, found=found: found, connect=connect)  # type: ignore[misc]
            with pytest.raises(FetchRefusedError):
                fetch("https://rebound.example/client.json")
        assert contacted == []


def test_a_name_that_changes_between_look_up_and_connection_gains_nothing() -> None:
    """DNS rebinding: looked up once, and the connection goes to what was found then."""
    answers = iter([["93.184.215.14"], ["127.0.0.1"], ["127.0.0.1"]])
    contacted: list[str] = []

    def connect(address: str, port: int, seconds: float) -> socket.socket:
        contacted.append(address)
        raise OSError

    fetch = PublicFetch(resolve=lambda host, port: next(answers), connect=connect)
    with pytest.raises(FetchFailedError):
        fetch("https://rebound.example/client.json")
    assert contacted == ["93.184.215.14"]


def test_a_document_that_sends_elsewhere_is_not_followed(signin: SigninEndpoint, browser: Browser, site: Site) -> None:
    client_id = site.describes("/client.json", LOOPBACK)
    for status in (301, 302, 307, 308):
        path = f"/moved-{status}"
        site.pages[path] = (status, [("location", client_id)], "")
        assert browser.open(OAuthClient(signin.origin, site.here + path, LOOPBACK).begin().url).is_refusal
    assert {request.target for request in site.seen} == {f"/moved-{status}" for status in (301, 302, 307, 308)}


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "http://localhost/another.json"},
        {"client_id": None},
        {"client_secret": "s"},
        {"token_endpoint_auth_method": "client_secret_basic"},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"redirect_uris": "http://localhost/callback"},
        {"padding": "x" * 70_000},
    ],
)
def test_a_document_that_is_not_by_the_rules_describes_nobody(
    signin: SigninEndpoint, browser: Browser, site: Site, changes: dict[str, Any]
) -> None:
    client_id = site.describes("/client.json", LOOPBACK, **changes)
    assert browser.open(OAuthClient(signin.origin, client_id, LOOPBACK).begin().url).is_refusal


def test_a_document_is_fetched_once_for_many_requests(signin: SigninEndpoint, browser: Browser, site: Site) -> None:
    """Else anybody could have us send requests to somebody, as many as he sends to us."""
    good = OAuthClient(signin.origin, site.describes("/client.json", LOOPBACK), LOOPBACK)
    site.pages["/missing"] = (404, [], "")
    missing = OAuthClient(signin.origin, f"{site.here}/missing", LOOPBACK)
    for _ in range(4):
        assert browser.open(good.begin().url).status == 200
        assert browser.open(missing.begin().url).status == 400
    assert sorted(request.target for request in site.seen) == ["/client.json", "/missing"]
