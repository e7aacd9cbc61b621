"""Redirect URIs: which ones answers may be sent to, when two of them are the same, and how an answer is put on one."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import quote, unquote, unquote_plus, urlencode, urlsplit

from docshelf.errors import DocshelfError
from docshelf.web_addresses import LOOPBACK_NAMES

MAX_URI_CHARACTERS = 2_000

# A backslash is a slash to browsers and none to most servers; the others have no place in a URI (RFC 3986).
_NOT_ALLOWED = re.compile(r"[^!#-&(-;=?-\[\]_a-z~]")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+")
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_PORT = r"(?::(?P<port>[1-9][0-9]{0,4}))?"
# The last label has a letter at its start: what ends in a number is an address to browsers, however it is written.
_WEB = re.compile(rf"(?P<host>(?:{_LABEL}\.)*(?=[a-z]){_LABEL}){_PORT}")
_LOOPBACK = re.compile(rf"(?P<host>{'|'.join(map(re.escape, sorted(LOOPBACK_NAMES - {'::1'})))}|\[::1\]){_PORT}")
_MOST_PORT = 65_535

# Schemes that run something, show a file, have a browser open any address, or belong to a system and not to an app that
# has asked for a sign-in.
_FORBIDDEN_SCHEME = re.compile(
    r"about|afp|android-app|applescript|blob|chrome(-extension)?|cid|content|data|dav|facetime(-audio)?|feed|file"
    r"|filesystem|firefox.*|ftps?|geo|git|googlechrome.*|gopher|hcp|help|imap|intent|irc|itms.*|jar|javascript|ldaps?"
    r"|livescript|localhost|mailto|market|mhtml|microsoft-edge.*|mid|mk|mocha|moz-extension|ms-.*|news|nfs|nntp|opera-.*"
    r"|pop|rdp|res|resource|search(-ms)?|sftp|shell|shortcuts|sips?|smb|sms|ssh|svn|tel|telnet|urn|vbscript|view-source"
    r"|vnc|web\+.*|webcal|wss?|x-apple.*|x-man-page|x-safari.*|xmpp"
)

# What an answer consists of. A redirect URI that has one of these by itself would make an answer of two meanings.
_ANSWER_NAMES = frozenset({"code", "state", "iss", "error", "error_description", "error_uri"})


class RedirectError(DocshelfError):
    """Answers cannot be sent to this redirect URI; the sentence says why and does not repeat it."""

    code = "redirect"
    status = 400


class RedirectKind(StrEnum):
    """Who is behind a redirect URI."""

    WEB = "web"
    """A web site, by https."""
    LOOPBACK = "loopback"
    """A program on the computer of the person."""
    APP = "app"
    """An app that has told the operating system that it opens a scheme."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirect URI that answers may be sent to, as it was given.

    `host_shown` is what a person must look at: host and port in lower case, of an app the scheme and host. `any_port`
    is the URI without its port where the port does not matter (RFC 8252), else the URI.
    """

    uri: str
    kind: RedirectKind
    host_shown: str
    any_port: str = field(repr=False)

    @property
    def host(self) -> str:
        """The name of the web site; empty for what is none."""
        return self.host_shown.partition(":")[0] if self.kind is RedirectKind.WEB else ""


def parse_redirect(uri: str) -> Redirect:
    """The parts of `uri`.

    Raises:
        RedirectError: answers are never sent there.
    """
    _check_characters(uri)
    try:
        parts = urlsplit(uri)
    except ValueError:
        raise RedirectError("A redirect URI has a host that cannot be read.") from None
    _check_scheme(parts.scheme)
    if any(unquote(segment) in {".", ".."} for segment in parts.path.split("/")):
        raise RedirectError("A redirect URI must not have . or .. as a part of its path.")
    if "@" in parts.netloc:
        raise RedirectError("A redirect URI must not have a user before its host.")
    if parts.scheme in {"http", "https"}:
        return _with_host(uri, parts.scheme, parts.netloc)
    shown = f"{parts.scheme}://{parts.netloc}" if parts.netloc else f"{parts.scheme}:"
    return Redirect(uri, RedirectKind.APP, shown, uri)


def _check_characters(uri: str) -> None:
    if len(uri) > MAX_URI_CHARACTERS:
        raise RedirectError(f"A redirect URI must not have more than {MAX_URI_CHARACTERS} characters.")
    if "#" in uri:
        raise RedirectError("A redirect URI must not have a fragment.")
    if "*" in uri:
        raise RedirectError("A redirect URI must be written out, without wildcards.")
    if _NOT_ALLOWED.search(uri) or _BROKEN_ESCAPE.search(uri):
        raise RedirectError("A redirect URI has a character that must be percent-encoded.")


def _check_scheme(scheme: str) -> None:
    if not _SCHEME.fullmatch(scheme):
        raise RedirectError(
            "A redirect URI must begin with https://, with http:// and localhost, or with an app's scheme."
        )
    if _FORBIDDEN_SCHEME.fullmatch(scheme):
        raise RedirectError("A redirect URI must not have a scheme that belongs to the browser or the system.")


def _with_host(uri: str, scheme: str, netloc: str) -> Redirect:
    shown = netloc.lower()
    local = _LOOPBACK.fullmatch(shown)
    found = local or (_WEB.fullmatch(shown) if scheme == "https" else None)
    if found is None:
        wanted = "of a web site" if scheme == "https" else "localhost, 127.0.0.1 or [::1]"
        raise RedirectError(f"A redirect URI with {scheme} must have the host {wanted}.")
    if found["port"] and int(found["port"]) > _MOST_PORT:
        raise RedirectError("A redirect URI has a port that does not exist.")
    if local is None:
        return Redirect(uri, RedirectKind.WEB, shown, uri)
    # Only plain http: a program that has a certificate has a port of its own too.
    rest = uri[len(f"{scheme}://{netloc}") :]
    return Redirect(uri, RedirectKind.LOOPBACK, shown, f"http://{found['host']}{rest}" if scheme == "http" else uri)


def same_redirect(registered: str, requested: str) -> bool:
    """Whether `requested` is the redirect URI that was registered.

    That is the same text, except that http to this computer may have any port; and never one that `parse_redirect`
    refuses.
    """
    try:
        return parse_redirect(registered).any_port == parse_redirect(requested).any_port
    except RedirectError:
        return False


def is_allowed(redirect: Redirect, hosts: Collection[str]) -> bool:
    """Whether answers go there where web sites are limited to `hosts`, in lower case; with none there is no limit."""
    return redirect.kind is not RedirectKind.WEB or not hosts or redirect.host in hosts


def with_parameters(uri: str, parameters: Mapping[str, str]) -> str:
    """`uri`, which `parse_redirect` took, with `parameters` at the end of its query.

    What the URI had stays as it was written, except parameters that an answer consists of: each of these is there once,
    from `parameters`, or not at all. Bytes that are no UTF-8 come from surrogates (`surrogateescape`) as they were.
    """
    base, mark, query = uri.partition("?")
    kept = [piece for piece in query.split("&") if unquote_plus(piece.partition("=")[0]) not in _ANSWER_NAMES]
    added = urlencode(parameters, safe="", errors="surrogateescape", quote_via=quote)
    pieces = [*(kept if mark and query else ()), *([added] if added else ())]
    return f"{base}?{'&'.join(pieces)}" if pieces else base
