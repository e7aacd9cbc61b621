"""The documents by which clients find out how to sign in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from docshelf.signin.metadata import documents
from tests.unit.signin.begun import ISSUER, asked, settings

RESOURCE = {
    "resource": f"{ISSUER}/mcp",
    "authorization_servers": [ISSUER],
    "scopes_supported": ["docs:read"],
    "bearer_methods_supported": ["header"],
    "resource_name": "Docshelf",
}
SERVER = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "registration_endpoint": f"{ISSUER}/register",
    "revocation_endpoint": f"{ISSUER}/revoke",
    "scopes_supported": ["docs:read"],
    "response_types_supported": ["code"],
    "response_modes_supported": ["query"],
    "grant_types_supported": ["authorization_code", "refresh_token"],
    "token_endpoint_auth_methods_supported": ["none"],
    "revocation_endpoint_auth_methods_supported": ["none"],
    "code_challenge_methods_supported": ["S256"],
    "client_id_metadata_document_supported": True,
    "authorization_response_iss_parameter_supported": True,
}


def document(path: str) -> dict[str, Any]:
    answer = documents(settings())[path](asked("GET", path))
    assert answer.response.status == 200
    assert answer.response.values("content-type") == ("application/json",)
    found: dict[str, Any] = json.loads(answer.response.body)
    return found


@pytest.mark.parametrize("path", ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"])
def test_the_resource_is_described_at_the_root_and_at_its_path(path: str) -> None:
    assert document(path) == RESOURCE


def test_the_authorization_server_is_described() -> None:
    assert document("/.well-known/oauth-authorization-server") == SERVER


def test_readers_for_openid_connect_find_what_they_need_and_no_key_to_misuse() -> None:
    found = document("/.well-known/openid-configuration")
    assert found.items() >= SERVER.items()
    assert found["subject_types_supported"] == ["public"]
    assert found["id_token_signing_alg_values_supported"] == ["RS256"]
    assert document(found["jwks_uri"].removeprefix(ISSUER)) == {"keys": []}
