"""The pages of the sign-in in a real browser, as a person with a keyboard and one without JavaScript meet them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from docshelf.gateway.messages import HttpResponse
from docshelf.signin.pages import consent
from tests.support.chromium_tab import Tab
from tests.support.commands import ROOT
from tests.support.node_clients import NodeClients
from tests.support.page_server import PageServer, page_server
from tests.support.page_views import ACTION, MCP_URL, PAGES, TARGET, consent_view, hostile_pages

ARTEFACTS = ROOT / ".docshelf" / "artefacts" / "pages"
PHONE, DESKTOP, NARROWEST = (390, 844), (1280, 800), (320, 640)
ACTIVE = "document.activeElement"
# The browser says so of any document with such a status.
FAILED_STATUS = "network: Failed to load resource: the server responded with a status of 400 (Bad Request)"


@pytest.fixture(scope="module")
def server() -> Iterator[PageServer]:
    """The pages, each under its name."""
    with page_server() as started:
        yield started


@pytest.fixture
def site(server: PageServer) -> PageServer:
    """The server with the pages alone, and no form sent yet."""
    server.answers.clear()
    server.forms.clear()
    server.answers.update({f"/{name}": page for name, page in PAGES.items()})
    server.give(ACTION, "<!DOCTYPE html><title>Done</title><h1>Done</h1>")
    return server


@pytest.fixture(scope="session")
def axe(node: NodeClients) -> str:
    """The script of the accessibility checks."""
    return (node.directory / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


def violations(tab: Tab, axe: str) -> list[dict[str, Any]]:
    """What the checks of accessibility find wrong, of every rule that they have."""
    tab.evaluate(axe)
    rules = {"target-size": {"enabled": True}, "color-contrast-enhanced": {"enabled": False}}
    found = tab.evaluate(f"axe.run(document, {json.dumps({'rules': rules})}).then(done => done.violations)")
    return [{"rule": one["id"], "nodes": [node["html"] for node in one["nodes"]]} for one in found]


def complaints(tab: Tab) -> list[str]:
    """What the browser complains about, other than the status of the page of an error."""
    return [one for one in tab.complaints() if one != FAILED_STATUS]


def move_to(tab: Tab, label: str) -> None:
    """Move the focus with the keyboard, and check that one sees where it is."""
    tab.move_to(label)
    assert tab.evaluate(f"parseFloat(getComputedStyle({ACTIVE}).outlineWidth)") >= 2
    assert tab.evaluate(f"getComputedStyle({ACTIVE}).outlineStyle") == "solid"


def requested(tab: Tab, least: int = 0) -> list[str]:
    """Where the page has asked the browser to go, after waiting until that are so many addresses."""
    return [one["url"] for one in tab.events("Page.frameRequestedNavigation", least)]


def heard(tab: Tab) -> str:
    """What a screen reader says after a copy, as soon as it does."""
    look = "const look = () => said.textContent ? done(said.textContent) : setTimeout(look, 5)"
    return str(tab.evaluate(f"new Promise(done => {{ {look}; look(); }})"))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_and_quiet_at_any_width_and_in_any_colours(
    tab: Tab, site: PageServer, axe: str, name: str, size: tuple[int, int], dark: bool
) -> None:
    tab.look(*size, dark=dark)
    tab.open(site.url(f"/{name}"))
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    tab.picture(ARTEFACTS / f"{name}-{size[0]}-{'dark' if dark else 'light'}.png")
    assert tab.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert violations(tab, axe) == []
    assert complaints(tab) == []


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_off_in_the_narrowest_window_without_javascript(tab: Tab, site: PageServer, name: str) -> None:
    tab.look(*NARROWEST, scripts=False)
    tab.open(site.url(f"/{name}"))
    assert tab.evaluate("document.documentElement.scrollWidth") <= NARROWEST[0]
    assert tab.evaluate("document.querySelector('h1').innerText.length") > 0
    assert complaints(tab) == []


@pytest.mark.parametrize("scripts", [True, False], ids=["JavaScript", "no JavaScript"])
@pytest.mark.parametrize(("button", "key", "decision"), [("Continue", "Enter", "approve"), ("Cancel", "Space", "deny")])
def test_a_person_decides_with_the_keyboard_alone(
    tab: Tab, site: PageServer, button: str, key: str, decision: str, scripts: bool
) -> None:
    tab.look(*DESKTOP, scripts=scripts)
    tab.open(site.url("/consent-web"))
    move_to(tab, button)
    with tab.loading():
        tab.press(key)
    (form,) = site.forms
    assert form.path == ACTION
    assert form.fields == {"request": "sealed-request", "csrf": "csrf-value", "decision": decision}
    assert form.headers["origin"] == site.url("")
    assert form.headers["sec-fetch-site"] == "same-origin"
    assert complaints(tab) == []


def test_the_enter_key_alone_decides_nothing(tab: Tab, site: PageServer) -> None:
    tab.open(site.url("/consent-web"))
    tab.press("Enter")
    tab.press("Space")
    tab.evaluate("new Promise(requestAnimationFrame).then(() => 1)")
    assert site.forms == []
    assert tab.evaluate("location.pathname") == "/consent-web"


def test_the_form_leads_over_the_user_pool_to_the_client(tab: Tab, site: PageServer) -> None:
    client_page = "<!DOCTYPE html><title>Client</title><h1>Signed in</h1>"
    site.redirect(ACTION, site.url("/oauth2/authorize", "127.0.0.1"))
    site.redirect("/oauth2/authorize", site.url("/callback"))
    with page_server() as client:
        client.give("/cb", client_page)
        site.redirect("/callback", client.url("/cb?code=x", "127.0.0.1"))
        tab.open(site.url("/consent-local-app"))
        move_to(tab, "Continue")
        with tab.loading():
            tab.press("Enter")
        assert tab.evaluate("document.querySelector('h1').innerText") == "Signed in"
        assert tab.evaluate("document.referrer") == ""
    assert complaints(tab) == []


def test_the_form_leads_to_no_address_that_the_page_does_not_name(tab: Tab, site: PageServer) -> None:
    site.redirect(ACTION, f"http://[::1]:{site.port}/elsewhere")
    tab.open(site.url("/consent-web"))
    move_to(tab, "Continue")
    tab.press("Enter")
    tab.events("Log.entryAdded", 1)
    assert "form-action" in " ".join(tab.complaints())
    assert tab.evaluate("location.pathname") == "/consent-web"


def test_no_page_is_shown_inside_another(tab: Tab, site: PageServer) -> None:
    for name in PAGES:
        site.give(
            "/outer", f"<!DOCTYPE html><title>Outer</title><iframe src='{site.url(f'/{name}', '127.0.0.1')}'></iframe>"
        )
        tab.open(site.url("/outer"))
    refused = [one for one in tab.complaints() if "frame-ancestors" in one]
    assert len(refused) >= len(PAGES)


def test_the_hand_off_page_opens_the_app_by_itself_and_by_its_button(tab: Tab, site: PageServer) -> None:
    tab.open(site.url("/hand-off"))
    assert requested(tab, 1) == [TARGET]
    move_to(tab, "Open Cursor")
    tab.press("Enter")
    assert requested(tab, 2) == [TARGET, TARGET]
    assert "you can close this window" in tab.evaluate("document.body.innerText")
    assert complaints(tab) == []


def test_the_hand_off_page_opens_the_app_by_its_button_without_javascript(tab: Tab, site: PageServer) -> None:
    tab.look(*PHONE, scripts=False)
    tab.open(site.url("/hand-off"))
    assert requested(tab) == []
    move_to(tab, "Open Cursor")
    tab.press("Enter")
    assert requested(tab, 1) == [TARGET]


def test_a_line_is_copied_with_the_keyboard_and_a_screen_reader_hears_it(tab: Tab, site: PageServer) -> None:
    tab.allow_clipboard(site.url(""))
    tab.open(site.url("/landing"))
    move_to(tab, "Copy the address")
    tab.press("Enter")
    assert heard(tab) == "Copied."
    assert tab.evaluate("navigator.clipboard.readText()") == MCP_URL
    assert complaints(tab) == []


def test_a_line_that_may_not_be_copied_is_selected(tab: Tab, site: PageServer) -> None:
    tab.open(site.url("/landing"))
    tab.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))")
    move_to(tab, "Copy the address")
    tab.press("Enter")
    assert heard(tab) == "Selected: copy it with the keyboard."
    assert tab.evaluate("getSelection().toString()") == MCP_URL


@pytest.mark.parametrize("scripts", [True, False], ids=["JavaScript", "no JavaScript"])
def test_the_landing_page_has_buttons_to_copy_only_where_they_work(tab: Tab, site: PageServer, scripts: bool) -> None:
    tab.look(*DESKTOP, scripts=scripts)
    tab.open(site.url("/landing"))
    shown = "[...document.querySelectorAll('button')].filter(one => one.offsetWidth > 0).length"
    assert tab.evaluate(shown) == (4 if scripts else 0)
    assert f"claude mcp add --transport http docshelf {MCP_URL}" in tab.evaluate("document.body.innerText")


@pytest.mark.parametrize(
    "text",
    [
        "<script>window.injected = 1</script>",
        '"><img src=/x onerror=window.injected=1>',
        "</style></title><svg onload=window.injected=1>",
        "'\" autofocus onfocus=window.injected=1 x='",
    ],
)
def test_html_in_every_field_is_text_in_the_browser(tab: Tab, site: PageServer, text: str) -> None:
    for name, page in hostile_pages(text).items():
        site.answers[f"/hostile-{name}"] = page
        tab.open(site.url(f"/hostile-{name}"))
        assert tab.evaluate("window.injected === undefined && document.querySelectorAll('img').length === 0")
        assert text in tab.evaluate("document.body.innerText")
    assert complaints(tab) == []


def test_the_style_and_the_complaints_are_real(tab: Tab, site: PageServer) -> None:
    tab.open(site.url("/consent-web"))
    assert tab.evaluate("getComputedStyle(document.querySelector('main')).borderTopLeftRadius") == "18px"
    good = PAGES["consent-web"]
    body = good.body.replace(b"<h1>", b"<h1 style='color: red'><script>x()</script>")
    site.answers["/bad"] = HttpResponse(200, good.headers, body)
    tab.open(site.url("/bad"))
    said = [one for one in complaints(tab) if "Content Security Policy" in one]
    assert ["inline style" in one for one in said] == [True, False]
    assert ["inline script" in one for one in said] == [False, True]


def test_the_host_stands_out_and_is_above_the_fold_on_a_phone(tab: Tab, site: PageServer) -> None:
    tab.look(*PHONE)
    site.answers["/long"] = consent(consent_view(name="W" * 100))
    tab.open(site.url("/long"))
    assert tab.evaluate("document.getElementById('destination').getBoundingClientRect().bottom") < PHONE[1]
    sizes = "[...document.querySelectorAll('main *')].map(one => parseFloat(getComputedStyle(one).fontSize))"
    assert tab.evaluate("parseFloat(getComputedStyle(document.querySelector('.host')).fontSize)") == tab.evaluate(
        f"Math.max(...{sizes})"
    )
