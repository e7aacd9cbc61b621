"""Tokens that the issuer did not sign, or that try to lead the check astray."""

from __future__ import annotations

import json
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from docshelf.access.keys import KeySource
from docshelf.access.tokens import TokenVerifier
from docshelf.errors import DocshelfError, InvalidTokenError
from tests.support.scripted_server import ScriptedServer, answer, scripted_server
from tests.support.tokens import CLIENT_ID, ISSUER, TokenIssuer, public_jwk
from tests.unit.access.forging import encoded, es256, forged, hs256, ps256, rs256
from tests.unit.access.verifiers import verifier_with

# Halves of surrogate pairs included, which JSON can hold.
ANY_CHARACTER = st.characters(exclude_categories=())


@pytest.fixture(scope="module")
def attacker() -> rsa.RSAPrivateKey:
    """A key that the issuer does not have."""
    return rsa.generate_private_key(65537, 2048)


def refuse(verifier: TokenVerifier, token: str) -> None:
    with pytest.raises(InvalidTokenError):
        verifier.verify(f"Bearer {token}")


def test_a_token_put_together_by_hand_is_taken_when_everything_is_right(
    issuer: TokenIssuer, verifier: TokenVerifier
) -> None:
    token = forged({"alg": "RS256", "kid": issuer.kid}, issuer.claims(), rs256(issuer.key))
    assert verifier.verify(f"Bearer {token}").client_id == CLIENT_ID


@pytest.mark.parametrize("alg", ["none", "None", "NONE", "nOnE", "", None, False, ["none"], ["RS256"], {}])
@pytest.mark.parametrize("signed", [True, False])
def test_a_token_without_an_algorithm_is_refused_signed_or_not(
    issuer: TokenIssuer, verifier: TokenVerifier, alg: object, *, signed: bool
) -> None:
    token = forged({"alg": alg, "kid": issuer.kid}, issuer.claims(), rs256(issuer.key))
    refuse(verifier, token if signed else token.rpartition(".")[0] + ".")
    refuse(verifier, token.rpartition(".")[0])


def test_a_token_that_does_not_name_its_algorithm_is_refused(issuer: TokenIssuer, verifier: TokenVerifier) -> None:
    refuse(verifier, forged({"kid": issuer.kid}, issuer.claims(), rs256(issuer.key)))


def public_forms(issuer: TokenIssuer) -> list[bytes]:
    """The public key in every form that somebody may hold and sign with as if it were a shared secret."""
    public = issuer.key.public_key()
    forms = [
        public.public_bytes(encoding, form)
        for encoding, form in (
            (Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
            (Encoding.PEM, PublicFormat.PKCS1),
            (Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
            (Encoding.DER, PublicFormat.PKCS1),
            (Encoding.OpenSSH, PublicFormat.OpenSSH),
        )
    ]
    entry = public_jwk(issuer.key, issuer.kid)
    return [
        *forms,
        forms[0].rstrip(b"\n"),
        json.dumps(entry).encode(),
        json.dumps(issuer.key_set).encode(),
        entry["n"].encode(),
        public.public_numbers().n.to_bytes(256, "big"),
        issuer.kid.encode(),
        b"",
    ]


@pytest.mark.parametrize("alg", ["HS256", "RS256", "HS512", "hs256"])
def test_the_public_key_is_no_shared_secret_in_any_form(issuer: TokenIssuer, verifier: TokenVerifier, alg: str) -> None:
    for secret in public_forms(issuer):
        refuse(verifier, forged({"alg": alg, "kid": issuer.kid}, issuer.claims(), hs256(secret)))


@pytest.mark.parametrize("alg", ["RS384", "RS512", "PS256", "rs256", "RS256 ", "ES256", "EdDSA"])
def test_another_algorithm_with_the_right_key_is_refused(
    issuer: TokenIssuer, verifier: TokenVerifier, alg: str
) -> None:
    refuse(verifier, forged({"alg": alg, "kid": issuer.kid}, issuer.claims(), rs256(issuer.key)))
    refuse(verifier, forged({"alg": alg, "kid": issuer.kid}, issuer.claims(), ps256(issuer.key)))


def test_another_padding_under_the_right_name_is_refused(issuer: TokenIssuer, verifier: TokenVerifier) -> None:
    refuse(verifier, forged({"alg": "RS256", "kid": issuer.kid}, issuer.claims(), ps256(issuer.key)))


def test_another_key_under_the_right_name_is_refused(
    issuer: TokenIssuer, verifier: TokenVerifier, attacker: rsa.RSAPrivateKey
) -> None:
    refuse(verifier, forged({"alg": "RS256", "kid": issuer.kid}, issuer.claims(), rs256(attacker)))
    curve = ec.generate_private_key(ec.SECP256R1())
    for alg in ("ES256", "RS256"):
        refuse(verifier, forged({"alg": alg, "kid": issuer.kid}, issuer.claims(), es256(curve)))


def test_a_key_that_the_token_brings_along_or_points_to_is_never_used(
    issuer: TokenIssuer, verifier: TokenVerifier, attacker: rsa.RSAPrivateKey
) -> None:
    own = public_jwk(attacker, issuer.kid)
    with scripted_server(lambda _: iter([answer(json.dumps({"keys": [own]}).encode())])) as server:
        for extra in (
            {"jwk": own},
            {"jku": server.url},
            {"x5u": server.url},
            {"x5c": ["MIIB"]},
            {"jwk": own, "jku": server.url, "x5u": server.url},
        ):
            header = {"alg": "RS256", "kid": issuer.kid, **extra}
            refuse(verifier, forged(header, issuer.claims(), rs256(attacker)))
            # Beside the right key and signature they mean nothing.
            token = forged(header, issuer.claims(), rs256(issuer.key))
            assert verifier.verify(f"Bearer {token}").client_id == CLIENT_ID
        assert server.paths == []


KIDS: list[Any] = [
    "",
    "unknown",
    "../../../../dev/null",
    "/etc/passwd",
    "file:///dev/null",
    "https://attacker.example.com/jwks.json",
    "' OR 1=1 --",
    "x\u0000y",
    "\ud800",
    "k" * 10_000,
    "k" * 257,
    None,
    0,
    True,
    [],
    ["kid"],
    {"kid": "kid"},
]


@pytest.mark.parametrize("kid", KIDS, ids=lambda kid: repr(kid)[:24])
def test_a_key_id_is_a_short_text_that_is_only_looked_up(
    issuer: TokenIssuer, verifier: TokenVerifier, attacker: rsa.RSAPrivateKey, kid: object
) -> None:
    for key in (attacker, issuer.key):
        token = forged({"alg": "RS256", "kid": kid}, {"iss": ISSUER}, rs256(key))
        refuse(verifier, token)
        refuse(verifier, forged({"alg": "RS256", "kid": kid}, issuer.claims(), rs256(key)))


def test_a_key_id_that_is_missing_or_that_of_a_list_is_not_guessed(
    issuer: TokenIssuer, verifier: TokenVerifier
) -> None:
    refuse(verifier, forged({"alg": "RS256"}, issuer.claims(), rs256(issuer.key)))
    refuse(verifier, forged({"alg": "RS256", "kid": [issuer.kid]}, issuer.claims(), rs256(issuer.key)))
    refuse(verifier, forged({"alg": "RS256", "kid": issuer.kid + " "}, issuer.claims(), rs256(issuer.key)))


@pytest.mark.parametrize("crit", [["exp"], ["b64"], [], "exp", None, ["urn:example:own"]])
def test_a_demand_for_extensions_is_refused(issuer: TokenIssuer, verifier: TokenVerifier, crit: object) -> None:
    header = {"alg": "RS256", "kid": issuer.kid, "crit": crit, "exp": 9_999_999_999, "b64": True}
    refuse(verifier, forged(header, issuer.claims(), rs256(issuer.key)))


def test_a_payload_that_is_not_encoded_is_refused(issuer: TokenIssuer, verifier: TokenVerifier) -> None:
    refuse(verifier, forged({"alg": "RS256", "kid": issuer.kid, "b64": False}, issuer.claims(), rs256(issuer.key)))


def test_a_claim_or_header_that_is_there_twice_is_refused(issuer: TokenIssuer, verifier: TokenVerifier) -> None:
    header = {"alg": "RS256", "kid": issuer.kid}
    claims = json.dumps(issuer.claims())
    for name, value in (("sub", "boss"), ("exp", 9_999_999_999), ("scope", "docs:read"), ("cognito:groups", ["a"])):
        twice = f"{claims[:-1]}, {json.dumps(name)}: {json.dumps(value)}, {json.dumps(name)}: {json.dumps(value)}}}"
        refuse(verifier, forged(header, twice.encode(), rs256(issuer.key)))
    twice = f'{{"alg": "none", "kid": "{issuer.kid}", "alg": "RS256"}}'
    refuse(verifier, forged(twice.encode(), issuer.claims(), rs256(issuer.key)))


@pytest.mark.parametrize("payload", [b"", b"null", b"[]", b'"text"', b"{", b"\xff", b"[" * 3_000, b'{"exp": NaN}'])
def test_a_payload_that_is_no_object_is_refused_though_it_is_signed(
    issuer: TokenIssuer, verifier: TokenVerifier, payload: bytes
) -> None:
    refuse(verifier, forged({"alg": "RS256", "kid": issuer.kid}, payload, rs256(issuer.key)))


@pytest.mark.parametrize("header", [b"", b"null", b"[]", b"{", b"\xff\xfe", b"[" * 5_000, b'{"alg":' * 500])
def test_a_header_that_is_no_object_is_refused(issuer: TokenIssuer, verifier: TokenVerifier, header: bytes) -> None:
    refuse(verifier, forged(header, issuer.claims(), rs256(issuer.key)))


def test_parts_that_are_added_exchanged_or_left_out_are_refused(issuer: TokenIssuer, verifier: TokenVerifier) -> None:
    header, payload, signature = issuer.issue().split(".")
    other = encoded(issuer.claims(sub="boss"))
    for parts in (
        (header,),
        (header, payload),
        (header, payload, ""),
        ("", payload, signature),
        (header, "", signature),
        (header, other, signature),
        (header, payload, signature, ""),
        (header, payload, signature, signature),
        (header, payload, signature + "="),
        (header, payload + "=", signature),
        (header, payload, signature + "\n"),
        (header, payload, signature[:-1]),
        (header, payload, "A" * len(signature)),
        (header, payload, signature.replace("-", "+").replace("_", "/") + "+"),
    ):
        refuse(verifier, ".".join(parts))


def test_a_signature_has_one_spelling(issuer: TokenIssuer, verifier: TokenVerifier) -> None:
    # 256 bytes leave four bits of the last character unused.
    token = issuer.issue()
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for change in range(1, 16):
        refuse(verifier, token[:-1] + alphabet[alphabet.index(token[-1]) ^ change])


def test_a_token_may_have_8_kib_and_no_more(issuer: TokenIssuer, verifier: TokenVerifier) -> None:
    def of_length(length: int) -> str:
        room = (length - len(issuer.issue(note=""))) * 3 // 4
        sizes = ((more, less) for more in range(3) for less in range(24))
        tokens = (issuer.issue(header={"more": "x" * more}, note="x" * (room - less)) for more, less in sizes)
        return next(token for token in tokens if len(token) == length)

    assert verifier.verify(f"Bearer {of_length(8_192)}").client_id == CLIENT_ID
    refuse(verifier, of_length(8_193))


def test_a_huge_token_is_refused_without_being_read(verifier: TokenVerifier) -> None:
    refuse(verifier, "A" * 10_000_000)
    refuse(verifier, ".".join(["e30"] * 1_000_000))


@given(st.data())
def test_a_token_with_any_one_character_changed_is_refused(
    issuer: TokenIssuer, verifier: TokenVerifier, data: st.DataObject
) -> None:
    token = issuer.issue()
    place = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters(codec="utf-8").filter(lambda character: character != token[place]))
    changed = token[:place] + other + token[place + 1 :]
    if changed.strip(" ") != changed:
        changed = f"{changed}."
    refuse(verifier, changed)


@given(st.text(ANY_CHARACTER, max_size=200) | st.from_regex(r"Bearer [\w.-]{0,80}", fullmatch=True))
def test_any_text_in_the_header_is_refused_as_unauthorized(verifier: TokenVerifier, text: str) -> None:
    with pytest.raises(DocshelfError) as caught:
        verifier.verify(text)
    assert caught.value.status == 401


@given(st.binary(max_size=60), st.binary(max_size=60), st.binary(max_size=60))
def test_any_bytes_in_the_parts_are_refused(verifier: TokenVerifier, header: bytes, payload: bytes, end: bytes) -> None:
    refuse(verifier, f"{encoded(header)}.{encoded(payload)}.{encoded(end)}")


def test_a_thousand_tokens_with_made_up_keys_are_refused_with_one_look_at_the_pool(
    attacker: rsa.RSAPrivateKey,
) -> None:
    with TokenIssuer() as pool:
        verifier = verifier_with(KeySource(pool.keys_url, clock=lambda: 0.0))
        _, payload, signature = forged({}, pool.claims(), rs256(attacker)).split(".")
        for number in range(1_000):
            header = encoded({"alg": "RS256", "kid": f"made-up-{number}"})
            refuse(verifier, f"{header}.{payload}.{signature}")
        assert verifier.verify(f"Bearer {pool.issue()}").client_id == CLIENT_ID
        assert pool.requests == 1


@pytest.mark.parametrize(
    "header", [{"alg": "none", "kid": "new"}, {"alg": "HS256", "kid": "new"}, {"alg": "RS256", "kid": "k" * 257}]
)
def test_a_token_that_cannot_be_right_does_not_lead_to_a_look_at_the_pool(
    issuer: TokenIssuer, header: dict[str, Any]
) -> None:
    with scripted_server(lambda _: iter([answer(b"")])) as server:
        verifier = verifier_with(KeySource(server.url))
        refuse(verifier, forged(header, issuer.claims(), rs256(issuer.key)))
        assert server.paths == []


@pytest.mark.parametrize("kind", ["private", "symmetric", "curve", "short"])
def test_a_key_of_the_pool_that_is_not_fit_for_rs256_signs_nothing(issuer: TokenIssuer, kind: str) -> None:
    secret, curve = b"shared-secret-of-32-bytes-length", ec.generate_private_key(ec.SECP256R1())
    short = rsa.generate_private_key(65537, 1024)
    entry, alg, sign = {
        "private": (jwt.algorithms.RSAAlgorithm.to_jwk(issuer.key, as_dict=True), "RS256", rs256(issuer.key)),
        "symmetric": ({"kty": "oct", "k": encoded(secret)}, "HS256", hs256(secret)),
        "curve": (jwt.algorithms.ECAlgorithm.to_jwk(curve.public_key(), as_dict=True), "ES256", es256(curve)),
        "short": (public_jwk(short, "odd"), "RS256", rs256(short)),
    }[kind]
    keys = {"keys": [{**entry, "kid": "odd"}, public_jwk(issuer.key, "good")]}

    def respond(_: ScriptedServer) -> Any:
        yield answer(json.dumps(keys).encode())

    with scripted_server(respond) as server:
        verifier = verifier_with(KeySource(server.url))
        refuse(verifier, forged({"alg": alg, "kid": "odd"}, issuer.claims(), sign))
        refuse(verifier, forged({"alg": "RS256", "kid": "odd"}, issuer.claims(), sign))
        good = forged({"alg": "RS256", "kid": "good"}, issuer.claims(), rs256(issuer.key))
        assert verifier.verify(f"Bearer {good}").client_id == CLIENT_ID
