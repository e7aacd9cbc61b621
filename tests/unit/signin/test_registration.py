from __future__ import annotations

import json
from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.errors import OAuthError
from docshelf.signin.client_metadata import MAX_BYTES, MAX_NAME_CHARACTERS, NAMELESS
from docshelf.signin.clients import Client, Clients, UnknownClientError
from docshelf.signin.redirects import parse_redirect
from docshelf.signin.registration import MAX_ID_CHARACTERS, REGISTRATION_SECONDS, register
from docshelf.signin.sealing import Purpose, Sealer, SealingKeys

KEYS = SealingKeys.generate()
NOW = 1_800_000_000.0
LOCAL = "http://localhost:58135/callback"
CURSOR = "cursor://anysphere.cursor-mcp/oauth/callback"


class NoDocuments:
    """A place without any document."""

    def client(self, url: str) -> Client:
        raise UnknownClientError(url)


def sealer(now: float = NOW) -> Sealer:
    return Sealer(KEYS, lambda: now)


def registered(allowed: Collection[str] = (), **fields: object) -> dict[str, object]:
    fields.setdefault("redirect_uris", [LOCAL])
    return register(json.dumps(fields).encode(), sealer(), lambda: NOW, allowed)


def known(document: dict[str, object], now: float = NOW, hosts: Collection[str] = ()) -> Client:
    client_id = document["client_id"]
    assert isinstance(client_id, str)
    return Clients(sealer(now), NoDocuments(), hosts).find(client_id)


def refusal(body: bytes) -> OAuthError:
    with pytest.raises(OAuthError) as refused:
        register(body, sealer(), lambda: NOW, ())
    assert refused.value.status == 400
    # What RFC 6749 allows in an error_description.
    assert all(" " <= sign <= "~" and sign not in '"\\' for sign in refused.value.sentence)
    return refused.value


def test_a_registration_is_answered_with_what_was_registered() -> None:
    assert registered(
        client_name="Claude Code (docs)",
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        token_endpoint_auth_method="none",
        application_type="native",
        scope="docs:read",
        software_id="a-b-c",
        resource="https://docs.example.com/mcp",
        x_unknown={"deep": [1, 2]},
    ) | {"client_id": "ID"} == {
        "client_id": "ID",
        "client_id_issued_at": int(NOW),
        "client_name": "Claude Code (docs)",
        "redirect_uris": [LOCAL],
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "application_type": "native",
        "scope": "docs:read",
        "software_id": "a-b-c",
    }


def test_the_client_is_found_by_its_id_with_nothing_kept() -> None:
    client = known(registered(client_name="Codex", redirect_uris=[LOCAL, CURSOR]))
    assert (client.name, client.redirect_uris, client.verified_host) == ("Codex", (LOCAL, CURSOR), None)


def test_the_same_client_that_registers_twice_is_two_clients() -> None:
    assert registered()["client_id"] != registered()["client_id"]


def test_a_registration_is_good_for_ninety_days_and_then_the_client_is_unknown() -> None:
    assert REGISTRATION_SECONDS == 7_776_000
    made = registered()
    assert known(made, NOW + REGISTRATION_SECONDS - 1).redirect_uris == (LOCAL,)
    with pytest.raises(UnknownClientError, match="expired") as refused:
        known(made, NOW + REGISTRATION_SECONDS)
    assert (refused.value.error, refused.value.status) == ("invalid_client", 401)


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post", "private_key_jwt", "none", 7])
def test_whatever_way_to_authenticate_is_asked_for_it_becomes_none(method: object) -> None:
    made = registered(token_endpoint_auth_method=method)
    assert made["token_endpoint_auth_method"] == "none"
    assert "client_secret" not in made


def test_of_several_redirect_uris_the_good_ones_are_kept_once_and_in_order() -> None:
    web = "https://www.cursor.com/agents/mcp/oauth/callback"
    bad = ["javascript:alert(1)", "http://example.com/cb", 7, None, {"uri": LOCAL}, "https://a.example/*"]
    made = registered(redirect_uris=[bad[0], CURSOR, *bad[1:4], web, CURSOR, *bad[4:], LOCAL])
    assert made["redirect_uris"] == [CURSOR, web, LOCAL]
    assert known(made).redirect_uris == (CURSOR, web, LOCAL)


def test_a_set_without_a_good_redirect_uri_is_refused_with_the_reason_of_the_first() -> None:
    error = refusal(json.dumps({"redirect_uris": ["https://a.example/cb#x", "javascript:x"]}).encode())
    assert (error.error, error.sentence) == ("invalid_redirect_uri", "A redirect URI must not have a fragment.")


@pytest.mark.parametrize("uris", [None, [], "", LOCAL, {"0": LOCAL}, [[LOCAL]], [7], [f"{LOCAL}?{'x' * 2_000}"], 0])
def test_redirect_uris_must_be_a_list_with_a_good_one(uris: object) -> None:
    assert refusal(json.dumps({"redirect_uris": uris}).encode()).error == "invalid_redirect_uri"
    assert refusal(b"{}").error == "invalid_redirect_uri"


def test_twenty_redirect_uris_are_taken_and_one_more_is_not() -> None:
    uris = [f"http://localhost:{port}/cb" for port in range(1, 22)]
    assert registered(redirect_uris=uris[:20])["redirect_uris"] == uris[:20]
    assert refusal(json.dumps({"redirect_uris": uris}).encode()).error == "invalid_redirect_uri"


def test_a_client_id_that_would_not_fit_into_an_address_is_refused() -> None:
    long = [f"http://localhost/{letter * 900}" for letter in "abcdef"]
    fitting = registered(redirect_uris=long[:3])["client_id"]
    assert isinstance(fitting, str)
    assert len(fitting) <= MAX_ID_CHARACTERS
    assert refusal(json.dumps({"redirect_uris": long}).encode()).error == "invalid_client_metadata"


def test_redirect_uris_on_other_web_sites_than_the_allowed_ones_are_not_kept() -> None:
    vscode, claude = "https://vscode.dev/redirect", "https://claude.ai/api/mcp/auth_callback"
    made = registered(allowed={"vscode.dev"}, redirect_uris=[claude, vscode, LOCAL, CURSOR])
    assert made["redirect_uris"] == [vscode, LOCAL, CURSOR]
    with pytest.raises(OAuthError) as refused:
        registered(allowed={"vscode.dev"}, redirect_uris=[claude])
    assert refused.value.error == "invalid_redirect_uri"


def test_a_limit_to_web_sites_holds_for_clients_that_had_registered_before() -> None:
    vscode, claude = "https://vscode.dev/redirect", "https://claude.ai/api/mcp/auth_callback"
    made = registered(redirect_uris=[claude, vscode, LOCAL])
    assert known(made, hosts={"vscode.dev"}).redirect_uris == (vscode, LOCAL)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{",
        b"\xff\xfe",
        b'{"redirect_uris": ["http://localhost/cb"], "redirect_uris": ["http://localhost/cb"]}',
        b'{"redirect_uris": ["http://localhost/cb"], "x": NaN}',
        b'{"redirect_uris": ["http://localhost/cb"], "x": ' + b"[" * 50_000,
        b'{"redirect_uris": ["http://localhost/cb"], "x": ' + b"9" * 50_000 + b"}",
        b'{"redirect_uris": ["http://localhost/cb"], "client_name": ["x"]}',
        b'{"redirect_uris": ["http://localhost/cb"], "client_name": 7}',
        b'{"redirect_uris": ["http://localhost/cb"], "grant_types": "authorization_code"}',
        b'{"redirect_uris": ["http://localhost/cb"], "grant_types": ["client_credentials"]}',
        b'{"redirect_uris": ["http://localhost/cb"], "grant_types": []}',
        b'{"redirect_uris": ["http://localhost/cb"], "grant_types": ["authorization_code", 7]}',
        b'{"redirect_uris": ["http://localhost/cb"], "response_types": ["token"]}',
        b'{"redirect_uris": ["http://localhost/cb"]}' + b" " * MAX_BYTES,
        b"x" * 1_000_000,
    ],
)
def test_metadata_of_another_form_is_refused(body: bytes) -> None:
    assert refusal(body).error == "invalid_client_metadata"


def test_metadata_of_64_kib_is_taken() -> None:
    body = json.dumps({"redirect_uris": [LOCAL]}).encode().ljust(MAX_BYTES)
    assert register(body, sealer(), lambda: NOW)["redirect_uris"] == [LOCAL]


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        (None, NAMELESS),
        ("", NAMELESS),
        (" \t\n\u200b\u3164 ", NAMELESS),
        ("  Claude\r\n  Code ", "Claude Code"),
        ("Bücher 📚 読書", "Bücher 📚 読書"),
        ("gpj\u202e.exe", "gpj.exe"),
        ("a\x00b\x1b[31m", "a b [31m"),
        ("half \ud800 a pair", "half a pair"),
        ("pile" + "\u0316" * 90 + "d up", "pile" + "\u0316" * 3 + "d up"),
        ("<b>&amp;", "<b>&amp;"),
        ("x" * 100, "x" * 100),
        ("x" * 101, f"{'x' * 99}…"),
        ("x" * 60_000, f"{'x' * 99}…"),
    ],
)
def test_a_name_is_one_line_that_can_be_seen(given_name: str | None, shown: str) -> None:
    made = registered(client_name=given_name)
    assert made["client_name"] == shown
    assert known(made).name == shown


@given(name=st.text(st.characters(exclude_categories=()), max_size=300))
def test_no_name_breaks_a_line_or_is_longer_than_it_may_be(name: str) -> None:
    shown = known(registered(client_name=name)).name
    assert 0 < len(shown) <= MAX_NAME_CHARACTERS
    assert shown.isprintable()
    assert shown == shown.strip()
    shown.encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
FIELDS = st.sampled_from(["redirect_uris", "client_name", "grant_types", "response_types", "scope", "software_id"])


@given(fields=st.dictionaries(FIELDS, JSON | st.lists(st.sampled_from([LOCAL, CURSOR, "code", "data:x"]), max_size=3)))
def test_whatever_is_sent_ends_in_a_client_or_in_an_error_of_oauth(fields: dict[str, object]) -> None:
    try:
        made = register(json.dumps(fields).encode(), sealer(), lambda: NOW)
    except OAuthError as refused:
        outcome = refused.error
    else:
        outcome = "registered"
        assert known(made).redirect_uris
        for uri in known(made).redirect_uris:
            parse_redirect(uri)
    assert outcome in {"registered", "invalid_redirect_uri", "invalid_client_metadata"}


@given(client_id=st.text(st.characters(exclude_categories=()), max_size=100))
def test_a_made_up_client_id_is_unknown(client_id: str) -> None:
    with pytest.raises(UnknownClientError):
        Clients(sealer(), NoDocuments()).find(client_id)


@pytest.mark.parametrize("purpose", [purpose for purpose in Purpose if purpose is not Purpose.CLIENT])
def test_a_value_that_was_sealed_for_something_else_is_no_client_id(purpose: Purpose) -> None:
    sealed = sealer().seal(purpose, {"n": "x", "r": [LOCAL]}, 60)
    with pytest.raises(UnknownClientError):
        Clients(sealer(), NoDocuments()).find(sealed)
