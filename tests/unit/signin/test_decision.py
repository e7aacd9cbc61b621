"""The form of the consent page: only from the page that this browser was shown, and then to the user pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from docshelf.gateway.messages import HttpResponse
from docshelf.signin.pkce import s256
from docshelf.signin.sealing import Purpose
from tests.unit.signin.begun import (
    APP,
    ENVIRONMENT,
    ISSUER,
    LOOPBACK,
    WEB,
    Begun,
    asked,
    cookies_of,
    fields_of,
    location,
    parameters_of,
    settings,
    text_of,
)


def test_consent_leads_to_the_pool_with_our_scope_our_proof_and_our_one_callback(begun: Begun) -> None:
    sent = begun.decide(begun.consent())
    address = location(sent)
    asks = parameters_of(address)
    state = begun.sealer.unseal(Purpose.STATE, asks.pop("state"))
    assert sent.status == 303
    assert address.startswith(f"{ENVIRONMENT['DOCSHELF_COGNITO_URL']}/oauth2/authorize?")
    assert asks.pop("code_challenge") == s256(str(state["v"])) != s256("")
    assert asks == {
        "response_type": "code",
        "client_id": ENVIRONMENT["DOCSHELF_COGNITO_CLIENT_ID"],
        "redirect_uri": f"{ISSUER}/callback",
        "scope": f"{ISSUER}/mcp/docs:read",
        "resource": f"{ISSUER}/mcp",
        "code_challenge_method": "S256",
    }
    [cookie] = sent.values("set-cookie")
    assert cookie.startswith(f"__Host-docshelf-flow-{state['f']}={state['b']}; Max-Age=600; ")


def test_without_resource_binding_the_pool_hears_of_no_resource() -> None:
    begun = Begun(settings(resource_binding="0", scope="docshelf/docs:read"))
    asks = parameters_of(location(begun.decide(begun.consent())))
    assert asks["scope"] == "docshelf/docs:read"
    assert "resource" not in asks


@pytest.mark.parametrize("redirect_uri", [LOOPBACK, WEB])
def test_a_refusal_goes_to_the_client(begun: Begun, redirect_uri: str) -> None:
    answer = begun.decide(begun.consent(redirect_uri), "deny")
    assert (answer.status, answer.values("set-cookie")) == (303, ())
    told = parameters_of(location(answer))
    assert told.pop("error_description")
    assert told == {"error": "access_denied", "state": "the client's state", "iss": ISSUER}


def test_a_refusal_is_brought_to_an_app_by_a_page_that_says_so(begun: Begun) -> None:
    text = text_of(begun.decide(begun.consent(APP), "deny"))
    assert f"{APP}?error=access_denied&" in text
    assert "An editor" in text
    assert "You are signed in" not in text


@pytest.mark.parametrize(
    "headers",
    [
        {"cookie": None},
        {"cookie": "__Host-docshelf-consent=" + "x" * 43},
        {"origin": "https://evil.example"},
        {"origin": f"{ISSUER}.evil.example"},
        {"origin": "http://docs.example.com"},
        {"origin": "null", "sec_fetch_site": None},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "none"},
        {"content_type": "text/plain"},
        {"content_type": "application/json"},
        {"content_type": None},
    ],
)
def test_a_form_from_elsewhere_is_refused(begun: Begun, headers: Mapping[str, Any]) -> None:
    refused(begun.decide(begun.consent(), **headers))


@pytest.mark.parametrize(
    "form",
    [
        {"request": ""},
        {"request": "made up"},
        {"csrf": ""},
        {"csrf": "x" * 43},
        {"csrf": "ä" * 43},
        {"decision": ""},
        {"decision": "perhaps"},
    ],
)
def test_a_form_that_was_changed_is_refused(begun: Begun, form: Mapping[str, str]) -> None:
    refused(begun.decide(begun.consent(), form=form))


def refused(answer: HttpResponse) -> None:
    assert answer.status in (400, 403, 413)
    assert answer.values("location") == answer.values("set-cookie") == ()
    assert "it-help@example.com" in text_of(answer)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": None},
        {"sec_fetch_site": None},
        {"origin": None, "sec_fetch_site": None},
        {"origin": "null"},
        {"content_type": "application/x-www-form-urlencoded; charset=UTF-8"},
    ],
)
def test_a_browser_that_says_less_of_itself_may_still_sign_in(begun: Begun, headers: Mapping[str, Any]) -> None:
    assert begun.decide(begun.consent(), **headers).status == 303


def test_an_attacker_s_own_consent_page_is_of_no_use_in_another_browser(begun: Begun) -> None:
    of_attacker, of_victim = begun.consent(), begun.consent()
    refused(begun.decide(of_attacker, cookie=cookies_of(of_victim)))
    refused(begun.decide(of_victim, form={"request": fields_of(of_attacker)["request"]}))
    refused(begun.decide(of_attacker, form={"csrf": fields_of(of_victim)["csrf"]}, cookie=cookies_of(of_victim)))


def test_nothing_else_that_was_sealed_passes_for_a_request(begun: Begun) -> None:
    page = begun.consent()
    data = begun.sealer.unseal(Purpose.REQUEST, fields_of(page)["request"])
    for purpose in Purpose:
        answer = begun.decide(page, form={"request": begun.sealer.seal(purpose, data, 600)})
        assert (answer.status == 303) == (purpose is Purpose.REQUEST)


def test_after_ten_minutes_the_person_is_told_to_start_again(begun: Begun) -> None:
    page = begun.consent()
    begun.now += 599
    assert begun.decide(page).status == 303
    begun.now += 1
    answer = begun.decide(page)
    assert answer.status == 400
    assert "took longer than ten minutes" in text_of(answer)


def test_a_parameter_twice_or_a_form_of_a_megabyte_is_refused(begun: Begun) -> None:
    page = begun.consent()
    cookie = cookies_of(page)
    for body in (b"decision=approve&decision=deny", b"request=" + b"x" * (1 << 20)):
        refused(begun.decision(asked("POST", "/authorize/decision", "", body, cookie=cookie)).response)


def test_the_usual_port_of_an_issuer_is_not_part_of_its_origin() -> None:
    begun = Begun(settings(url="https://Docs.example.com:443/mcp"))
    assert begun.decide(begun.consent()).status == 303
