"""Proof keys (RFC 7636), with the method S256 alone."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets

_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}", re.ASCII)


def s256(verifier: str) -> str:
    """The challenge of `verifier`, which is ASCII."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode("ascii")).digest()).rstrip(b"=").decode()


def is_proof(verifier: str, challenge: str) -> bool:
    """Whether `verifier` is of the form of one, and that of `challenge`."""
    return _VERIFIER.fullmatch(verifier) is not None and secrets.compare_digest(s256(verifier), challenge)
