"""Settings of the search function: read once, and a wrong one is named."""

from __future__ import annotations

import pytest

from docshelf.errors import SettingsError
from docshelf.settings import CloudSettings, Limits, SearchSettings

NEEDED = {
    "DOCSHELF_INDEX": "s3://shelf-index/index",
    "DOCSHELF_URL": "https://docs.example.com/mcp",
    "DOCSHELF_TOKEN_ISSUER": "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_a",
}


def read(**changed: str) -> SearchSettings:
    return SearchSettings.from_environment(
        NEEDED | {f"DOCSHELF_{name.upper()}": value for name, value in changed.items()}
    )


def test_what_is_not_set_has_its_default() -> None:
    made = read()
    assert made.keys_url == f"{NEEDED['DOCSHELF_TOKEN_ISSUER']}/.well-known/jwks.json"
    assert made.resource_metadata == "https://docs.example.com/.well-known/oauth-protected-resource/mcp"
    assert made.allowed_hosts == {"docs.example.com"}
    assert (made.client_ids, made.browser_origins, made.access, made.blurb) == ((), (), None, None)
    assert (made.scope, made.model, made.answer_seconds) == ("docs:read", "auto", 25)


def test_lists_are_split_at_commas_and_blank_parts_are_left_out() -> None:
    made = read(
        client_ids=" one, two ,, ",
        hosts="API.example.com, docs.example.com:443",
        browser_origins="http://localhost:6274,https://app.example.com",
        token_keys_url="http://127.0.0.1:9/keys",
        answer_seconds="7",
    )
    assert made.client_ids == ("one", "two")
    assert made.allowed_hosts == {"docs.example.com", "api.example.com"}
    assert made.browser_origins == ("http://localhost:6274", "https://app.example.com")
    assert (made.keys_url, made.answer_seconds) == ("http://127.0.0.1:9/keys", 7)


@pytest.mark.parametrize("name", NEEDED)
@pytest.mark.parametrize("value", [None, "", "  "])
def test_what_must_be_set_is_named(name: str, value: str | None) -> None:
    environment = {key: text for key, text in NEEDED.items() if key != name} | ({name: value} if value else {})
    with pytest.raises(SettingsError, match=rf"^{name} must be set\.$"):
        SearchSettings.from_environment(environment)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("index", "/data/index"),
        ("index", "s3://"),
        ("index", "s3:///index"),
        ("index", "s3://Shelf Index/index"),
        ("url", "http://docs.example.com/mcp"),
        ("url", "https://docs.example.com/mcp/"),
        ("url", "https://docs.example.com"),
        ("url", "https://docs.example.com/mcp?x=1"),
        ("url", "https://someone@docs.example.com/mcp"),
        ("url", "https:///mcp"),
        ("url", "https://docs.example.com:99999/mcp"),
        ("url", 'https://docs".example.com/mcp'),
        ("url", "docs.example.com/mcp"),
        ("token_issuer", "http://issuer.example.com"),
        ("token_keys_url", "file:///etc/keys.json"),
        ("scope", "docs:read docs:write"),
        ("scope", 'docs"'),
        ("browser_origins", "*"),
        ("browser_origins", "null"),
        ("browser_origins", "https://app.example.com/"),
        ("browser_origins", "https://App.example.com"),
        ("browser_origins", "https://*.example.com"),
        ("hosts", "*"),
        ("hosts", "https://docs.example.com"),
        ("answer_seconds", "0"),
        ("answer_seconds", "soon"),
        ("request_seconds", "0"),
        ("request_seconds", "soon"),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_variable(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=rf"^DOCSHELF_{name.upper()} must "):
        read(**{name: value})


def test_recognition_is_off_unless_it_is_named() -> None:
    assert not Limits.from_environment({}).recognises
    assert not Limits.from_environment({"DOCSHELF_OCR": " "}).recognises
    made = Limits.from_environment({"DOCSHELF_OCR": "textract", "DOCSHELF_OCR_MAX_PAGES": "7"})
    assert (made.recognises, made.ocr_max_pages) == (True, 7)


@pytest.mark.parametrize(
    ("variable", "value"), [("DOCSHELF_OCR", "tesseract"), ("DOCSHELF_OCR", "1"), ("DOCSHELF_OCR_MAX_PAGES", "0")]
)
def test_a_wrong_setting_of_recognition_is_named(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        Limits.from_environment({variable: value})


def test_the_topic_and_the_role_of_recognition_are_set_together() -> None:
    places = {"BUCKET": "b", "INDEX": "s3://bucket/index", "INGEST_QUEUE_URL": "q", "COMMIT_QUEUE_URL": "q"}
    needed = {f"DOCSHELF_{name}": value for name, value in places.items()}
    assert CloudSettings.from_environment(needed).ocr_topic is None
    with pytest.raises(SettingsError, match="DOCSHELF_OCR_ROLE must be set together"):
        CloudSettings.from_environment({**needed, "DOCSHELF_OCR_TOPIC": "arn:aws:sns:eu-central-1:1:t"})
