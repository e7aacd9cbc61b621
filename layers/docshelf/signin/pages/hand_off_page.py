"""The page that gives an answer to an installed app: browsers open one only from a page."""

from __future__ import annotations

from dataclasses import dataclass, field

from docshelf.gateway.messages import HttpResponse
from docshelf.signin.pages.document import document
from docshelf.signin.pages.markup import Page, address, shown, source
from docshelf.signin.redirects import RedirectError, RedirectKind, parse_redirect

_PAGE = Page("hand_off.html")
_REFUSAL = Page("hand_off_refusal.html")
_SCRIPT = source("hand_off.js")
_NAMELESS = "the app"
_MOST_NAME = 60


@dataclass(frozen=True, slots=True)
class HandOffView:
    """The app by the name it gave itself, and the address with the answer that opens it.

    `refusal` is a sentence that says why there is no sign-in, None where there is one.
    """

    title: str
    client_name: str
    target_uri: str = field(repr=False)
    refusal: str | None = None


def hand_off(view: HandOffView) -> HttpResponse:
    """The page that opens `target_uri` by itself, or when the person presses its button.

    A refusal is only brought by the button: whoever makes a link that is refused opens no app with it.

    Raises:
        RedirectError: `target_uri` is none of an app.
    """
    redirect = parse_redirect(view.target_uri.partition("?")[0])
    if redirect.kind is not RedirectKind.APP:
        raise RedirectError("Only an app is opened from a page: this redirect URI belongs to none.")
    places = {
        "name": shown(view.client_name, _MOST_NAME) or _NAMELESS,
        "destination": address(redirect.host_shown),
        "target": view.target_uri,
    }
    if view.refusal is not None:
        main = _REFUSAL.fill(**places, sentence=shown(view.refusal))
        return document(200, shown(view.title), "You are not signed in", main)
    return document(200, shown(view.title), "You are signed in", _PAGE.fill(**places), script=_SCRIPT)
