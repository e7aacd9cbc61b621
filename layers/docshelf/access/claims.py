"""The claims of a token whose signature was found right. A claim of a wrong form is never passed over."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from docshelf.access import strict_json
from docshelf.errors import InvalidTokenError

LEEWAY_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Claims:
    """What a token says, by the names of RFC 7519 and of Cognito."""

    values: Mapping[str, object]

    @classmethod
    def parse(cls, payload: bytes) -> Claims:
        """The claims of a token's middle part, decoded.

        Raises:
            InvalidTokenError: it is not a JSON object in which every name is there once.
        """
        try:
            values = strict_json.loads(payload)
        except ValueError:
            raise InvalidTokenError("The token's claims cannot be read: sign in again.") from None
        if not isinstance(values, dict):
            raise InvalidTokenError("The token's claims cannot be read: sign in again.")
        return cls(values)

    def has(self, name: str) -> bool:
        """Whether the claim is there, with whatever value."""
        return name in self.values

    def text(self, name: str) -> str:
        """A claim that must be there and be a text of at least one character.

        Raises:
            InvalidTokenError: it is missing or something else.
        """
        value = self.values.get(name)
        if not isinstance(value, str) or not value:
            raise _wrong(name)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A claim that may be missing, and is a list of texts otherwise.

        Raises:
            InvalidTokenError: it is something else.
        """
        value = self.values.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise _wrong(name)
        return tuple(value)

    def audience(self) -> tuple[str, ...]:
        """Whom the token is for: `aud` is a text or a list of texts.

        Raises:
            InvalidTokenError: it is something else.
        """
        value = self.values.get("aud")
        return (value,) if isinstance(value, str) else self.texts("aud")

    def scopes(self) -> frozenset[str]:
        """What the token grants: `scope` is one text with spaces in between, or missing.

        Raises:
            InvalidTokenError: it is something else.
        """
        value = self.values.get("scope", "")
        if not isinstance(value, str):
            raise _wrong("scope")
        return frozenset(value.split(" ")) - {""}

    def check_times(self, now: float) -> None:
        """Let the token pass only while it is valid, and for 30 seconds more on either side; `now` is in epoch seconds.

        Raises:
            InvalidTokenError: it has expired, is not valid yet, or does not say until when it is valid.
        """
        if now >= self._moment("exp") + LEEWAY_SECONDS:
            raise InvalidTokenError("The token has expired: sign in again.")
        for name in ("nbf", "iat"):
            if self.has(name) and now < self._moment(name) - LEEWAY_SECONDS:
                raise InvalidTokenError("The token is not valid yet: look whether the clock is right.")

    def _moment(self, name: str) -> int | float:
        value = self.values.get(name)
        # True and false are whole numbers too, for Python.
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _wrong(name)
        if isinstance(value, float) and not math.isfinite(value):
            raise _wrong(name)
        return value


def _wrong(name: str) -> InvalidTokenError:
    return InvalidTokenError(f"The token's claim {name} is missing or is not what it must be: sign in again.")
