"""The pages of the sign-in as documents: nothing gets in, and their headers let nothing else do anything."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.gateway.messages import HttpResponse
from docshelf.signin.pages import ConsentView, consent, failure, hand_off, landing
from docshelf.signin.redirects import RedirectError, RedirectKind
from tests.support.page_views import (
    ACTION,
    APP,
    FAILURE,
    HAND_OFF,
    LANDING,
    LOCAL,
    LOOKALIKE,
    MCP_URL,
    PAGES,
    REFUSAL,
    TARGET,
    WEB,
    consent_view,
    hostile_pages,
)

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onfocus='alert(1)' autofocus='",
    "</title></style><svg onload=alert(1)>",
    "${style}${main}$$",
    "<!--",
    "&lt;b&gt;&amp;",
    "javascript:alert(1)",
)


class Outline(HTMLParser):
    """The tags of a document with their attributes, and its text."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(response.body.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of each tag of that name."""
        return [attributes for name, attributes in self.tags if name == tag]


def shape(response: HttpResponse) -> list[tuple[str, tuple[str, ...]]]:
    """Every tag with the names of its attributes, in order; line breaks inside an address aside."""
    return [(tag, tuple(sorted(attributes))) for tag, attributes in Outline(response).tags if tag != "wbr"]


def policy(response: HttpResponse) -> dict[str, str]:
    """The content security policy by directive."""
    (header,) = response.values("content-security-policy")
    return dict(part.strip().split(" ", 1) for part in header.split(";"))


@pytest.mark.parametrize("text", HOSTILE)
def test_html_in_every_field_adds_no_tag_and_no_attribute(text: str) -> None:
    plain = hostile_pages("plain")
    for name, page in hostile_pages(text).items():
        assert shape(page) == shape(plain[name]), name


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="@"), max_size=60))  # that makes a contact a link
def test_no_text_in_any_field_changes_what_a_page_consists_of(text: str) -> None:
    plain = hostile_pages("plain")
    for name, page in hostile_pages(f"x{text}").items():
        assert shape(page) == shape(plain[name]), name


@pytest.mark.parametrize("page", [*PAGES.values(), *hostile_pages(HOSTILE[2]).values()])
def test_no_page_has_an_inline_handler_a_style_attribute_or_anything_from_elsewhere(page: HttpResponse) -> None:
    for tag, attributes in Outline(page).tags:
        assert not [name for name in attributes if name.startswith("on") or name in {"style", "src", "srcset"}]
        assert tag not in {"iframe", "object", "embed", "base", "img"}
    links = Outline(page).all("link")
    assert [str(link["href"]).partition(",")[0] for link in links] == ["data:image/svg+xml"]


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_every_page_has_the_headers_that_guard_it(page: HttpResponse) -> None:
    assert page.values("content-type") == ("text/html; charset=utf-8",)
    assert page.values("cache-control") == ("no-store",)
    assert page.values("x-frame-options") == ("DENY",)
    assert page.values("x-content-type-options") == ("nosniff",)
    assert page.values("referrer-policy")[0] in {"no-referrer", "same-origin"}
    assert "camera=()" in page.values("permissions-policy")[0]
    rules = policy(page)
    assert rules["default-src"] == "'none'"
    assert rules["frame-ancestors"] == "'none'"
    assert rules["base-uri"] == "'none'"
    assert "unsafe" not in " ".join(rules.values())
    assert "*" not in rules["style-src"] + rules.get("script-src", "") + rules["img-src"]


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
@pytest.mark.parametrize(("tag", "directive"), [("style", "style-src"), ("script", "script-src")])
def test_only_the_style_and_the_script_of_the_page_are_allowed(page: HttpResponse, tag: str, directive: str) -> None:
    inside = re.findall(rf"<{tag}>(.*?)</{tag}>", page.body.decode(), re.DOTALL)
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in inside]
    assert " ".join(hashes) == policy(page).get(directive, "")
    assert len(inside) <= 1


@pytest.mark.parametrize("view", [WEB, LOCAL, APP, LOOKALIKE])
def test_the_consent_page_has_no_script(view: ConsentView) -> None:
    assert "script-src" not in policy(consent(view))
    assert not Outline(consent(view)).all("script")


def test_the_consent_form_carries_what_it_was_given_and_asks_for_a_decision() -> None:
    outline = Outline(consent(WEB))
    assert [(form["method"], form["action"]) for form in outline.all("form")] == [("post", ACTION)]
    fields = [(field["type"], field["name"], field["value"]) for field in outline.all("input")]
    assert fields == [("hidden", "request", "sealed-request"), ("hidden", "csrf", "csrf-value")]
    buttons = [(button["type"], button["name"], button["value"]) for button in outline.all("button")]
    assert buttons == [("submit", "decision", "approve"), ("submit", "decision", "deny")]


@pytest.mark.parametrize(
    ("shown", "allowed"),
    [
        ("claude.ai", "'self' https: http://localhost:* http://127.0.0.1:*"),
        ("127.0.0.1:7", "'self' https: http://localhost:* http://127.0.0.1:*"),
        ("[::1]:8080", "'self' https: http:"),
    ],
)
def test_the_consent_form_may_lead_through_sign_in_to_the_client(shown: str, allowed: str) -> None:
    assert policy(consent(consent_view(shown=shown)))["form-action"] == allowed


def test_only_the_consent_page_has_a_form() -> None:
    for page in (hand_off(HAND_OFF), failure(FAILURE), landing(LANDING)):
        assert policy(page)["form-action"] == "'none'"
        assert not Outline(page).all("form")


def test_the_consent_page_sends_its_origin_with_the_form_and_its_address_nowhere_else() -> None:
    assert consent(WEB).values("referrer-policy") == ("same-origin",)
    assert hand_off(HAND_OFF).values("referrer-policy") == ("no-referrer",)


@pytest.mark.parametrize(
    ("view", "label"),
    [
        (WEB, "Access is given to the website"),
        (LOCAL, "Access is given to an app on this computer"),
        (APP, "Access is given to the app that opens"),
    ],
)
def test_the_consent_page_says_who_receives_access(view: ConsentView, label: str) -> None:
    text = Outline(consent(view)).text
    assert label in text
    assert view.redirect_shown in text


def test_a_name_that_the_client_gave_itself_is_said_to_be_unchecked() -> None:
    assert "Docshelf cannot check it" in Outline(consent(APP)).text
    assert "Published by claude.ai" in Outline(consent(WEB)).text
    assert "cannot check it" not in Outline(consent(WEB)).text


def test_a_local_app_is_not_said_to_be_published_by_whoever_its_name_comes_from() -> None:
    assert "The name comes from claude.ai" in Outline(consent(LOCAL)).text
    assert "Published by" not in Outline(consent(LOCAL)).text


def test_a_local_app_comes_with_a_warning() -> None:
    assert "Any program on this computer could claim to be this app" in Outline(consent(LOCAL)).text
    assert "Any program" not in Outline(consent(WEB)).text


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("", "Allow an app without a name to use"),
        (" \u200b\u202e ", "Allow an app without a name to use"),
        ("Safe\u202eelif\r\n\x00 name", "Allow Safe elif name to use"),
        ("N" * 100, f"Allow {'N' * 59}… to use"),
        ("lone \ud800 surrogate", "Allow lone surrogate to use"),
    ],
)
def test_a_name_cannot_hide_turn_or_push_away_what_follows(name: str, heading: str) -> None:
    assert heading in Outline(consent(consent_view(name=name))).text


def test_the_host_is_always_whole() -> None:
    assert LOOKALIKE.redirect_shown in Outline(consent(LOOKALIKE)).text


def test_a_lone_surrogate_in_any_field_has_no_error() -> None:
    for page in hostile_pages("\udfff").values():
        assert b"<main>" in page.body


def test_the_hand_off_page_has_the_answer_in_its_link_alone() -> None:
    page = hand_off(HAND_OFF)
    (link,) = Outline(page).all("a")
    assert link["href"] == TARGET
    assert page.body.decode().count("a-code") == 1
    assert "When the app has opened, you can close this window." in Outline(page).text


def test_a_refusal_is_told_to_the_person_and_opens_no_app_by_itself() -> None:
    page = hand_off(REFUSAL)
    assert "You are not signed in" in Outline(page).text
    assert str(REFUSAL.refusal) in Outline(page).text
    assert [link["href"] for link in Outline(page).all("a")] == [TARGET]
    assert "script-src" not in policy(page)
    assert not Outline(page).all("script")


@pytest.mark.parametrize(
    "target",
    ["javascript:alert(1)?code=x", "https://evil.example/?code=x", "http://localhost:1/?code=x", "data:text/html,x"],
)
def test_only_an_app_is_opened_from_a_page(target: str) -> None:
    with pytest.raises(RedirectError):
        hand_off(replace(HAND_OFF, target_uri=target))


@pytest.mark.parametrize(
    ("contact", "link"),
    [
        ("it-help@example.com", "mailto:it-help@example.com"),
        ("https://help.example.com/docs", "https://help.example.com/docs"),
        ("the help desk, room 4", None),
        ("javascript:alert(1)", None),
        ("a@example.com?body=x", None),
        (None, None),
    ],
)
def test_a_contact_is_a_link_only_where_it_is_one(contact: str | None, link: str | None) -> None:
    page = failure(replace(FAILURE, contact=contact))
    assert [one["href"] for one in Outline(page).all("a")] == ([link] if link else [])
    assert ("ask" in Outline(page).text.split()) == (contact is not None)


def test_the_failure_page_has_its_status_and_its_sentence() -> None:
    page = failure(replace(FAILURE, status=503))
    assert page.status == 503
    assert FAILURE.sentence in Outline(page).text
    assert FAILURE.heading in Outline(page).text


def test_the_landing_page_has_a_line_or_a_link_for_each_client() -> None:
    outline = Outline(landing(LANDING))
    assert f"claude mcp add --transport http docshelf {MCP_URL}" in outline.text
    assert f"codex mcp add docshelf --url {MCP_URL}" in outline.text
    assert '"mcpServers"' in outline.text
    cursor, vscode = (urlsplit(str(link["href"])) for link in outline.all("a"))
    assert (cursor.scheme, cursor.netloc, cursor.path) == ("cursor", "anysphere.cursor-deeplink", "/mcp/install")
    query = parse_qs(cursor.query)
    assert query["name"] == ["docshelf"]
    assert json.loads(base64.b64decode(query["config"][0])) == {"url": MCP_URL}
    assert (vscode.scheme, vscode.path) == ("vscode", "mcp/install")
    assert json.loads(unquote(vscode.query)) == {"name": "docshelf", "type": "http", "url": MCP_URL}


def test_the_landing_page_says_how_fresh_the_shelf_is_where_that_is_known() -> None:
    text = Outline(landing(LANDING)).text
    assert "12,408 documents" in text
    assert "30 November 2026, 09:05 UTC" in text
    unknown = landing(replace(LANDING, documents=None, last_indexed=None))
    assert "UTC" not in Outline(unknown).text
    assert "1 document\n" in Outline(landing(replace(LANDING, documents=1))).text


def test_the_buttons_to_copy_are_not_there_without_javascript() -> None:
    buttons = Outline(landing(LANDING)).all("button")
    assert len(buttons) == 4
    assert all("hidden" in button for button in buttons)


def test_redirect_kinds_all_have_a_page() -> None:
    for kind in RedirectKind:
        assert consent(consent_view(kind=kind)).status == 200
