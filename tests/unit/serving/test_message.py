"""What the log may say of a message, whatever a client sends."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.request_record import OTHER
from docshelf.serving.message import MessageFacts, facts_of

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["method", "params", "_meta", "clientInfo", "name", "version", "protocolVersion"])
NESTED = st.recursive(JSON_VALUES, lambda inner: st.dictionaries(KEYS, inner, max_size=4), max_leaves=10)


def body(value: object) -> bytes:
    return json.dumps(value).encode()


def test_the_handshake_names_method_version_and_client() -> None:
    params = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "claude-code", "version": "2.1.332"}}
    facts = facts_of(body({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}), None)
    assert facts == MessageFacts("initialize", "2025-06-18", "claude-code 2.1.332")


def test_a_modern_request_names_them_in_its_envelope() -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "Codex", "version": "0.171.0"},
    }
    facts = facts_of(body({"method": "tools/call", "params": {"name": "x", "_meta": meta}}), "2026-07-28")
    assert facts == MessageFacts("tools/call", "2026-07-28", "Codex 0.171.0")


@pytest.mark.parametrize("damaged", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[]", b'"method"', b"null", b"{}"])
def test_a_damaged_message_says_only_what_its_header_does(damaged: bytes) -> None:
    assert facts_of(damaged, "2025-11-25") == MessageFacts(version="2025-11-25")


def test_what_a_client_makes_up_is_not_repeated() -> None:
    secret = "the salary of everybody"
    made_up = {"method": secret, "params": {"protocolVersion": secret, "clientInfo": secret, "_meta": [secret]}}
    assert facts_of(body(made_up), None) == MessageFacts(OTHER, OTHER, None)
    assert facts_of(b"{}", secret).version == OTHER


@given(NESTED, st.none() | st.text(max_size=20))
def test_any_message_gives_short_words_of_plain_signs(value: object, header: str | None) -> None:
    facts = facts_of(body(value), header)
    for text in (facts.method, facts.version, facts.client):
        assert text is None or (text.isascii() and text.isprintable() and 0 < len(text) <= 81)


@given(st.binary(max_size=200))
def test_any_bytes_are_judged(data: bytes) -> None:
    facts_of(data, None)
