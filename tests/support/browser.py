"""A browser without a screen: cookies, redirects, forms and their policies as a browser treats them, and no script.

It goes to http addresses of this machine. Where it is sent elsewhere, to an app or to another host, it stops and shows
the address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import httpx2
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.support.browser_policy import allows_form_target, origin_header, origin_of, site_of
from tests.support.cookie_jar import CookieJar

_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 20
_AT_HOME = {"localhost", "127.0.0.1", "::1"}
_PERMANENT_METHOD = (307, 308)


class BlockedError(Exception):
    """The browser refuses to go where the page sends it; the text says which policy forbids it."""


@dataclass(frozen=True)
class Page:
    """Where the browser ended: a page that it got, or an address that it does not open, with `status` 0."""

    url: str
    status: int
    headers: httpx2.Headers = field(default_factory=httpx2.Headers)
    text: str = field(default="", repr=False)
    hops: tuple[str, ...] = ()

    @property
    def query(self) -> dict[str, str]:
        """The parameters of the address, each of which must be there once."""
        pairs = parse_qsl(urlsplit(self.url).query, keep_blank_values=True, strict_parsing=True)
        assert len(dict(pairs)) == len(pairs), f"a parameter is there twice in {sorted(name for name, _ in pairs)}"
        return dict(pairs)

    @property
    def is_refusal(self) -> bool:
        """Whether the person was told that something is wrong, and sent nowhere."""
        return self.status in (400, 403) and self.hops == (self.url,) and "location" not in self.headers

    @cached_property
    def tree(self) -> LexborHTMLParser:
        """The page's elements."""
        return LexborHTMLParser(self.text)

    @cached_property
    def words(self) -> str:
        """What a person reads, with single spaces."""
        body = self.tree.body
        return " ".join(body.text(separator=" ").split()) if body else ""

    def element(self, selector: str) -> LexborNode:
        """The one element that a selector of CSS finds."""
        found = self.tree.css(selector)
        assert len(found) == 1, f"{len(found)} elements are {selector!r}: {self.words}"
        return found[0]

    def value(self, name: str) -> str:
        """The value of the one input `name`."""
        return self.element(f"input[name={name}]").attributes.get("value") or ""

    @property
    def links(self) -> list[str]:
        """The targets of the page's links, as absolute addresses."""
        return [urljoin(self.url, node.attributes.get("href") or "") for node in self.tree.css("a[href]")]

    def button(self, label: str) -> LexborNode:
        """The one button that says `label`, which is a pattern."""
        found = [node for node in self.tree.css("button, input[type=submit]") if re.search(label, _label(node))]
        assert len(found) == 1, f"{len(found)} buttons say {label!r}: {self.words}"
        return found[0]


class Browser:
    """One profile of a browser: `cookies` are its own."""

    def __init__(self) -> None:
        self.cookies = CookieJar()
        self._http = httpx2.Client(timeout=40, trust_env=False)

    def close(self) -> None:
        """End its connections."""
        self._http.close()

    def open(self, url: str, *, of: str | None = None) -> Page:
        """Go to `url`, typed by the person or, with `of`, by a link on the page at that address."""
        return self._go("GET", url, None, of, None)

    def press(self, page: Page, label: str, **typed: str) -> Page:
        """Send the form with the button `label`, whose other fields keep their values unless they are `typed`.

        Raises:
            BlockedError: the page's policy forbids the form's target, or one that it is sent on to.
        """
        button = page.button(label)
        form = _form_of(button)
        fields = [*form.css("input[name]"), *([button] if button.attributes.get("name") else [])]
        values = {str(node.attributes["name"]): node.attributes.get("value") or "" for node in fields}
        assert typed.keys() <= values.keys(), f"the form has only {sorted(values)}"
        return self.send(
            page, form.attributes.get("action") or page.url, {**values, **typed}, form.attributes.get("method")
        )

    def send(self, page: Page, action: str, values: Mapping[str, str], method: str | None = "post") -> Page:
        """Send a form of `page` with `values` to `action`, as its own forms or its scripts could."""
        target = urljoin(page.url, action)
        if (method or "get").lower() == "get":
            return self._go("GET", f"{target.partition('?')[0]}?{urlencode(values)}", None, page.url, page)
        return self._go("POST", target, urlencode(values).encode(), page.url, page)

    def _go(self, method: str, url: str, body: bytes | None, of: str | None, form_page: Page | None) -> Page:
        hops: list[str] = []
        crossed = False
        for _ in range(_MOST_REDIRECTS):
            if form_page is not None and not allows_form_target(form_page.headers, form_page.url, url):
                raise BlockedError(f"form-action of {form_page.url} forbids {origin_of(url)}")
            hops.append(url)
            parts = urlsplit(url)
            if parts.scheme != "http" or parts.hostname not in _AT_HOME:
                return Page(url, 0, hops=tuple(hops))
            crossed = crossed or (of is not None and site_of(of) != site_of(url))
            answer = self._ask(method, url, body, of, form_page, crossed=crossed)
            self.cookies.take(url, answer.headers.get_list("set-cookie"))
            self._http.cookies.clear()  # it keeps cookies by rules that are not those of browsers
            if answer.status_code not in _REDIRECTS or "location" not in answer.headers:
                return Page(url, answer.status_code, answer.headers, answer.text, tuple(hops))
            if method == "POST" and answer.status_code not in _PERMANENT_METHOD:
                method, body = "GET", None
            url = urljoin(url, answer.headers["location"])
        raise BlockedError("too many redirects")

    def _ask(
        self, method: str, url: str, body: bytes | None, of: str | None, form_page: Page | None, *, crossed: bool
    ) -> httpx2.Response:
        headers = {"Accept": "text/html,*/*;q=0.8", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        headers["Sec-Fetch-Site"] = _fetch_site(of, url, crossed=crossed)
        if cookies := self.cookies.header(url, cross_site=crossed, safe=method == "GET"):
            headers["Cookie"] = cookies
        if method == "POST":
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            headers["Origin"] = origin_header(form_page.headers, form_page.url, url) if form_page else "null"
        try:
            return self._http.request(method, url, headers=headers, content=body)
        except httpx2.ConnectError:
            return httpx2.Response(0)  # as a client's own server that has gone; the address is what matters


def _fetch_site(of: str | None, url: str, *, crossed: bool) -> str:
    if of is None:
        return "none"
    if crossed:
        return "cross-site"
    return "same-origin" if origin_of(of) == origin_of(url) else "same-site"


def _label(node: LexborNode) -> str:
    return " ".join((node.text() or node.attributes.get("value") or "").split())


def _form_of(node: LexborNode) -> LexborNode:
    found: LexborNode | None = node
    while found is not None and found.tag != "form":
        found = found.parent
    assert found is not None, "the button is in no form"
    return found
