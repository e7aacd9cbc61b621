"""Registrations and requests for a sign-in, and what the server does besides."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.support.browser import Browser, Page
from tests.support.oauth_client import (
    APP,
    LOOPBACK,
    REDIRECTS,
    OAuthClient,
    approve,
    error_of,
    register,
)
from tests.support.signin_endpoint import (
    ANNA,
    SigninEndpoint,
    signin_endpoint,
)

# -- registration and authorization ------------------------------------------------------------------------------------


def test_a_registration_says_what_was_registered(signin: SigninEndpoint) -> None:
    answer = register(signin.origin, LOOPBACK, APP, name="Näme", scope="a b", software_id="1", unknown=[1])
    made = answer.json()
    assert (answer.status_code, answer.headers["cache-control"]) == (201, "no-store")
    assert made["redirect_uris"] == [LOOPBACK, APP]
    assert made["client_name"] == "Näme"
    assert made["token_endpoint_auth_method"] == "none"
    assert "client_secret" not in made
    assert abs(made["client_id_issued_at"] - signin.pool.now()) < 60


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": None}, "invalid_redirect_uri"),
        ({"redirect_uris": LOOPBACK}, "invalid_redirect_uri"),
        ({"redirect_uris": [1]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["http://example.com/cb"]}, "invalid_redirect_uri"),
        ({"redirect_uris": [LOOPBACK] * 21}, "invalid_redirect_uri"),
        ({"redirect_uris": [f"{LOOPBACK}/{'x' * 2000}"]}, "invalid_redirect_uri"),
        ({"client_name": 7}, "invalid_client_metadata"),
        ({"grant_types": ["implicit"]}, "invalid_client_metadata"),
        ({"response_types": ["token"]}, "invalid_client_metadata"),
    ],
)
def test_a_registration_that_cannot_be_used_is_refused(
    signin: SigninEndpoint, changes: dict[str, Any], error: str
) -> None:
    assert error_of(register(signin.origin, LOOPBACK, **changes)) == (400, error)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b'{"a":1,"a":2}', b'{"a":"' + b"x" * 70_000 + b'"}'])
def test_a_registration_that_is_no_such_document_is_refused(signin: SigninEndpoint, body: bytes) -> None:
    status, error = error_of(httpx2.post(f"{signin.origin}/register", content=body))
    assert status in (400, 413)
    assert error == "invalid_client_metadata"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": None}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_mode": "fragment"}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"state": "x" * 2001}, "invalid_request"),
        ({"request": "e30"}, "request_not_supported"),
        ({"request_uri": "https://a.example/1"}, "request_uri_not_supported"),
    ],
)
@pytest.mark.parametrize("kind", ["loopback", "app"])
def test_a_fault_of_a_request_goes_back_to_the_client_when_its_address_is_sure(
    signin: SigninEndpoint, browser: Browser, changes: dict[str, str | None], error: str, kind: str
) -> None:
    client = OAuthClient.registered(signin.origin, REDIRECTS[kind])
    attempt = client.begin(**changes)
    # A state that is too long is not repeated.
    answer = client.answer(replace(attempt, state="") if "state" in changes else attempt, browser.open(attempt.url))
    assert answer["error"] == error
    assert answer["error_description"].isascii()


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": None},
        {"client_id": "made-up"},
        {"client_id": "https://127.0.0.1/client.json"},
        {"redirect_uri": None},
        {"redirect_uri": "http://localhost:58135/other"},
        {"redirect_uri": "https://evil.example/callback"},
    ],
)
def test_a_fault_that_makes_the_address_of_a_client_unsure_is_told_to_the_person(
    signin: SigninEndpoint, browser: Browser, changes: dict[str, str | None]
) -> None:
    page = browser.open(OAuthClient.registered(signin.origin).begin(**changes).url)
    assert page.status == 400
    assert page.hops == (page.url,)
    assert "it-help@example.com" in page.words


@pytest.mark.parametrize("slash", ["", "/"])
def test_the_resource_may_end_with_a_slash_or_be_missing(signin: SigninEndpoint, browser: Browser, slash: str) -> None:
    client = OAuthClient.registered(signin.origin)
    for resource in (None, signin.url + slash):
        attempt = client.begin(resource=resource)
        code = client.answer(attempt, approve(browser, attempt, ANNA))["code"]
        assert client.redeem(attempt, code, resource=resource).status_code == 200


# -- the rest of the server --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_every_step_works_with_both_formats_of_events(tmp_path: Path, browser: Browser, version: Any) -> None:
    with signin_endpoint(tmp_path, version=version) as signin:
        for uri in REDIRECTS.values():
            client = OAuthClient.registered(signin.origin, uri)
            token = client.sign_in(browser, ANNA)["refresh_token"]
            assert client.refresh(token).status_code == 200


def test_a_method_that_an_address_does_not_have_is_refused_with_those_it_has(signin: SigninEndpoint) -> None:
    allowed = {
        "/authorize": "GET", "/authorize/decision": "POST", "/callback": "GET", "/token": "POST", "/register": "POST",
        "/revoke": "POST", "/": "GET", "/.well-known/oauth-authorization-server": "GET",
    }  # fmt: skip
    for path, method in allowed.items():
        for other in ("PUT", "DELETE", "PATCH", "GET" if method == "POST" else "POST"):
            answer = httpx2.request(other, signin.origin + path)
            assert (answer.status_code, method in answer.headers["allow"]) == (405, True)


def test_head_is_answered_as_get_without_the_body(signin: SigninEndpoint) -> None:
    for path in ("/", "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp"):
        answer = httpx2.head(signin.origin + path)
        assert (answer.status_code, answer.content) == (200, b"")


def test_pages_of_other_origins_may_use_what_programs_use_and_nothing_that_people_use(signin: SigninEndpoint) -> None:
    origin = {"Origin": "http://localhost:6274"}
    for path in ("/.well-known/oauth-protected-resource/mcp", "/register", "/token", "/revoke"):
        preflight = httpx2.options(signin.origin + path, headers={**origin, "Access-Control-Request-Method": "POST"})
        assert preflight.status_code in (200, 204)
        assert preflight.headers["access-control-allow-origin"] == "*"
        assert httpx2.post(signin.origin + path, headers=origin).headers["access-control-allow-origin"] == "*"
    for path in ("/authorize", "/authorize/decision", "/callback", "/"):
        for method in ("GET", "POST", "OPTIONS"):
            headers = httpx2.request(method, signin.origin + path, headers=origin).headers
            assert not [name for name in headers if name.startswith("access-control")]


def test_a_name_that_is_not_ours_is_refused(signin: SigninEndpoint) -> None:
    for path in ("/", "/.well-known/oauth-authorization-server", "/authorize"):
        assert httpx2.get(signin.origin + path, headers={"Host": "evil.example"}).status_code == 421


def test_a_person_who_opens_the_address_is_told_how_to_connect(signin: SigninEndpoint, browser: Browser) -> None:
    page = browser.open(f"{signin.origin}/")
    assert page.status == 200
    for line in (
        f"claude mcp add --transport http docshelf {signin.url}",
        f"codex mcp add docshelf --url {signin.url}",
    ):
        assert line in page.words
    assert [link for link in page.links if link.startswith("cursor://")]
    assert [link for link in page.links if link.startswith("vscode:")]


def pages_of(signin: SigninEndpoint, browser: Browser) -> dict[str, Page]:
    """One page of each kind."""
    app = OAuthClient.registered(signin.origin, APP)
    return {
        "landing": browser.open(f"{signin.origin}/"),
        "consent": browser.open(app.begin().url),
        "hand-off": approve(browser, app.begin(), ANNA),
        "failure": browser.open(f"{signin.origin}/callback"),
    }


def test_every_page_comes_with_the_headers_that_guard_it(signin: SigninEndpoint, browser: Browser) -> None:
    for page in pages_of(signin, browser).values():
        policy = {
            name: sources
            for name, *sources in (part.split() for part in page.headers["content-security-policy"].split(";"))
        }
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == ["'none'"]
        assert "'unsafe-inline'" not in page.headers["content-security-policy"]
        assert page.headers["x-frame-options"] == "DENY"
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["referrer-policy"] in ("no-referrer", "same-origin")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        if page.url != f"{signin.origin}/":
            assert page.headers["cache-control"] == "no-store"
        outside = page.tree.css("[src], link[href], iframe, object, embed")
        assert [node.attributes for node in outside if "data:" not in str(node.attributes)] == []


def test_the_log_has_a_line_for_each_request_and_nothing_that_is_secret_or_personal(
    signin: SigninEndpoint, browser: Browser
) -> None:
    before = len(signin.log.read_text("utf-8"))
    client = OAuthClient.registered(signin.origin, "https://tell.example/tale", name="Telltale")
    attempt = client.begin(state="telltale-state")
    code = client.answer(attempt, approve(browser, attempt, ANNA))["code"]
    tokens = client.redeem(attempt, code).json()
    client.refresh(tokens["refresh_token"])
    client.revoke(tokens["refresh_token"])
    client.redeem(attempt, "telltale-code")
    browser.open(f"{signin.origin}/telltale?telltale")
    written = signin.log.read_text("utf-8")[before:]
    lines = [json.loads(line) for line in written.splitlines()]
    assert len([line for line in lines if line.get("message") == "request"]) == len(signin.exchanges)
    secrets = [code, attempt.verifier, client.client_id, tokens["access_token"], tokens["refresh_token"], ANNA.name]
    secrets += [ANNA.subject, *signin.pool.codes, *json.loads(signin.sealing_keys)["keys"].values()]
    for secret in [*secrets, "elltale", "tell.example", *signin.asked_of_pool("GET /oauth2/authorize")[0].values()]:
        assert secret not in written or secret in (signin.origin, "code", "S256")
