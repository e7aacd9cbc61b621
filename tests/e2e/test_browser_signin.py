"""The whole sign-in in a real browser: our pages, its cookies, the policies of our pages, and a pool in between."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.chromium_tab import Tab
from tests.support.oauth_client import APP, Attempt, OAuthClient, parameters_of
from tests.support.page_server import PageServer, page_server
from tests.support.signin_endpoint import ANNA, SigninEndpoint, signin_endpoint

SIGNED_IN = "<!DOCTYPE html><html lang='en'><title>Client</title><h1>Back at the client</h1>"


@pytest.fixture(scope="module")
def signin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SigninEndpoint]:
    """The sign-in function before a pool; nothing answers at `/mcp`."""
    with signin_endpoint(tmp_path_factory.mktemp("signin")) as made:
        yield made


@pytest.fixture
def program() -> Iterator[PageServer]:
    """A client's own server, on the computer of the person."""
    with page_server() as server:
        server.give("/callback", SIGNED_IN)
        yield server


def press(tab: Tab, label: str) -> None:
    """Press a button with the keyboard, and wait for the page that it leads to."""
    tab.move_to(label)
    with tab.loading():
        tab.press("Enter")


def log_in(tab: Tab) -> None:
    """Log in as Anna at the pool's page."""
    for number, text in enumerate((ANNA.name, ANNA.password)):
        tab.evaluate(f"document.querySelectorAll('input:not([type=hidden])')[{number}].focus()")
        tab.type(text)
    press(tab, "Sign in")


def answer(tab: Tab) -> dict[str, str]:
    """The parameters that came back to the client."""
    return dict(parameters_of(tab.evaluate("location.href")))


def tokens(client: OAuthClient, attempt: Attempt, code: str) -> dict[str, object]:
    """What the client gets for its code."""
    redeemed = client.redeem(attempt, code)
    assert redeemed.status_code == 200, redeemed.text
    given: dict[str, object] = redeemed.json()
    return given


@pytest.mark.parametrize("scripts", [True, False], ids=["JavaScript", "no JavaScript"])
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_person_signs_a_program_in_and_the_next_time_needs_no_password(
    tab: Tab, signin: SigninEndpoint, program: PageServer, host: str, scripts: bool
) -> None:
    tab.look(1280, 800, scripts=scripts)
    client = OAuthClient.registered(signin.origin, program.url("/callback", host), name="A program")
    for is_known in (False, True):
        attempt = client.begin()
        tab.open(attempt.url)
        assert f"{host}:{program.port}" in tab.evaluate("document.body.innerText")
        press(tab, "Continue")
        if not is_known:
            log_in(tab)
        found = answer(tab)
        assert (found["state"], found["iss"]) == (attempt.state, signin.origin)
        assert tab.evaluate("document.referrer") == ""
        assert "refresh_token" in tokens(client, attempt, found["code"])
    assert tab.complaints() == []


def test_a_person_who_cancels_is_back_at_the_program(tab: Tab, signin: SigninEndpoint, program: PageServer) -> None:
    attempt = OAuthClient.registered(signin.origin, program.url("/callback")).begin()
    tab.open(attempt.url)
    press(tab, "Cancel")
    assert (answer(tab)["error"], answer(tab)["state"]) == ("access_denied", attempt.state)
    assert tab.complaints() == []


def test_a_person_signs_an_app_in_which_the_last_page_opens(tab: Tab, signin: SigninEndpoint) -> None:
    client = OAuthClient.registered(signin.origin, APP, name="Cursor")
    attempt = client.begin()
    tab.open(attempt.url)
    press(tab, "Continue")
    log_in(tab)
    assert "You are signed in" in tab.evaluate("document.body.innerText")
    found = dict(parameters_of(tab.evaluate("document.getElementById('target').href")))
    assert (found["state"], found["iss"]) == (attempt.state, signin.origin)
    assert "refresh_token" in tokens(client, attempt, found["code"])
    assert tab.complaints() == []


def test_two_tabs_of_one_browser_sign_in_side_by_side(tab: Tab, signin: SigninEndpoint, program: PageServer) -> None:
    client = OAuthClient.registered(signin.origin, program.url("/callback"))
    first, second = client.begin(), client.begin()
    with tab.another() as other:
        for one, attempt in ((tab, first), (other, second)):
            one.open(attempt.url)
        press(tab, "Continue")
        press(other, "Continue")
        for one, attempt in ((other, second), (tab, first)):
            log_in(one)
            assert answer(one)["state"] == attempt.state
            assert "refresh_token" in tokens(client, attempt, answer(one)["code"])
