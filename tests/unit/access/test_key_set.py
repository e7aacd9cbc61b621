from __future__ import annotations

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from hypothesis import given
from hypothesis import strategies as st
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from docshelf.access.key_set import MAX_KEYS, parse_key_set
from docshelf.errors import KeysUnavailableError
from tests.support.tokens import TokenIssuer, public_jwk


def parsed(*entries: object) -> list[str]:
    return list(parse_key_set(json.dumps({"keys": entries}).encode()))


@pytest.fixture(scope="module")
def good(issuer: TokenIssuer) -> dict[str, Any]:
    return public_jwk(issuer.key, "good")


def test_a_key_is_found_by_its_id(issuer: TokenIssuer) -> None:
    keys = parse_key_set(json.dumps(issuer.key_set).encode())
    assert keys[issuer.kid].public_numbers() == issuer.key.public_key().public_numbers()


def test_use_and_algorithm_may_be_absent(good: dict[str, Any]) -> None:
    assert parsed({name: good[name] for name in ("kty", "kid", "n", "e")}) == ["good"]


@pytest.mark.parametrize(
    "change",
    [
        {"kty": "EC"},
        {"kty": "oct"},
        {"kty": ["RSA"]},
        {"kty": None},
        {"use": "enc"},
        {"use": None},
        {"alg": "RS512"},
        {"alg": "PS256"},
        {"alg": "HS256"},
        {"alg": "RSA-OAEP"},
        {"alg": None},
        {"kid": None},
        {"kid": ""},
        {"kid": 7},
        {"kid": ["good"]},
        {"kid": "k" * 257},
        {"n": None},
        {"n": ""},
        {"n": 7},
        {"n": "not base64!"},
        {"n": "AQAB"},
        {"n": "A" * 1_400},
        {"n": "_" * 1_400},
        {"n": "_" * 10_000},
        {"e": None},
        {"e": ""},
        {"e": "AQ"},
        {"e": "Ag"},
        {"e": "A"},
        {"e": "_" * 100},
        {"d": "AQAB"},
        {"p": "AQAB"},
        {"k": "c2VjcmV0"},
    ],
    ids=lambda change: json.dumps(change)[:32],
)
def test_a_key_that_is_not_fit_for_rs256_is_passed_over(good: dict[str, Any], change: dict[str, Any]) -> None:
    assert parsed({**good, **change}, {**good, "kid": "another"}) == ["another"]


@pytest.mark.parametrize("junk", ["!", "\n", " ", "=", "+/", "ü"])
def test_a_key_that_is_not_spelled_in_base64url_is_passed_over(good: dict[str, Any], junk: str) -> None:
    assert parsed({**good, "n": good["n"] + junk}) == []
    assert parsed({**good, "e": good["e"] + junk}) == []


@pytest.mark.parametrize("entry", [None, 1, "key", [], {}, {"keys": []}])
def test_an_entry_that_is_no_key_is_passed_over(good: dict[str, Any], entry: object) -> None:
    assert parsed(entry, good) == ["good"]


def test_a_private_key_is_passed_over_since_whoever_reads_it_can_sign(issuer: TokenIssuer) -> None:
    assert parsed({**RSAAlgorithm.to_jwk(issuer.key, as_dict=True), "kid": "leaked"}) == []


def test_keys_of_other_kinds_are_passed_over(good: dict[str, Any]) -> None:
    curve = ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1()).public_key(), as_dict=True)
    secret = {"kty": "oct", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQ", "alg": "HS256"}
    assert parsed({**curve, "kid": "curve"}, {**secret, "kid": "secret"}, good) == ["good"]


def test_a_key_of_less_than_2048_bits_is_passed_over() -> None:
    assert parsed(public_jwk(rsa.generate_private_key(65537, 1024), "short")) == []


def test_a_set_may_have_twenty_keys_and_no_more(good: dict[str, Any]) -> None:
    entries = [{**good, "kid": f"key-{number}"} for number in range(MAX_KEYS)]
    assert len(parsed(*entries)) == MAX_KEYS == 20
    with pytest.raises(KeysUnavailableError, match="more than 20"):
        parsed(*entries, good)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Sign in</html>",
        b"[]",
        b"null",
        b"{}",
        b'{"keys": null}',
        b'{"keys": {}}',
        b'{"keys": "good"}',
        b'{"keys": [], "keys": []}',
        b"\xff\xfe",
        b"[" * 60_000,
    ],
    ids=lambda body: body[:20].decode("latin-1") or "nothing",
)
def test_what_is_no_key_set_is_refused_with_the_setting_to_look_at(body: bytes) -> None:
    with pytest.raises(KeysUnavailableError, match="DOCSHELF_TOKEN_KEYS_URL"):
        parse_key_set(body)


JSON = st.recursive(st.none() | st.integers() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3))
MEMBERS = st.dictionaries(st.sampled_from(["kty", "use", "alg", "kid", "n", "e", "d", "x"]), JSON | st.just("RSA"))


@given(st.lists(MEMBERS, max_size=3))
def test_no_entry_whatever_it_holds_makes_a_set_unreadable(good: dict[str, Any], entries: list[dict[str, Any]]) -> None:
    assert "good" in parsed(*entries, good)
