"""The page for a person who opens the server's address: what this is, how fresh it is, and how to connect to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from docshelf.gateway.messages import HttpResponse
from docshelf.signin.pages.connecting import Way, ways
from docshelf.signin.pages.document import document
from docshelf.signin.pages.markup import Markup, Page, lines, shown, source

_PAGE = Page("landing.html")
_FACTS = Page("landing_facts.html")
_FACT = Page("landing_fact.html")
_WAY = Page("landing_way.html")
_LINK = Page("landing_link.html")
_LINE = Page("landing_line.html")
_SCRIPT = source("copy.js")
_BLURB = "Search the documents of your organisation from a coding client, and read every answer with its exact source."


@dataclass(frozen=True, slots=True)
class LandingView:
    """The server's address and what is known about its shelf: text on it, number of documents, last change (aware)."""

    title: str
    mcp_url: str
    blurb: str | None = None
    documents: int | None = None
    last_indexed: datetime | None = None


def landing(view: LandingView) -> HttpResponse:
    """The page at the root of the server."""
    title = shown(view.title)
    main = _PAGE.fill(
        title=title,
        blurb=shown(view.blurb or "") or _BLURB,
        facts=_facts(view),
        address=_LINE.fill(id="address", text=view.mcp_url, of="the address"),
        ways=lines([_way(number, way) for number, way in enumerate(ways(view.mcp_url))]),
    )
    return document(200, title, "Connect a client", main, script=_SCRIPT, wide=True)


def _facts(view: LandingView) -> Markup:
    facts = []
    if view.documents is not None:
        unit = "document" if view.documents == 1 else "documents"
        facts.append(_FACT.fill(text=f"{view.documents:,} {unit}"))
    if view.last_indexed is not None:
        at = view.last_indexed.astimezone(UTC)
        facts.append(_FACT.fill(text=f"Last updated {at.day} {at:%B %Y, %H:%M} UTC"))
    return _FACTS.fill(facts=lines(facts)) if facts else Markup("")


def _way(number: int, way: Way) -> Markup:
    identifier = f"way-{number}"
    link = _LINK.fill(address=way.link, text=way.link_text) if way.link else Markup("")
    line = _LINE.fill(id=identifier, text=way.text, of=f"the text for {way.client}") if way.text else Markup("")
    return _WAY.fill(client=way.client, note=way.note, link=link, line=line)
