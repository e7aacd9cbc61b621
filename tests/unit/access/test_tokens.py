"""Which tokens are taken, and what is refused though the issuer signed it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.access.caller import Caller
from docshelf.access.keys import KeySource
from docshelf.access.tokens import TokenVerifier
from docshelf.errors import (
    InsufficientScopeError,
    InvalidTokenError,
    KeysUnavailableError,
    MissingTokenError,
)
from tests.support.scripted_server import answer, scripted_server
from tests.support.tokens import AUDIENCE, CLIENT_ID, ISSUER, TokenIssuer
from tests.unit.access.forging import forged, rs256
from tests.unit.access.verifiers import verifier_with


@pytest.fixture
def bearer(issuer: TokenIssuer, verifier: TokenVerifier) -> Any:
    """Verify a token that the issuer signs with these claims."""
    return lambda **claims: verifier.verify(f"Bearer {issuer.issue(**claims)}")


def at(moment: float, issuer: TokenIssuer) -> TokenVerifier:
    """A verifier whose clock stands still."""
    return verifier_with(KeySource(issuer.keys_url), clock=lambda: moment)


def test_the_token_of_a_person_names_the_caller(bearer: Any) -> None:
    assert bearer(sub="anna", groups=["sales", "engineers"], scope="openid docs:read") == Caller(
        "anna", CLIENT_ID, ("sales", "engineers"), frozenset({"openid", "docs:read"})
    )


def test_the_token_of_a_machine_has_its_client_as_the_subject(bearer: Any) -> None:
    caller = bearer(sub=CLIENT_ID, without=["username", "auth_time"])
    assert caller.subject == caller.client_id == CLIENT_ID
    assert caller.groups == ()


def test_a_subject_that_has_no_utf_8_form_has_a_pseudonym_all_the_same(bearer: Any) -> None:
    assert len(bearer(sub="\ud800").pseudonym) == 12


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER ", "bEaReR   "])
def test_the_scheme_is_read_in_any_case(issuer: TokenIssuer, verifier: TokenVerifier, scheme: str) -> None:
    assert verifier.verify(scheme + issuer.issue()).client_id == CLIENT_ID


@pytest.mark.parametrize(
    "authorization",
    [None, "", " ", "Bearer", "Bearer ", "Bearer   ", "Basic dXNlcjp3b3Jk", "Digest a=b", "Bearertoken", "DPoP a.b.c"],
)
def test_a_request_without_a_bearer_token_has_no_caller(verifier: TokenVerifier, authorization: str | None) -> None:
    with pytest.raises(MissingTokenError):
        verifier.verify(authorization)


def test_a_bare_token_without_a_scheme_is_no_bearer_token(issuer: TokenIssuer, verifier: TokenVerifier) -> None:
    with pytest.raises(MissingTokenError):
        verifier.verify(issuer.issue())


def test_two_tokens_in_one_header_are_refused(issuer: TokenIssuer, verifier: TokenVerifier) -> None:
    with pytest.raises(InvalidTokenError):
        verifier.verify(f"Bearer {issuer.issue()}, Bearer {issuer.issue()}")


@pytest.mark.parametrize(
    "other",
    [
        ISSUER + "/",
        ISSUER[:-1],
        ISSUER + "x",
        ISSUER.upper(),
        ISSUER.replace("https", "http"),
        ISSUER + "/../eu-central-1_Other",
        "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Other",
        "",
        None,
        [ISSUER],
        {"iss": ISSUER},
    ],
)
def test_another_issuer_is_refused_however_alike_its_name(bearer: Any, other: object) -> None:
    with pytest.raises(InvalidTokenError):
        bearer(iss=other)


@pytest.mark.parametrize("use", ["id", "refresh", "Access", "access ", "", None, True, ["access"]])
def test_only_an_access_token_is_taken(bearer: Any, use: object) -> None:
    with pytest.raises(InvalidTokenError):
        bearer(token_use=use)


def test_an_id_token_for_this_very_client_is_refused(bearer: Any) -> None:
    with pytest.raises(InvalidTokenError, match="access token"):
        bearer(token_use="id", aud=CLIENT_ID)


@pytest.mark.parametrize("name", ["iss", "exp", "token_use", "client_id", "sub"])
def test_a_claim_that_must_be_there_must_be_there(bearer: Any, name: str) -> None:
    with pytest.raises(InvalidTokenError):
        bearer(without=[name])


@pytest.mark.parametrize("name", ["client_id", "sub"])
@pytest.mark.parametrize("value", ["", None, 7, ["anna"], {"name": "anna"}, True])
def test_who_is_asking_is_told_by_texts(bearer: Any, name: str, value: object) -> None:
    with pytest.raises(InvalidTokenError):
        bearer(**{name: value}, aud=AUDIENCE)


def test_a_token_is_valid_up_to_its_end_and_thirty_seconds_more(issuer: TokenIssuer) -> None:
    token = f"Bearer {issuer.issue(exp=2_000, iat=1_000)}"
    assert at(2_029.9, issuer).verify(token).client_id == CLIENT_ID
    with pytest.raises(InvalidTokenError, match="expired"):
        at(2_030, issuer).verify(token)


@pytest.mark.parametrize("name", ["nbf", "iat"])
def test_a_token_is_valid_from_its_beginning_and_thirty_seconds_before(issuer: TokenIssuer, name: str) -> None:
    times: dict[str, Any] = {"iat": 1, "exp": 2_000, name: 1_000}
    token = f"Bearer {issuer.issue(**times)}"
    assert at(970, issuer).verify(token).client_id == CLIENT_ID
    with pytest.raises(InvalidTokenError, match="not valid yet"):
        at(969.9, issuer).verify(token)


def test_a_token_need_not_say_when_it_began(bearer: Any) -> None:
    assert bearer(without=["iat"])


@pytest.mark.parametrize(
    "moment", [None, "", "2999-01-01", "9999999999", True, False, [9_999_999_999], {}, float("nan"), float("inf")]
)
@pytest.mark.parametrize("name", ["exp", "nbf", "iat"])
def test_a_moment_is_a_finite_number(bearer: Any, name: str, moment: object) -> None:
    with pytest.raises(InvalidTokenError):
        bearer(**{name: moment})


@pytest.mark.parametrize("moment", [-(10**300), -1, 0, 0.5])
def test_a_moment_long_ago_is_an_end_but_no_obstacle_to_a_beginning(bearer: Any, moment: float) -> None:
    assert bearer(nbf=moment, iat=moment)
    with pytest.raises(InvalidTokenError, match="expired"):
        bearer(exp=moment)


@pytest.mark.parametrize("digits", ["1e999", "9" * 400 + ".9", "-1e999"], ids=["huge", "digits", "negative"])
def test_a_number_too_large_for_a_float_is_not_for_ever(
    issuer: TokenIssuer, verifier: TokenVerifier, digits: str
) -> None:
    claims = json.dumps(issuer.claims(exp="END")).replace('"END"', digits)
    token = forged({"alg": "RS256", "kid": issuer.kid}, claims.encode(), rs256(issuer.key))
    with pytest.raises(InvalidTokenError):
        verifier.verify(f"Bearer {token}")


@pytest.mark.parametrize("moment", [10**300, 10**310, 99_999_999_999.5])
def test_any_number_that_is_finite_is_a_moment(bearer: Any, moment: float) -> None:
    assert bearer(exp=moment)


@pytest.mark.parametrize("aud", [AUDIENCE, [AUDIENCE], ["https://other.example.com", AUDIENCE]])
def test_a_token_for_this_server_is_taken_from_any_client(bearer: Any, aud: object) -> None:
    assert bearer(aud=aud, client_id="registered-elsewhere").client_id == "registered-elsewhere"


@pytest.mark.parametrize(
    "aud",
    [
        "https://other.example.com/mcp",
        AUDIENCE + "/",
        AUDIENCE[:-1],
        AUDIENCE.upper(),
        f"{AUDIENCE} https://other.example.com",
        CLIENT_ID,
        "",
        [],
        [[AUDIENCE]],
        [AUDIENCE, 7],
        {AUDIENCE: True},
        None,
        True,
        0,
    ],
)
def test_a_token_for_another_server_is_refused_even_from_a_known_client(bearer: Any, aud: object) -> None:
    with pytest.raises(InvalidTokenError):
        bearer(aud=aud, client_id=CLIENT_ID)


@pytest.mark.parametrize("other", ["other-client", CLIENT_ID.upper(), CLIENT_ID + " ", CLIENT_ID[:-1], "*"])
def test_a_token_without_an_audience_is_refused_from_a_client_that_is_not_listed(bearer: Any, other: str) -> None:
    with pytest.raises(InvalidTokenError, match="client"):
        bearer(client_id=other)


def test_without_listed_clients_only_tokens_with_an_audience_are_taken(issuer: TokenIssuer) -> None:
    strict = TokenVerifier(
        issuer=ISSUER, keys=KeySource(issuer.keys_url), audience=AUDIENCE, client_ids=(), scope="docs:read"
    )
    assert strict.verify(f"Bearer {issuer.issue(aud=AUDIENCE)}").client_id == CLIENT_ID
    with pytest.raises(InvalidTokenError):
        strict.verify(f"Bearer {issuer.issue()}")


@pytest.mark.parametrize("scope", ["docs:read", f"{AUDIENCE}/docs:read", f"openid  {AUDIENCE}/docs:read profile"])
def test_the_scope_may_stand_by_itself_or_behind_the_audience(bearer: Any, scope: str) -> None:
    assert bearer(scope=scope)


@pytest.mark.parametrize(
    "scope",
    [
        "",
        "openid profile",
        "docs:reader",
        "Docs:Read",
        "docs:write",
        "docs:read,openid",
        "openid\tdocs:read",
        "https://other.example.com/mcp/docs:read",
        f"{AUDIENCE}docs:read",
        AUDIENCE,
    ],
)
def test_a_token_that_was_given_for_something_else_lacks_the_scope(bearer: Any, scope: str) -> None:
    with pytest.raises(InsufficientScopeError):
        bearer(scope=scope)


def test_a_token_without_any_scope_lacks_it(bearer: Any) -> None:
    with pytest.raises(InsufficientScopeError):
        bearer(without=["scope"])


def test_a_token_that_is_bad_in_another_way_too_is_told_to_be_bad(bearer: Any) -> None:
    with pytest.raises(InvalidTokenError):
        bearer(scope="openid", exp=1)


@pytest.mark.parametrize("scope", [None, ["docs:read"], {"docs:read": True}, 1, True])
def test_scopes_are_one_text(bearer: Any, scope: object) -> None:
    with pytest.raises(InvalidTokenError):
        bearer(scope=scope)


@pytest.mark.parametrize(
    "groups", [None, "sales", "", {"sales": True}, [1], [None], [["sales"]], ["sales", 7], 0, True]
)
def test_groups_of_another_form_than_a_list_of_texts_are_refused(bearer: Any, groups: object) -> None:
    with pytest.raises(InvalidTokenError):
        bearer(**{"cognito:groups": groups})


def test_an_empty_list_of_groups_is_no_group(bearer: Any) -> None:
    assert bearer(groups=[]).groups == ()


def test_while_the_keys_cannot_be_had_nobody_is_told_that_the_token_is_bad(issuer: TokenIssuer) -> None:
    with scripted_server(lambda _: iter([answer(b"", status="503 Service Unavailable")])) as server:
        verifier = verifier_with(KeySource(server.url))
        for _ in range(3):
            with pytest.raises(KeysUnavailableError):
                verifier.verify(f"Bearer {issuer.issue()}")
        assert len(server.paths) == 1


SECRET = "s3cr3t-v4lue"
WRONG: dict[str, dict[str, Any]] = {
    "issuer": {"iss": SECRET},
    "use": {"token_use": SECRET},
    "audience": {"aud": SECRET},
    "client": {"client_id": SECRET},
    "scope": {"scope": SECRET},
    "groups": {"cognito:groups": SECRET},
    "end": {"exp": SECRET},
    "expired": {"sub": SECRET, "exp": 1},
    "key": {"header": {"kid": SECRET}},
    "algorithm": {"header": {"crit": [SECRET]}},
}


@pytest.mark.parametrize("claims", WRONG.values(), ids=WRONG.keys())
def test_no_message_holds_a_claim_or_a_part_of_the_token(
    issuer: TokenIssuer, verifier: TokenVerifier, claims: dict[str, Any]
) -> None:
    token = issuer.issue(**claims)
    with pytest.raises((InvalidTokenError, InsufficientScopeError)) as caught:
        verifier.verify(f"Bearer {token}")
    said = [str(caught.value), caught.value.sentence, repr(caught.value)]
    assert not any(part in text for text in said for part in (SECRET, *token.split(".")))
    # What a logged traceback would show.
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


CLAIM_NAMES = ["iss", "sub", "client_id", "token_use", "scope", "aud", "exp", "nbf", "iat", "cognito:groups"]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from(CLAIM_NAMES), ANYTHING, min_size=1, max_size=3))
def test_whatever_a_claim_holds_the_answer_is_a_caller_or_one_of_our_errors(
    issuer: TokenIssuer, verifier: TokenVerifier, claims: dict[str, Any]
) -> None:
    try:
        caller = verifier.verify(f"Bearer {issuer.issue(**claims)}")
    except (InvalidTokenError, InsufficientScopeError):
        return
    assert {"iss", "token_use", "scope", "aud"}.isdisjoint(claims)
    assert caller.client_id == CLIENT_ID
