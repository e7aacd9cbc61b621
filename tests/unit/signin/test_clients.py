from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.signin.clients import Client, Clients, UnknownClientError, fingerprint
from docshelf.signin.redirects import RedirectError, RedirectKind
from docshelf.signin.sealing import Sealer, SealingKeys

ADDRESS = "https://claude.ai/oauth/claude-code-client-metadata"
CLAUDE = Client(
    ADDRESS, "Claude Code", ("http://localhost/callback", "https://claude.ai/api/mcp/auth_callback"), "claude.ai"
)


class OneDocument:
    """A place with the document of one client."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def client(self, url: str) -> Client:
        self.asked.append(url)
        if url != ADDRESS:
            raise UnknownClientError("There is no such document.")
        return CLAUDE


def clients(documents: OneDocument, *hosts: str) -> Clients:
    return Clients(Sealer(SealingKeys.generate()), documents, hosts)


def test_a_client_id_that_is_an_address_is_looked_up_there() -> None:
    documents = OneDocument()
    assert clients(documents).find(ADDRESS) == CLAUDE
    assert documents.asked == [ADDRESS]


def test_a_limit_to_web_sites_holds_for_documents_too() -> None:
    assert clients(OneDocument(), "vscode.dev").find(ADDRESS).redirect_uris == ("http://localhost/callback",)


def test_a_client_id_of_enormous_length_is_unknown_and_never_looked_up() -> None:
    documents = OneDocument()
    for client_id in (f"{ADDRESS}/{'x' * 1_000_000}", "x" * 1_000_000):
        with pytest.raises(UnknownClientError, match="too long"):
            clients(documents).find(client_id)
    assert documents.asked == []


def test_a_redirect_uri_is_given_with_its_parts_if_it_is_one_of_the_clients() -> None:
    found = CLAUDE.redirect("http://localhost:58135/callback")
    assert (found.uri, found.kind) == ("http://localhost:58135/callback", RedirectKind.LOOPBACK)


@pytest.mark.parametrize(
    "requested",
    [
        "http://127.0.0.1:58135/callback",
        "http://localhost.evil.com/callback",
        "https://claude.ai.evil.com/api/mcp/auth_callback",
        "https://claude.ai/api/mcp/auth_callback?x=1",
        "javascript:alert(1)",
        "",
    ],
)
def test_any_other_redirect_uri_is_refused_without_repeating_it(requested: str) -> None:
    with pytest.raises(RedirectError) as refused:
        CLAUDE.redirect(requested)
    assert not requested or requested not in str(refused.value)


@given(one=st.text(st.characters(exclude_categories=()), max_size=50), two=st.text(max_size=50))
def test_a_fingerprint_is_short_and_the_same_for_the_same_client_alone(one: str, two: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", fingerprint(one))
    assert (fingerprint(one) == fingerprint(two)) == (one == two)
    assert Client(one, "x", (), None).fingerprint == fingerprint(one)
