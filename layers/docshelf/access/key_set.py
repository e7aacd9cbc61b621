"""A published key set (JWKS, RFC 7517), of which only what can check RS256 signatures is used."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from jwt import PyJWTError
from jwt.algorithms import RSAAlgorithm

from docshelf.access import strict_json
from docshelf.errors import KeysUnavailableError

MAX_KEYS = 20
MAX_KEY_ID_CHARACTERS = 256
_LEAST_BITS = 2048
# Checking a signature takes time with the square of the key's length.
_MOST_BITS = 8192
_MODULUS = re.compile(r"[A-Za-z0-9_-]{1,1400}", re.ASCII)
_EXPONENT = re.compile(r"[A-Za-z0-9_-]{1,11}", re.ASCII)
# Whoever can read a secret part can sign: such a key proves nothing any more.
_SECRET_MEMBERS = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})


def parse_key_set(body: bytes) -> Mapping[str, RSAPublicKey]:
    """The keys of a set by their ids, without those that cannot check RS256 signatures or hold secret parts.

    Raises:
        KeysUnavailableError: it is not a key set, or one of more than `MAX_KEYS` keys.
    """
    try:
        document = strict_json.loads(body)
    except ValueError:
        raise _not_a_key_set() from None
    entries = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise _not_a_key_set()
    if len(entries) > MAX_KEYS:
        raise KeysUnavailableError(f"The token keys cannot be used: there are more than {MAX_KEYS} in their set.")
    keys: dict[str, RSAPublicKey] = {}
    for entry in entries:
        kid, key = _usable_key(entry)
        if kid is not None and key is not None:
            keys[kid] = key
    return keys


def _not_a_key_set() -> KeysUnavailableError:
    return KeysUnavailableError(
        "The token keys cannot be read: their address does not answer with a key set. "
        "Look whether DOCSHELF_TOKEN_KEYS_URL is right."
    )


def _usable_key(entry: object) -> tuple[str, RSAPublicKey] | tuple[None, None]:
    """An entry's id and key, where the key is meant and fit for RS256."""
    if not isinstance(entry, dict) or not _SECRET_MEMBERS.isdisjoint(entry):
        return None, None
    if entry.get("kty") != "RSA" or entry.get("use", "sig") != "sig" or entry.get("alg", "RS256") != "RS256":
        return None, None
    kid = entry.get("kid")
    if not isinstance(kid, str) or not 0 < len(kid) <= MAX_KEY_ID_CHARACTERS:
        return None, None
    key = _public_key(entry.get("n"), entry.get("e"))
    return (kid, key) if key is not None and _LEAST_BITS <= key.key_size <= _MOST_BITS else (None, None)


def _public_key(modulus: object, exponent: object) -> RSAPublicKey | None:
    if not isinstance(modulus, str) or not isinstance(exponent, str):
        return None
    if not _MODULUS.fullmatch(modulus) or not _EXPONENT.fullmatch(exponent):
        return None
    try:
        key = RSAAlgorithm.from_jwk({"kty": "RSA", "n": modulus, "e": exponent})
    except (PyJWTError, ValueError):
        return None
    return None if isinstance(key, RSAPrivateKey) else key
