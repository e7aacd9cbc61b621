"""The authorization endpoint: who is asked what, and who hears of an error."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from docshelf.signin.client_documents import DocumentUnavailableError
from docshelf.signin.sealing import Purpose
from tests.unit.signin.begun import (
    APP,
    DOCUMENT,
    ISSUER,
    LOOPBACK,
    WEB,
    Begun,
    OneDocument,
    asked,
    cookies_of,
    fields_of,
    location,
    parameters_of,
    settings,
    text_of,
)


def test_a_good_request_is_answered_with_the_consent_page_and_a_cookie(begun: Begun) -> None:
    page = begun.consent()
    [cookie] = page.values("set-cookie")
    assert cookie.startswith("__Host-docshelf-consent=")
    assert cookie.endswith("; Max-Age=600; Path=/; Secure; HttpOnly; SameSite=Lax")
    assert page.values("location") == ()
    text = text_of(page)
    for shown in ("An editor", "localhost:58135", "docs:read", 'action="/authorize/decision"'):
        assert shown in text
    sealed = begun.sealer.unseal(Purpose.REQUEST, fields_of(page)["request"])
    assert sealed["s"] == "the client's state"
    assert "pool" not in json.dumps(sealed)


def test_the_cookie_of_a_browser_stays_the_same_for_all_its_tabs(begun: Begun) -> None:
    first = cookies_of(begun.consent())
    request = asked("GET", "/authorize", begun.parameters(), cookie=f"a=1; {first}")
    assert cookies_of(begun.authorize(request).response) == first
    for odd in ("__Host-docshelf-consent=short", f"{first}; {first}", "__Host-docshelf-consent=" + "ä" * 43):
        request = asked("GET", "/authorize", begun.parameters(), cookie=odd)
        assert cookies_of(begun.authorize(request).response) != first


def test_a_client_with_a_document_is_shown_with_its_host_and_a_warning_if_it_is_local(begun: Begun) -> None:
    local = text_of(begun.consent(client_id=DOCUMENT, redirect_uri=LOOPBACK))
    web = text_of(begun.consent(client_id=DOCUMENT, redirect_uri=WEB))
    assert "Claude Code" in local
    assert 'class="warning"' in local
    assert 'class="warning"' not in web
    assert 'class="warning"' not in text_of(begun.consent())


@pytest.mark.parametrize("redirect_uri", [LOOPBACK, WEB, APP])
@pytest.mark.parametrize(
    "changed",
    [
        {"client_id": None},
        {"client_id": "made up"},
        {"client_id": "https://unknown.example/client"},
        {"client_id": "x" * 9000},
        {"redirect_uri": None},
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": "javascript:alert(1)"},
        {"redirect_uri": "http://localhost.evil.example/callback"},
    ],
)
def test_without_a_sure_client_and_address_the_person_gets_a_page_and_nobody_is_sent_anywhere(
    begun: Begun, redirect_uri: str, changed: dict[str, str | None]
) -> None:
    parameters = {**begun.parameters(redirect_uri), **changed}
    query = {name: value for name, value in parameters.items() if value is not None}
    answer = begun.authorize(asked("GET", "/authorize", query))
    assert answer.response.status == 400
    assert answer.response.values("location") == answer.response.values("set-cookie") == ()
    assert "it-help@example.com" in text_of(answer.response)
    assert answer.error in ("invalid_request", "invalid_client", "invalid_redirect_uri")
    for value in changed.values():
        assert value is None or value not in text_of(answer.response)


@pytest.mark.parametrize("name", ["client_id", "redirect_uri"])
def test_a_client_or_address_that_is_there_twice_is_none(begun: Begun, name: str) -> None:
    parameters = begun.parameters()
    query = urlencode([*parameters.items(), (name, parameters[name])])
    assert begun.authorize(asked("GET", "/authorize", query)).response.status == 400


ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"response_type": None}, "invalid_request"),
    ({"response_type": "token"}, "unsupported_response_type"),
    ({"response_type": "code id_token"}, "unsupported_response_type"),
    ({"response_mode": "fragment"}, "invalid_request"),
    ({"code_challenge": None}, "invalid_request"),
    ({"code_challenge": "x" * 42}, "invalid_request"),
    ({"code_challenge": "x" * 42 + "="}, "invalid_request"),
    ({"code_challenge_method": None}, "invalid_request"),
    ({"code_challenge_method": "plain"}, "invalid_request"),
    ({"code_challenge_method": "s256"}, "invalid_request"),
    ({"resource": f"{ISSUER}/other"}, "invalid_target"),
    ({"resource": f"{ISSUER}/mcp//"}, "invalid_target"),
    ({"request": "eyJ"}, "request_not_supported"),
    ({"request_uri": "urn:x"}, "request_uri_not_supported"),
]


@pytest.mark.parametrize(("changed", "error"), ERRORS)
def test_an_error_of_a_program_on_this_computer_goes_to_it(begun: Begun, changed: dict[str, Any], error: str) -> None:
    answer = begun.authorize(asked("GET", "/authorize", begun.parameters(**changed)))
    assert answer.response.status == 302
    assert location(answer.response).startswith(f"{LOOPBACK}?")
    told = parameters_of(location(answer.response))
    assert told.pop("error_description")
    assert told == {"error": error, "state": "the client's state", "iss": ISSUER}
    assert answer.error == error


@pytest.mark.parametrize(("changed", "error"), ERRORS[:2])
def test_nobody_is_sent_to_a_web_site_that_anybody_may_have_registered(
    begun: Begun, changed: dict[str, Any], error: str
) -> None:
    answer = begun.authorize(asked("GET", "/authorize", begun.parameters(WEB, **changed)))
    assert (answer.response.status, answer.error) == (400, error)
    assert answer.response.values("location") == ()
    trusting = Begun(settings(redirect_hosts="claude.ai"))
    answer = trusting.authorize(asked("GET", "/authorize", trusting.parameters(WEB, **changed)))
    assert location(answer.response).startswith(f"{WEB}?error={error}&")


def test_an_app_hears_of_an_error_when_the_person_says_so(begun: Begun) -> None:
    answer = begun.authorize(asked("GET", "/authorize", begun.parameters(APP, response_type="token")))
    text = text_of(answer.response)
    assert answer.response.status == 200
    assert f'href="{APP}?error=unsupported_response_type&' in text
    assert "You are signed in" not in text


def test_any_parameter_that_is_there_twice_is_refused(begun: Begun) -> None:
    for name in ("state", "scope", "resource", "anything"):
        query = urlencode([*begun.parameters(state="1").items(), (name, "1"), (name, "2")])
        told = parameters_of(location(begun.authorize(asked("GET", "/authorize", query)).response))
        assert told["error"] == "invalid_request"
        assert ("state" in told) == (name != "state")


@pytest.mark.parametrize(
    "changed",
    [
        {"resource": None},
        {"resource": ""},
        {"resource": f"{ISSUER}/mcp/"},
        {"scope": None},
        {"scope": "openid offline_access claudeai"},
        {"prompt": "none", "nonce": "1", "display": "popup", "unknown": "x" * 100},
        {"response_mode": "query"},
        {"state": None},
        {"state": "x" * 2000},
    ],
)
def test_what_is_optional_or_not_for_us_is_no_error(begun: Begun, changed: dict[str, Any]) -> None:
    assert "docs:read" in text_of(begun.consent(**changed))


@pytest.mark.parametrize("state", ["x" * 2001, "\U0001f600" * 600, "\udcff" * 600])
def test_a_state_that_does_not_fit_into_an_address_is_refused(begun: Begun, state: str) -> None:
    query = urlencode(begun.parameters(state=None)) + "&" + urlencode({"state": state}, errors="surrogateescape")
    told = parameters_of(location(begun.authorize(asked("GET", "/authorize", query)).response))
    assert told.keys() == {"error", "error_description", "iss"}


def test_a_document_that_cannot_be_had_just_now_is_no_unknown_client() -> None:
    begun = Begun(documents=OneDocument(DocumentUnavailableError("Try again in a minute.")))
    with pytest.raises(DocumentUnavailableError):
        begun.authorize(asked("GET", "/authorize", begun.parameters(client_id=DOCUMENT)))


def test_web_sites_may_be_limited() -> None:
    begun = Begun(settings(redirect_hosts="vscode.dev"))
    assert begun.authorize(asked("GET", "/authorize", begun.parameters(WEB))).response.status == 400
    assert begun.consent("https://vscode.dev/redirect").status == 200
    assert begun.consent(LOOPBACK).status == 200
