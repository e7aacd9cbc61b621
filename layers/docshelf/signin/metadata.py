"""The documents by which clients find out how to sign in (RFC 8414, RFC 9728, OpenID Connect Discovery)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from docshelf.gateway.messages import HttpRequest, json_response
from docshelf.setting_values import MCP_PATH
from docshelf.signin.answers import Answer
from docshelf.signin.settings import SigninSettings

WELL_KNOWN = "/.well-known/"
AUTHORIZE_PATH = "/authorize"
DECISION_PATH = "/authorize/decision"
REGISTER_PATH = "/register"
REVOKE_PATH = "/revoke"
TOKEN_PATH = "/token"  # noqa: S105 - a path

_KEYS_PATH = f"{WELL_KNOWN}jwks.json"
# Clients ask at every connection, so a change of the settings is seen soon.
_CACHED = (("Cache-Control", "public, max-age=300"),)


def documents(settings: SigninSettings) -> Mapping[str, Callable[[HttpRequest], Answer]]:
    """What answers with each document, by its path."""
    resource = protected_resource(settings)
    server = authorization_server(settings)
    found: dict[str, object] = {
        f"{WELL_KNOWN}oauth-protected-resource": resource,
        f"{WELL_KNOWN}oauth-protected-resource{MCP_PATH}": resource,
        f"{WELL_KNOWN}oauth-authorization-server": server,
        f"{WELL_KNOWN}openid-configuration": server | _open_id(settings),
        # No ID tokens are given, so there is nothing to check them with. Access tokens are for the MCP endpoint alone.
        _KEYS_PATH: {"keys": []},
    }
    return {path: _answering(document) for path, document in found.items()}


def protected_resource(settings: SigninSettings) -> dict[str, object]:
    """What the MCP endpoint is, and where its tokens come from."""
    return {
        "resource": settings.url,
        "authorization_servers": [settings.issuer],
        "scopes_supported": [settings.scope],
        "bearer_methods_supported": ["header"],
        "resource_name": settings.title,
    }


def authorization_server(settings: SigninSettings) -> dict[str, object]:
    """What the sign-in can do, and where."""
    return {
        "issuer": settings.issuer,
        "authorization_endpoint": f"{settings.issuer}{AUTHORIZE_PATH}",
        "token_endpoint": f"{settings.issuer}{TOKEN_PATH}",
        "registration_endpoint": f"{settings.issuer}{REGISTER_PATH}",
        "revocation_endpoint": f"{settings.issuer}{REVOKE_PATH}",
        "scopes_supported": [settings.scope],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
    }


def _open_id(settings: SigninSettings) -> dict[str, object]:
    """What readers of the document for OpenID Connect refuse to do without."""
    return {
        "jwks_uri": f"{settings.issuer}{_KEYS_PATH}",
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
    }


def _answering(document: object) -> Callable[[HttpRequest], Answer]:
    answer = Answer(json_response(200, document, _CACHED))
    return lambda _: answer
