"""The ladder of checks in front of MCP: each answer, and their order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from docshelf.access.caller import Caller
from docshelf.serving.doors import MAX_BODY_BYTES
from tests.support.tokens import TokenIssuer
from tests.unit.serving.made_up import APP, Entrance, entrance, header

METADATA = "https://docs.example.com/.well-known/oauth-protected-resource/mcp"


@pytest.fixture(scope="module")
def made() -> Iterator[Entrance]:
    with entrance(browser_origins=(APP,), hosts=("api.example.com",)) as found:
        yield found


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
@pytest.mark.parametrize("host", ["docs.example.com", "DOCS.example.com:443", "api.example.com"])
@pytest.mark.parametrize("origin", [None, APP])
def test_a_good_request_passes(made: Entrance, path: str, host: str, origin: str | None) -> None:
    admitted = made.doors.admit(made.request(path=path, host=host, origin=origin))
    assert isinstance(admitted, Caller)
    assert admitted.client_id == made.issuer.client_id


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "HEAD"])
@pytest.mark.parametrize(
    "path", ["/", "", "/mcp/x", "//mcp", "/MCP", "/mcp%2f", "/.well-known/oauth-protected-resource", "/healthz/"]
)
def test_an_unknown_path_is_not_found_whoever_asks(made: Entrance, method: str, path: str) -> None:
    response = made.answer(made.request(method, path, host="evil.example", authorization=None))
    assert response.status == 404
    assert header(response, "www-authenticate") is None
    assert method == "HEAD" or json.loads(response.body)["error"] == "not_found"


def test_health_needs_no_token(made: Entrance) -> None:
    response = made.answer(made.request("GET", "/healthz", host="10.0.0.1", authorization=None))
    assert (response.status, json.loads(response.body)) == (200, {"status": "ok"})
    assert made.answer(made.request("HEAD", "/healthz", authorization=None)).body == b""
    assert header(made.answer(made.request("POST", "/healthz")), "allow") == "GET, HEAD"


@pytest.mark.parametrize("host", [None, "", "evil.example", "docs.example.com.evil.example", "docs.example.com, x"])
def test_an_unknown_host_is_refused_before_anything_else(made: Entrance, host: str | None) -> None:
    response = made.answer(made.request("GET", host=host, origin="https://evil.example", authorization=None))
    assert (response.status, json.loads(response.body)["error"]) == (421, "unknown_host")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "", f"{APP}/", f"{APP}:444", f"{APP}, {APP}"])
@pytest.mark.parametrize("method", ["POST", "OPTIONS", "GET"])
def test_an_unknown_origin_is_refused_before_the_token_is_looked_at(made: Entrance, method: str, origin: str) -> None:
    response = made.answer(made.request(method, origin=origin, authorization="Bearer bad"))
    assert (response.status, json.loads(response.body)["error"]) == (403, "unknown_origin")
    assert header(response, "access-control-allow-origin") is None
    assert header(response, "www-authenticate") is None
    assert header(response, "vary") == "Origin"


def test_a_preflight_tells_a_known_page_what_it_may_send(made: Entrance) -> None:
    response = made.answer(made.request("OPTIONS", origin=APP, authorization=None))
    assert (response.status, response.body) == (204, b"")
    assert header(response, "access-control-allow-origin") == APP
    assert header(response, "access-control-allow-methods") == "POST"
    allowed = {name.strip().lower() for name in (header(response, "access-control-allow-headers") or "").split(",")}
    assert allowed == {
        "authorization",
        "content-type",
        "accept",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "mcp-session-id",
        "last-event-id",
    }
    assert header(response, "access-control-max-age") == "7200"
    assert header(response, "vary") == "Origin"


def test_options_of_what_is_no_browser_says_what_is_allowed(made: Entrance) -> None:
    response = made.answer(made.request("OPTIONS", authorization=None))
    assert (response.status, header(response, "allow")) == (204, "POST, OPTIONS")
    assert header(response, "access-control-allow-origin") is None


@pytest.mark.parametrize("method", ["POST", "GET", "HEAD", "DELETE"])
def test_without_a_token_every_method_is_told_where_to_sign_in(made: Entrance, method: str) -> None:
    response = made.answer(made.request(method, authorization=None, origin=APP))
    assert response.status == 401
    assert header(response, "www-authenticate") == f'Bearer resource_metadata="{METADATA}", scope="docs:read"'
    assert header(response, "access-control-expose-headers") == "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version"
    assert (response.body == b"") == (method == "HEAD")


def test_a_bad_token_is_said_to_be_bad_and_not_repeated(made: Entrance) -> None:
    with TokenIssuer() as other:
        token = other.issue()
    response = made.answer(made.request(authorization=f"Bearer {token}"))
    challenge = header(response, "www-authenticate") or ""
    assert response.status == 401
    assert challenge.startswith('Bearer error="invalid_token", error_description="')
    assert challenge.endswith(f'resource_metadata="{METADATA}", scope="docs:read"')
    assert token.encode() not in response.body
    assert json.loads(response.body)["error"] == "invalid_token"


def test_a_token_for_something_else_is_forbidden(made: Entrance) -> None:
    response = made.answer(made.request(authorization=f"Bearer {made.issuer.issue(scope='openid email')}"))
    assert response.status == 403
    assert (
        header(response, "www-authenticate")
        == f'Bearer error="insufficient_scope", scope="docs:read", resource_metadata="{METADATA}"'
    )


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "get", "TRACE", "POST "])
def test_with_a_token_other_methods_are_not_allowed(made: Entrance, method: str) -> None:
    response = made.answer(made.request(method))
    assert (response.status, header(response, "allow")) == (405, "POST")
    assert header(response, "www-authenticate") is None


def test_a_body_may_have_a_mebibyte(made: Entrance) -> None:
    request = made.request()
    assert isinstance(made.doors.admit(replace(request, body=b" " * MAX_BODY_BYTES)), Caller)
    large = replace(request, body=b" " * (MAX_BODY_BYTES + 1))
    assert made.answer(large).status == 413
    assert made.answer(replace(large, headers={"host": "docs.example.com"})).status == 401


def test_keys_that_cannot_be_had_are_no_fault_of_the_token() -> None:
    with entrance() as made:
        request = made.request()
    response = made.answer(request)
    assert (response.status, header(response, "retry-after")) == (503, "60")
    assert header(response, "www-authenticate") is None
    assert json.loads(response.body)["error"] == "keys_unavailable"


def test_every_answer_is_not_stored_and_without_origins_says_nothing_of_browsers() -> None:
    with entrance() as made:
        for request in (made.request("GET", "/x"), made.request("GET"), made.request("OPTIONS"), made.request(host="")):
            response = made.answer(request)
            assert header(response, "cache-control") == "no-store"
            assert header(response, "vary") is None
            assert not any(name.lower().startswith("access-control") for name, _ in response.headers)
            assert not response.body or header(response, "content-type") == "application/json"
        assert made.answer(made.request(origin="https://docs.example.com")).status == 403
