"""Rules of the web platform that decide what a browser sends and where it goes."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

import httpx2

_PORTS = {"http": 80, "https": 443}
_UPGRADES = {"http": ("http", "https"), "https": ("https",)}


def origin_of(url: str) -> str:
    """The origin of an address, as a browser writes it; that of an app's address is its scheme."""
    parts = urlsplit(url)
    if parts.scheme not in _PORTS:
        return f"{parts.scheme}:"
    port = "" if parts.port in (None, _PORTS[parts.scheme]) else f":{parts.port}"
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}{port}"


def site_of(url: str) -> str:
    """What cookies call a site: the scheme and the host, whatever the port. No host here has a parent that counts."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}"


def origin_header(headers: httpx2.Headers, page_url: str, target: str) -> str:
    """The Origin that a form of the page with these `headers` sends to `target`; its referrer policy may hide it."""
    policy = headers.get("referrer-policy", "strict-origin-when-cross-origin").split(",")[-1].strip()
    hidden = policy == "no-referrer" or (policy == "same-origin" and origin_of(page_url) != origin_of(target))
    return "null" if hidden else origin_of(page_url)


def allows_form_target(headers: httpx2.Headers, page_url: str, target: str) -> bool:
    """Whether the page's policy lets its forms go to `target`, which redirects of the form must be, too."""
    for policy in headers.get_list("content-security-policy"):
        for directive in policy.split(";"):
            name, *sources = directive.split() or [""]
            if name.lower() == "form-action":
                return any(_matches(source, page_url, target) for source in sources)
    return True


def _matches(source: str, page_url: str, target: str) -> bool:
    wanted = urlsplit(target)
    match source.lower():
        case "'self'":
            return origin_of(page_url) == origin_of(target)
        case "'none'":
            return False
        case "*":
            return wanted.scheme in _PORTS
    if source.endswith(":"):
        return wanted.scheme in _UPGRADES.get(source[:-1].lower(), (source[:-1].lower(),))
    return _matches_host(urlsplit(source if "://" in source else f"{urlsplit(page_url).scheme}://{source}"), wanted)


def _matches_host(pattern: SplitResult, wanted: SplitResult) -> bool:
    host, _, port = pattern.netloc.rpartition(":") if ":" in pattern.netloc else (pattern.netloc, "", "")
    if "[" in pattern.netloc or wanted.hostname is None or ":" in wanted.hostname:
        return False  # the grammar of a host has no place for IPv6
    if wanted.scheme not in _UPGRADES.get(pattern.scheme, (pattern.scheme,)):
        return False
    name = wanted.hostname
    if not (name == host.lower() or (host.startswith("*.") and name.endswith(host[1:].lower()))):
        return False
    # The path of a source does not count after a redirect, and here it never does.
    return port == "*" or _port(wanted) == (int(port) if port else _PORTS.get(pattern.scheme))


def _port(parts: SplitResult) -> int | None:
    return parts.port or _PORTS.get(parts.scheme)
