"""The browser without a screen, on pages that try what browsers forbid."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.browser import BlockedError, Browser
from tests.support.site import Site, new_site

FORM = (
    '<form action="{}" method="post"><input name="a" value="&lt;1&gt;"><button name="b" value="2">Go on</button></form>'
)


@pytest.fixture
def site() -> Iterator[Site]:
    with new_site() as made:
        yield made


@pytest.fixture
def browser() -> Iterator[Browser]:
    made = Browser()
    yield made
    made.close()


def test_a_form_is_sent_with_its_values_and_the_browser_follows(site: Site, browser: Browser) -> None:
    site.pages["/"] = (200, [("referrer-policy", "same-origin")], FORM.format("/done"))
    site.sends("/done", "/end?x=1")
    page = browser.press(browser.open(f"{site.here}/"), "Go on", a="other & more")
    assert (page.words, page.query) == ("done", {"x": "1"})
    sent = site.seen[1]
    assert (sent.method, sent.body) == ("POST", b"a=other+%26+more&b=2")
    assert sent.values("origin") == [site.here]
    assert sent.values("sec-fetch-site") == ["same-origin"]
    assert (site.seen[2].method, site.seen[2].body) == ("GET", b"")


@pytest.mark.parametrize(("policy", "origin"), [("no-referrer", "null"), ("strict-origin", "HERE")])
def test_the_referrer_policy_decides_whether_a_form_says_where_it_is_from(
    site: Site, browser: Browser, policy: str, origin: str
) -> None:
    site.pages["/"] = (200, [("referrer-policy", policy)], FORM.format(f"{site.other}/x"))
    browser.press(browser.open(f"{site.here}/"), "Go on")
    assert site.last("origin") == origin.replace("HERE", site.here)
    assert site.last("sec-fetch-site") == "cross-site"


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("__Host-a=1; Secure; Path=/", True),
        ("__Host-a=1; Path=/", False),
        ("__Host-a=1; Secure", False),
        ("__Host-a=1; Secure; Path=/; Domain=localhost", False),
        ("a=1; Domain=example.com", False),
        ("a=1; SameSite=None", False),
        ("a=1; Max-Age=0", False),
        ("a=1; Expires=Wed, 01 Jan 2020 00:00:00 GMT", False),
        ("a=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT", True),
        ("a=" + "1" * 4096, False),
    ],
)
def test_a_cookie_is_kept_only_by_the_rules(site: Site, browser: Browser, line: str, kept: bool) -> None:
    site.pages["/"] = (200, [("set-cookie", line)], "")
    browser.open(f"{site.here}/")
    assert bool(browser.cookies.kept) == kept
    browser.open(f"{site.other}/")
    browser.open(f"{site.here}/below")
    assert bool(site.last("cookie")) == kept


@pytest.mark.parametrize(
    ("same_site", "by_link", "by_form"), [("Strict", False, False), ("Lax", True, False), ("None", True, True)]
)
def test_a_cookie_crosses_sites_only_as_it_says(
    site: Site, browser: Browser, same_site: str, by_link: bool, by_form: bool
) -> None:
    site.pages["/set"] = (200, [("set-cookie", f"a=1; Secure; Path=/; SameSite={same_site}")], "")
    browser.open(f"{site.here}/set")
    browser.open(f"{site.here}/x", of=f"{site.other}/page")
    assert bool(site.last("cookie")) == by_link
    site.pages["/form"] = (200, [], FORM.format(f"{site.here}/x"))
    browser.press(browser.open(f"{site.other}/form"), "Go on")
    assert bool(site.last("cookie")) == by_form
    browser.open(f"{site.here}/x")
    assert site.last("cookie") == "a=1"
    assert site.last("sec-fetch-site") == "none"


@pytest.mark.parametrize(
    ("sources", "end", "allowed"),
    [
        ("'self'", "HERE/end", True),
        ("'self'", "OTHER/end", False),
        ("'self' OTHER", "OTHER/end", True),
        ("'self' http://127.0.0.1:*", "OTHER/end", True),
        ("'self' http:", "OTHER/end", True),
        ("'self' https:", "OTHER/end", False),
        ("'self' https:", "https://claude.ai/cb", True),
        ("'self' https://*.ai", "https://claude.ai/cb", True),
        ("'self' https://claude.ai", "https://claude.ai:8443/cb", False),
        ("'self' http://[::1]:8080", "http://[::1]:8080/cb", False),
        ("'self' cursor:", "cursor://app/cb", True),
        ("'self'", "cursor://app/cb", False),
        ("'none'", "HERE/end", False),
    ],
)
def test_redirects_of_a_form_must_be_allowed_by_its_page(
    site: Site, browser: Browser, sources: str, end: str, allowed: bool
) -> None:
    def real(text: str) -> str:
        return text.replace("HERE", site.here).replace("OTHER", site.other)

    policy = f"default-src 'none'; form-action {real(sources)}"
    site.pages["/"] = (200, [("content-security-policy", policy)], FORM.format("/go"))
    site.sends("/go", real(end))
    page = browser.open(f"{site.here}/")
    if not allowed:
        with pytest.raises(BlockedError, match="form-action"):
            browser.press(page, "Go on")
    else:
        assert browser.press(page, "Go on").url == real(end)
    assert browser.open(f"{site.here}/go").url == real(end)


def test_it_shows_the_address_of_what_it_does_not_open(site: Site, browser: Browser) -> None:
    for address in ("https://claude.ai/cb?code=1", "cursor://app/cb?code=1", "http://127.0.0.1:9/cb?code=1"):
        site.sends("/", address)
        page = browser.open(f"{site.here}/")
        assert (page.url, page.status, page.query) == (address, 0, {"code": "1"})


def test_an_endless_chain_of_redirects_ends(site: Site, browser: Browser) -> None:
    site.sends("/", "/")
    with pytest.raises(BlockedError, match="too many redirects"):
        browser.open(f"{site.here}/")


def test_a_parameter_that_is_there_twice_is_found_out(site: Site, browser: Browser) -> None:
    with pytest.raises(AssertionError, match="twice"):
        assert browser.open(f"{site.here}/?iss=1&iss=2").query
