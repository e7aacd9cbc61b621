"""The pages of the sign-in, filled with what real clients send and with what an attacker would."""

from __future__ import annotations

from datetime import UTC, datetime

from docshelf.gateway.messages import HttpResponse
from docshelf.signin.pages import (
    ConsentView,
    FailureView,
    HandOffView,
    LandingView,
    consent,
    failure,
    hand_off,
    landing,
)
from docshelf.signin.redirects import RedirectKind

SCOPES = (("docs:read", "Search and read the documents that you may read."),)
TARGET = "cursor://anysphere.cursor-mcp/oauth/callback?code=a-code&state=a%26b&iss=https%3A%2F%2Fdocs.example.com"
MCP_URL = "https://docs.example.com/mcp"
ACTION = "/authorize/decision"


def consent_view(
    *,
    title: str = "Docshelf",
    name: str = "Claude Code (docshelf)",
    verified_host: str | None = None,
    kind: RedirectKind = RedirectKind.LOOPBACK,
    shown: str = "localhost:58135",
    local: bool = False,
) -> ConsentView:
    """A consent page as Claude Code asks for it, after registering itself."""
    return ConsentView(title, name, verified_host, kind, shown, local, SCOPES, "sealed-request", "csrf-value", ACTION)


WEB = consent_view(name="Claude", verified_host="claude.ai", kind=RedirectKind.WEB, shown="claude.ai")
LOCAL = consent_view(title="Northwind Documents", verified_host="claude.ai", local=True)
APP = consent_view(name="Cursor", kind=RedirectKind.APP, shown="cursor://anysphere.cursor-mcp")
LOOKALIKE = consent_view(
    name="W" * 100, kind=RedirectKind.WEB, shown="claude.ai.sign-in.a-long-host-name-that-looks-alike.example.com:8443"
)
HAND_OFF = HandOffView("Docshelf", "Cursor", TARGET)
REFUSAL = HandOffView("Docshelf", "Cursor", TARGET, "The sign-in was cancelled.")
FAILURE = FailureView(
    "Docshelf",
    "This sign-in took too long",
    "It was started more than ten minutes ago. Go back to your app and start signing in again.",
    "it-help@example.com",
    400,
)
LANDING = LandingView("Docshelf", MCP_URL, None, 12_408, datetime(2026, 11, 30, 9, 5, tzinfo=UTC))

PAGES: dict[str, HttpResponse] = {
    "consent-web": consent(WEB),
    "consent-local-app": consent(LOCAL),
    "consent-app": consent(APP),
    "consent-lookalike": consent(LOOKALIKE),
    "hand-off": hand_off(HAND_OFF),
    "hand-off-refusal": hand_off(REFUSAL),
    "failure": failure(FAILURE),
    "landing": landing(LANDING),
}


def hostile_pages(text: str) -> dict[str, HttpResponse]:
    """Each page with `text` in every field that takes a text."""
    scopes = ((text, text),)
    asked = ConsentView(text, text, text, RedirectKind.WEB, text, True, scopes, text, text, text)
    return {
        "consent": consent(asked),
        "hand-off": hand_off(HandOffView(text, text, f"{TARGET}&more={text}")),
        "hand-off-refusal": hand_off(HandOffView(text, text, f"{TARGET}&more={text}", text)),
        "failure": failure(FailureView(text, text, text, text, 400)),
        "landing": landing(LandingView(text, text, text, 1, datetime(2026, 11, 30, tzinfo=UTC))),
    }
