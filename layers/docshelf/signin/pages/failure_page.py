"""The page that says what went wrong."""

from __future__ import annotations

from dataclasses import dataclass

from docshelf.gateway.messages import HttpResponse
from docshelf.signin.pages.document import document
from docshelf.signin.pages.markup import Markup, Page, shown

_PAGE = Page("failure.html")
_CONTACT = Page("contact.html")
_CONTACT_LINK = Page("contact_link.html")


@dataclass(frozen=True, slots=True)
class FailureView:
    """What went wrong (`heading`), what to do (`sentence`), whom to ask (an address, a link or a name), HTTP status."""

    title: str
    heading: str
    sentence: str
    contact: str | None
    status: int


def failure(view: FailureView) -> HttpResponse:
    """The page of an error that goes to the person, because it can go to no client."""
    main = _PAGE.fill(
        heading=shown(view.heading),
        sentence=shown(view.sentence),
        contact=_contact(shown(view.contact or "")),
        status=str(view.status),
    )
    return document(view.status, shown(view.title), shown(view.heading), main)


def _contact(contact: str) -> Markup:
    if not contact:
        return Markup("")
    if contact.startswith("https://"):
        return _CONTACT.fill(contact=_CONTACT_LINK.fill(address=contact, contact=contact.removeprefix("https://")))
    if "@" in contact and not any(character in contact for character in " :/?&"):
        return _CONTACT.fill(contact=_CONTACT_LINK.fill(address=f"mailto:{contact}", contact=contact))
    return _CONTACT.fill(contact=contact)
