"""Sealed values: what a sign-in must remember, given to the outside so that nobody there can read or change it.

A sealed value is `KEYID.BASE64URL`, of which the second part is a nonce of 12 bytes and a JSON text under AES-256-GCM.
The purpose and the key's id are authenticated with it, so that a value for one purpose never passes for another.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
import time
from collections.abc import Callable, Mapping
from enum import StrEnum

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from docshelf.errors import DocshelfError
from docshelf.signin.sealing_keys import KEY_ID, SealingKeys

__all__ = ["Purpose", "SealBrokenError", "SealExpiredError", "Sealer", "SealingKeys"]

_NONCE_BYTES = 12
_TAG_BYTES = 16
_BASE64URL = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_DOMAIN = "docshelf sealed 1"


class Purpose(StrEnum):
    """What a sealed value is for."""

    CLIENT = "client"
    REQUEST = "request"
    STATE = "state"
    CODE = "code"
    REFRESH = "refresh"


class SealBrokenError(DocshelfError):
    """The value was not sealed here for this purpose, was changed, or its key is no longer there."""

    code = "seal_broken"
    status = 400


class SealExpiredError(DocshelfError):
    """The value was sealed here for this purpose, but its time is over."""

    code = "seal_expired"
    status = 400


class Sealer:
    """Seals values for a purpose and a time, and opens them again; safe for threads.

    `renew` is called when a value names a key that is not among `keys`, and answers with the keys to use from then on;
    how often it looks for new ones is its own affair, since anybody can send a value with a made-up key id.
    """

    def __init__(
        self,
        keys: SealingKeys,
        clock: Callable[[], float] = time.time,
        *,
        renew: Callable[[], SealingKeys] | None = None,
    ) -> None:
        """`clock` gives seconds since 1970."""
        self._keys = keys
        self._clock = clock
        self._renew = renew

    def seal(self, purpose: Purpose, data: Mapping[str, object], seconds: int) -> str:
        """`data`, which JSON can hold, sealed for `seconds` from now: letters, digits, `-`, `_` and one dot.

        The length is about 4/3 of the JSON's in ASCII, and 55 more.
        """
        keys = self._keys
        name = keys.current
        text = json.dumps([int(self._clock()) + seconds, data], separators=(",", ":"), allow_nan=False)
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = AESGCM(keys.keys[name]).encrypt(nonce, text.encode(), _bound_to(purpose, name))
        return f"{name}.{_encoded(nonce + sealed)}"

    def unseal(self, purpose: Purpose, text: str) -> dict[str, object]:
        """What was sealed for `purpose` as `text`.

        Raises:
            SealBrokenError: it was not sealed for it here, was changed, or its key is no longer there.
            SealExpiredError: its time is over.
        """
        name, _, rest = text.partition(".")
        sealed = _decoded(rest)
        key = self._key(name) if sealed is not None and KEY_ID.fullmatch(name) else None
        if sealed is None or key is None:
            raise _broken()
        try:
            opened = AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _bound_to(purpose, name))
        except InvalidTag:
            raise _broken() from None
        # What comes out is what went in, so its form needs no check.
        expires, data = json.loads(opened)
        if self._clock() >= expires:
            raise SealExpiredError("This took too long: start again.")
        found: dict[str, object] = data
        return found

    def _key(self, name: str) -> bytes | None:
        if name not in self._keys.keys and self._renew is not None:
            self._keys = self._renew()
        return self._keys.keys.get(name)


def _broken() -> SealBrokenError:
    return SealBrokenError("This does not come from here or was changed: start again.")


def _bound_to(purpose: Purpose, name: str) -> bytes:
    return f"{_DOMAIN}\0{purpose}\0{name}".encode()


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text: str) -> bytes | None:
    """The bytes of a sealed part; None if they cannot be one, or `text` is not the one way of writing them."""
    if not _BASE64URL.fullmatch(text) or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if len(data) >= _NONCE_BYTES + _TAG_BYTES and _encoded(data) == text else None
