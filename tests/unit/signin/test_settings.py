"""Settings of the sign-in function: read once, and a wrong one is named."""

from __future__ import annotations

import pytest

from docshelf.errors import SettingsError
from docshelf.signin.settings import SigninSettings
from tests.unit.signin.begun import ENVIRONMENT, ISSUER, settings

NEEDED = ("DOCSHELF_URL", "DOCSHELF_COGNITO_URL", "DOCSHELF_COGNITO_CLIENT_ID")


def test_what_is_not_set_has_its_default() -> None:
    made = settings(contact=None)
    assert (made.issuer, made.callback_url) == (ISSUER, f"{ISSUER}/callback")
    assert (made.scope, made.upstream_scope) == ("docs:read", f"{ISSUER}/mcp/docs:read")
    assert (made.resource_binding, made.trust_local_documents) == (True, False)
    assert (made.title, made.contact, made.blurb, made.cognito_client_secret) == ("Docshelf", None, None, None)
    assert made.redirect_hosts == ()
    assert made.allowed_hosts == {"docs.example.com"}


def test_switches_and_lists_are_read() -> None:
    made = settings(
        resource_binding="0", redirect_hosts="claude.ai, vscode.dev", hosts="a.example", scope="x/docs:read"
    )
    assert (made.resource_binding, made.upstream_scope) == (False, "x/docs:read")
    assert made.redirect_hosts == ("claude.ai", "vscode.dev")
    assert made.allowed_hosts == {"docs.example.com", "a.example"}


def test_no_secret_is_shown() -> None:
    made = settings(cognito_client_secret="s3cret-of-the-client")
    assert "s3cret" not in repr(made)
    assert ENVIRONMENT["DOCSHELF_SEALING_KEYS"] not in repr(made)


@pytest.mark.parametrize("name", NEEDED)
def test_what_must_be_set_is_named(name: str) -> None:
    with pytest.raises(SettingsError, match=rf"^{name} must be set\.$"):
        SigninSettings.from_environment({key: text for key, text in ENVIRONMENT.items() if key != name})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("url", "https://docs.example.com"),
        ("url", "http://docs.example.com/mcp"),
        ("cognito_url", "http://pool.example.com"),
        ("cognito_url", "https://pool.example.com/"),
        ("cognito_url", "https://pool.example.com/oauth2"),
        ("cognito_url", "https://Pool.example.com"),
        ("cognito_url", "pool.example.com"),
        ("scope", "docs:read docs:write"),
        ("resource_binding", "perhaps"),
        ("trust_local_documents", "on"),
        ("redirect_hosts", "https://claude.ai"),
        ("redirect_hosts", "claude.ai:443"),
        ("redirect_hosts", "Claude.ai"),
        ("redirect_hosts", "*.claude.ai"),
        ("hosts", "*"),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_variable(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=rf"^DOCSHELF_{name.upper()} must "):
        settings(**{name: value})


@pytest.mark.parametrize("changed", [{"sealing_keys": None}, {"sealing_keys_secret": "a-secret"}])
def test_the_sealing_keys_have_one_place(changed: dict[str, str | None]) -> None:
    with pytest.raises(SettingsError, match=r"^Either DOCSHELF_SEALING_KEYS_SECRET or DOCSHELF_SEALING_KEYS must"):
        settings(**changed)
    assert settings(sealing_keys=None, sealing_keys_secret="a-secret").sealing_keys is None
