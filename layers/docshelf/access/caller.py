"""Who is asking."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

_PSEUDONYM_DIGITS = 12
_PSEUDONYM_DOMAIN = b"docshelf caller\0"


@dataclass(frozen=True, slots=True)
class Caller:
    """A person or a machine whose token was accepted; a machine's `subject` is its `client_id`."""

    subject: str
    client_id: str
    groups: tuple[str, ...]
    scopes: frozenset[str]

    @property
    def pseudonym(self) -> str:
        """Twelve hexadecimal digits that stand for the subject in logs: always the same ones for the same subject."""
        # A token may hold half of a surrogate pair, which has no UTF-8 form of its own.
        subject = self.subject.encode("utf-8", "surrogatepass")
        return hashlib.sha256(_PSEUDONYM_DOMAIN + subject).hexdigest()[:_PSEUDONYM_DIGITS]
