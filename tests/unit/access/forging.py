"""Tokens put together part by part, as no library would make them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from cryptography.hazmat.primitives.hashes import SHA256

Sign = Callable[[bytes], bytes]


def encoded(part: bytes | dict[str, Any]) -> str:
    """One part of a token: base64url without padding."""
    data = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def forged(header: bytes | dict[str, Any], payload: bytes | dict[str, Any], sign: Sign) -> str:
    """A token of these parts, signed by `sign`."""
    signed = f"{encoded(header)}.{encoded(payload)}"
    return f"{signed}.{encoded(sign(signed.encode()))}"


def rs256(key: rsa.RSAPrivateKey) -> Sign:
    """RSASSA-PKCS1-v1_5 with SHA-256."""
    return lambda data: key.sign(data, padding.PKCS1v15(), SHA256())


def ps256(key: rsa.RSAPrivateKey) -> Sign:
    """RSASSA-PSS with SHA-256."""
    return lambda data: key.sign(data, padding.PSS(padding.MGF1(SHA256()), 32), SHA256())


def es256(key: ec.EllipticCurvePrivateKey) -> Sign:
    """ECDSA on P-256 with SHA-256."""

    def sign(data: bytes) -> bytes:
        r, s = utils.decode_dss_signature(key.sign(data, ec.ECDSA(SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    return sign


def hs256(secret: bytes) -> Sign:
    """HMAC with SHA-256."""
    return lambda data: hmac.new(secret, data, hashlib.sha256).digest()
