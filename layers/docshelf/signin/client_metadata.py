"""What clients say about themselves (RFC 7591), in a registration or a document of their own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from docshelf.access import strict_json
from docshelf.errors import OAuthError
from docshelf.signin.redirects import RedirectError, is_allowed, parse_redirect

MAX_BYTES = 64 * 1024
MAX_REDIRECT_URIS = 20
MAX_NAME_CHARACTERS = 100
NAMELESS = "Unnamed client"

_SPACES = re.compile(r"\s+")
_SPACE_CATEGORIES = frozenset({"Cc", "Zl", "Zp", "Zs"})
# Signs that are not seen but turn text around or hide it, and what has no meaning of its own.
_HIDDEN_CATEGORIES = frozenset({"Cf", "Cs", "Co", "Cn"})
# Signs that stand above and below the one before: a pile of them covers the lines around.
_MARKS = frozenset({"Mn", "Me"})
_MOST_MARKS = 3
# Shown as nothing or as a gap although they are letters and marks by their category.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")


@dataclass(frozen=True, slots=True)
class ClientMetadata:
    """What can be used of it; `values` is everything as it was said, unchecked."""

    name: str
    redirect_uris: tuple[str, ...]
    values: Mapping[str, object]


def parse_client_metadata(body: bytes, redirect_hosts: Collection[str] = ()) -> ClientMetadata:
    """The metadata in `body`, of at most 64 KiB; fields that nobody here knows are passed over.

    Of the redirect URIs those are kept that answers may be sent to, and that `redirect_hosts` allows if there are any.

    Raises:
        OAuthError: invalid_redirect_uri if no redirect URI can be kept, else invalid_client_metadata.
    """
    values = _json_object(body)
    _check_kind(values, "grant_types", "authorization_code")
    _check_kind(values, "response_types", "code")
    name = values.get("client_name")
    if not isinstance(name, str | None):
        raise _invalid("client_name must be a text.")
    return ClientMetadata(shown_name(name or ""), _redirect_uris(values.get("redirect_uris"), redirect_hosts), values)


def _json_object(body: bytes) -> dict[str, object]:
    if len(body) > MAX_BYTES:
        raise _invalid(f"Client metadata must not have more than {MAX_BYTES} bytes.")
    try:
        values = strict_json.loads(body)
    except ValueError:
        raise _invalid("Client metadata must be a JSON object in UTF-8 that has every name once.") from None
    if not isinstance(values, dict):
        raise _invalid("Client metadata must be a JSON object.")
    return values


def _check_kind(values: Mapping[str, object], name: str, needed: str) -> None:
    """A list of texts, where it is there, with `needed` among them."""
    given = values.get(name)
    if given is None:
        return
    if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
        raise _invalid(f"{name} must be a list of texts.")
    if needed not in given:
        raise _invalid(f"{name} must contain {needed}, which is all that this server offers.")


def _redirect_uris(given: object, hosts: Collection[str]) -> tuple[str, ...]:
    if not isinstance(given, list) or not given:
        raise _invalid_redirect("redirect_uris must be a list with at least one redirect URI.")
    if len(given) > MAX_REDIRECT_URIS:
        raise _invalid_redirect(f"redirect_uris must not have more than {MAX_REDIRECT_URIS} redirect URIs.")
    kept: dict[str, None] = {}
    faults: list[str] = []
    for uri in given:
        fault = _fault(uri, hosts)
        if fault is None:
            kept[uri] = None
        else:
            faults.append(fault)
    if not kept:
        raise _invalid_redirect(faults[0])
    return tuple(kept)


def _fault(uri: object, hosts: Collection[str]) -> str | None:
    """Why this redirect URI cannot be kept; None if it can."""
    if not isinstance(uri, str):
        return "A redirect URI must be a text."
    try:
        redirect = parse_redirect(uri)
    except RedirectError as error:
        return error.sentence
    return None if is_allowed(redirect, hosts) else "This server does not allow redirect URIs on that web site."


def shown_name(name: str) -> str:
    """`name` as a person is shown it: one line of at most 100 characters, and nothing that cannot be seen."""
    signs: list[str] = []
    marks = 0
    # Longer than what is kept, since much of it may be dropped; and bounded, since it comes from anywhere.
    for sign in unicodedata.normalize("NFC", name[: 10 * MAX_NAME_CHARACTERS]):
        category = unicodedata.category(sign)
        marks = marks + 1 if category in _MARKS else 0
        if category in _SPACE_CATEGORIES or sign in _BLANKS:
            signs.append(" ")
        elif category not in _HIDDEN_CATEGORIES and marks <= _MOST_MARKS:
            signs.append(sign)
    line = _SPACES.sub(" ", "".join(signs)).strip()
    if len(line) > MAX_NAME_CHARACTERS:
        line = f"{line[: MAX_NAME_CHARACTERS - 1].rstrip()}…"
    return line or NAMELESS


def _invalid(sentence: str) -> OAuthError:
    return OAuthError("invalid_client_metadata", sentence)


def _invalid_redirect(sentence: str) -> OAuthError:
    return OAuthError("invalid_redirect_uri", sentence)
