"""The cookies of one browser, by the rules that browsers share (RFC 6265bis)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

_MOST_BYTES = 4096
_TRUSTED = {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie as a browser keeps it. `until` None: it ends with the browser."""

    host: str
    name: str
    value: str
    path: str
    same_site: str
    http_only: bool
    until: float | None


class CookieJar:
    """Cookies by host, path and name; `refused` has the names of those that a browser does not take, with the reason.

    This machine's http counts as secure, as it does for browsers.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.refused: list[tuple[str, str]] = []
        self._kept: dict[tuple[str, str, str], Cookie] = {}
        self._clock = clock

    @property
    def kept(self) -> list[Cookie]:
        """What is kept and has not ended."""
        now = self._clock()
        return [cookie for cookie in self._kept.values() if cookie.until is None or cookie.until > now]

    def take(self, url: str, lines: Iterable[str]) -> None:
        """Keep what an answer of `url` sets, or forget it where its time is over."""
        for line in lines:
            self._take(url, line)

    def header(self, url: str, *, cross_site: bool, safe: bool) -> str:
        """The value of Cookie for a navigation to `url`, empty where there is nothing to send."""
        parts = urlsplit(url)
        found = [
            f"{cookie.name}={cookie.value}"
            for cookie in self.kept
            if cookie.host == parts.hostname
            and _below(parts.path or "/", cookie.path)
            and (not cross_site or cookie.same_site == "none" or (cookie.same_site == "lax" and safe))
        ]
        return "; ".join(found)

    def put(self, cookie: Cookie) -> None:
        """Plant a cookie, as somebody at the machine could."""
        self._kept[cookie.host, cookie.path, cookie.name] = cookie

    def _take(self, url: str, line: str) -> None:
        pair, *rest = line.split(";")
        name, _, value = (part.strip() for part in pair.partition("="))
        attributes = {key.strip().lower(): text.strip() for key, _, text in (part.partition("=") for part in rest)}
        parts = urlsplit(url)
        host = parts.hostname or ""
        if reason := _refusal(name, value, attributes, secure=parts.scheme == "https" or host in _TRUSTED, host=host):
            self.refused.append((name, reason))
            return
        path = attributes.get("path", "")
        path = path if path.startswith("/") else parts.path.rpartition("/")[0] or "/"
        same_site = attributes.get("samesite", "lax").lower()
        cookie = Cookie(host, name, value, path, same_site, "httponly" in attributes, self._until(attributes))
        self.put(cookie)

    def _until(self, attributes: dict[str, str]) -> float | None:
        if "max-age" in attributes:
            return self._clock() + int(attributes["max-age"])
        return parsedate_to_datetime(attributes["expires"]).timestamp() if "expires" in attributes else None


def _refusal(name: str, value: str, attributes: dict[str, str], *, secure: bool, host: str) -> str | None:
    if len(name) + len(value) > _MOST_BYTES:
        return "it is too large"
    if "secure" in attributes and not secure:
        return "it is Secure and the page is not"
    if attributes.get("domain", host).removeprefix(".") != host:
        return "its Domain is not that of the page"
    if name.lower().startswith("__host-") and (
        "secure" not in attributes or attributes.get("path") != "/" or "domain" in attributes
    ):
        return "its prefix demands Secure, Path=/ and no Domain"
    if attributes.get("samesite", "").lower() == "none" and "secure" not in attributes:
        return "SameSite=None demands Secure"
    return None


def _below(path: str, of: str) -> bool:
    return path == of or path.startswith(of if of.endswith("/") else f"{of}/")
