"""What the pool sends back: to the client, if this is the browser that was sent to the pool."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes, urlencode

import pytest

from docshelf.gateway.messages import HttpResponse
from docshelf.signin.clients import fingerprint
from docshelf.signin.grants import CodeGrant
from docshelf.signin.pkce import s256
from docshelf.signin.sealing import Purpose
from tests.unit.signin.begun import (
    APP,
    ISSUER,
    LOOPBACK,
    VERIFIER,
    WEB,
    Begun,
    asked,
    cookies_of,
    location,
    parameters_of,
    text_of,
)


@pytest.mark.parametrize("redirect_uri", [LOOPBACK, WEB, f"{WEB}?a=%2F+b"])
def test_a_code_of_ours_goes_to_the_client_and_the_cookie_goes(begun: Begun, redirect_uri: str) -> None:
    client_id = begun.registered(redirect_uri)
    sent = begun.decide(begun.consent(redirect_uri, client_id=client_id))
    answer = begun.back(sent)
    address = location(answer)
    assert answer.status == 302
    assert address.startswith(f"{redirect_uri}{'&' if '?' in redirect_uri else '?'}code=")
    told = parameters_of(address)
    assert (told["state"], told["iss"]) == ("the client's state", ISSUER)
    assert "pool-code" not in address
    [cookie] = answer.values("set-cookie")
    assert cookie.startswith(f"{cookies_of(sent).partition('=')[0]}=; Max-Age=0; Path=/; Secure")
    assert answer.values("referrer-policy") == ("no-referrer",)
    grant = CodeGrant.opened(told["code"], begun.sealer)
    assert (grant.code, grant.client, grant.challenge) == ("pool-code", fingerprint(client_id), s256(VERIFIER))


def test_an_app_gets_its_code_by_a_page(begun: Begun) -> None:
    answer = begun.back(begun.decide(begun.consent(APP)))
    assert answer.status == 200
    assert f'href="{APP}?code=' in text_of(answer)
    assert len(answer.values("set-cookie")) == 1


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("access_denied", "access_denied"),
        ("temporarily_unavailable", "temporarily_unavailable"),
        ("invalid_request", "server_error"),
        ("invalid_scope", "server_error"),
        ("<script>", "server_error"),
    ],
)
def test_an_error_of_the_pool_goes_to_the_client_in_our_words(begun: Begun, error: str, told: str) -> None:
    answer = begun.back(begun.decide(begun.consent()), code=None, error=error, error_description="<b>secret</b>")
    parameters = parameters_of(location(answer))
    assert parameters["error"] == told
    assert parameters.keys() == {"error", "error_description", "state", "iss"}
    assert "secret" not in location(answer)
    assert len(answer.values("set-cookie")) == 1


def failed(answer: HttpResponse) -> None:
    assert answer.status == 400
    assert answer.values("location") == answer.values("set-cookie") == ()
    assert "it-help@example.com" in text_of(answer)


def test_another_browser_gets_nothing(begun: Begun) -> None:
    sent, other = begun.decide(begun.consent()), begun.decide(begun.consent())
    for cookie in (None, cookies_of(other), cookies_of(sent)[:-1] + "~", cookies_of(begun.consent())):
        failed(begun.back(sent, cookie=cookie))
    name = cookies_of(sent).partition("=")[0]
    failed(begun.back(sent, cookie=f"{name}={cookies_of(other).partition('=')[2]}"))
    # As a browser without prefixes would let another host of the domain do.
    failed(begun.back(sent, cookie=f"{cookies_of(sent)}; {cookies_of(sent)}"))


@pytest.mark.parametrize("space", ["\u2000", "\u3000", "\xa0", "\x85", "\x1c", "\x0b", "\x0c"])
def test_a_cookie_that_a_neighbour_host_could_set_under_almost_our_name_is_none(begun: Begun, space: str) -> None:
    """Browsers keep the prefix `__Host-` for this host, but not names with a white space of Unicode before it."""
    sent = begun.decide(begun.consent())
    failed(begun.back(sent, cookie=f"{space}{cookies_of(sent)}"))
    assert begun.back(sent, cookie=f"{space}{cookies_of(sent)}; {cookies_of(sent)}").status == 302


def test_two_flows_of_one_browser_do_not_mix(begun: Begun) -> None:
    flows = [begun.decide(begun.consent(uri)) for uri in (LOOPBACK, WEB)]
    jar = "; ".join(map(cookies_of, flows))
    for flow, uri in zip(flows, (LOOPBACK, WEB), strict=True):
        answer = begun.back(flow, cookie=jar)
        assert location(answer).startswith(uri)
        [cookie] = answer.values("set-cookie")
        assert cookie.partition("=")[0] == cookies_of(flow).partition("=")[0]


@pytest.mark.parametrize(
    "query", ["", "code=1", "state=x", "code=1&state=x", "error=access_denied", "code=1&state=a&state=b", "a=&" * 60]
)
def test_without_a_state_of_ours_there_is_a_page(begun: Begun, query: str) -> None:
    failed(begun.callback(asked("GET", "/callback", query)).response)


@pytest.mark.parametrize("code", [None, "", "x" * 1025, "a b", "ä", "a\r\nb"])
def test_without_a_code_that_could_be_one_there_is_a_page(begun: Begun, code: str | None) -> None:
    failed(begun.back(begun.decide(begun.consent()), code=code))


def test_nothing_else_that_was_sealed_passes_for_a_state(begun: Begun) -> None:
    sent = begun.decide(begun.consent())
    data = begun.sealer.unseal(Purpose.STATE, parameters_of(location(sent))["state"])
    for purpose in Purpose:
        answer = begun.back(sent, state=begun.sealer.seal(purpose, data, 600))
        assert (answer.status == 302) == (purpose is Purpose.STATE)


def test_after_ten_minutes_at_the_pool_the_person_is_told_to_start_again(begun: Begun) -> None:
    sent = begun.decide(begun.consent())
    begun.now += 600
    answer = begun.back(sent)
    failed(answer)
    assert "took longer than ten minutes" in text_of(answer)


def test_a_state_is_given_back_byte_for_byte(begun: Begun) -> None:
    encoded = "a+b%20c%26d%3De%00%ff%C3%A9%F0%9F%98%80%0d%0aSet-Cookie:x"
    query = f"{urlencode(begun.parameters(state=None))}&state={encoded}"
    page = begun.authorize(asked("GET", "/authorize", query)).response
    address = location(begun.back(begun.decide(page)))
    [given] = [pair.partition("=")[2] for pair in address.partition("?")[2].split("&") if pair.startswith("state=")]
    assert unquote_to_bytes(given) == unquote_to_bytes(encoded.replace("+", " "))
    assert "\r" not in address


def test_the_longest_request_still_fits_through_the_gateway(begun: Begun) -> None:
    longest = "https://app.example.com/" + "x" * (2000 - len("https://app.example.com/"))
    sent = begun.decide(begun.consent(longest, state="s" * 2000))
    assert len(location(sent)) < 8_000
    answer = begun.back(sent)
    assert len(location(answer)) < 8_000
