"""The page that asks a person whether an app may sign in, before anything else happens."""

from __future__ import annotations

from dataclasses import dataclass, field

from docshelf.gateway.messages import HttpResponse
from docshelf.signin.pages.document import document
from docshelf.signin.pages.markup import Markup, Page, address, lines, shown
from docshelf.signin.redirects import RedirectKind

REQUEST_FIELD, CSRF_FIELD, DECISION_FIELD = "request", "csrf", "decision"
"""The names of the form's fields."""

APPROVE, DENY = "approve", "deny"
"""What the form sends as the decision."""

_PAGE = Page("consent.html")
_VERIFIED = Page("consent_verified.html")
_VERIFIED_NAME = Page("consent_verified_name.html")
_UNVERIFIED = Page("consent_unverified.html")
_SCOPE = Page("consent_scope.html")
_WARNING = Page("consent_warning.html")

_NAMELESS = "an app without a name"
# A longer one would push what must be read out of the window.
_MOST_NAME = 60
_LONG_HOST = 24
_DESTINATIONS = {
    RedirectKind.WEB: (
        "Access is given to the website",
        "Continue only if you came from this website and trust it. Read its address to the end.",
    ),
    RedirectKind.LOOPBACK: (
        "Access is given to an app on this computer",
        "Continue only if you have just started signing in from an app here.",
    ),
    RedirectKind.APP: (
        "Access is given to the app that opens",
        "Continue only if you have just started signing in from this app.",
    ),
}
_IPV6_LOOPBACK = "[::1]"


@dataclass(frozen=True, slots=True)
class ConsentView:
    """Who asks for what, and what the form carries.

    `client_name` is what the app calls itself; `verified_host` the host that its description comes from, None for one
    that registered itself. `redirect_shown` is where answers go, as a person reads it. `is_local_app` adds a warning:
    any program of the computer could call itself that. `scopes` are names, each with a sentence on what it allows.
    `request`, `csrf` come back from the form, which is sent to `action`.
    """

    title: str
    client_name: str
    verified_host: str | None
    redirect_kind: RedirectKind
    redirect_shown: str
    is_local_app: bool
    scopes: tuple[tuple[str, str], ...]
    request: str = field(repr=False)
    csrf: str = field(repr=False)
    action: str


def consent(view: ConsentView) -> HttpResponse:
    """The page of a sign-in that waits for the person's decision."""
    title, name = shown(view.title), shown(view.client_name, _MOST_NAME) or _NAMELESS
    label, advice = _DESTINATIONS[view.redirect_kind]
    main = _PAGE.fill(
        title=title,
        initial=_initial(name),
        name=name,
        origin=_origin(view, title),
        destination_label=label,
        host_class="host long" if len(view.redirect_shown) > _LONG_HOST else "host",
        destination=address(shown(view.redirect_shown)),
        advice=advice,
        warning=_WARNING.fill() if view.is_local_app else Markup(""),
        scopes=lines([_SCOPE.fill(name=shown(scope), sentence=shown(sentence)) for scope, sentence in view.scopes]),
        action=view.action,
        request_field=REQUEST_FIELD,
        request=view.request,
        csrf_field=CSRF_FIELD,
        csrf=view.csrf,
        decision_field=DECISION_FIELD,
        approve=APPROVE,
        deny=DENY,
    )
    # With no referrer at all browsers send the form without its origin, which is checked.
    return document(
        200, title, f"Sign in to {title}", main, form_action=_form_action(view.redirect_shown), referrer="same-origin"
    )


def _initial(name: str) -> str:
    return next((character.upper() for character in name if character.isalnum()), "?")[:1]


def _origin(view: ConsentView, title: str) -> Markup:
    if view.verified_host is None:
        return _UNVERIFIED.fill(title=title)
    # A program on the computer may use a description that somebody else published.
    page = _VERIFIED_NAME if view.is_local_app else _VERIFIED
    return page.fill(host=address(shown(view.verified_host)))


def _form_action(redirect_shown: str) -> str:
    """Where the form may lead.

    Browsers check every redirect that follows: to the user pool, from there to whatever signs people of the company in,
    back to us, and on to the client. So this is as narrow as it can be. Addresses in brackets have no way to be named.
    """
    if redirect_shown.startswith(_IPV6_LOOPBACK):
        return "'self' https: http:"
    return "'self' https: http://localhost:* http://127.0.0.1:*"
