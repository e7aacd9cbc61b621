from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.access.challenge import challenge
from docshelf.errors import (
    DocshelfError,
    InsufficientScopeError,
    InvalidTokenError,
    KeysUnavailableError,
    MissingTokenError,
    NotFoundError,
    StoreDeniedError,
)

# Halves of surrogate pairs included, which JSON can hold.
ANY_CHARACTER = st.characters(exclude_categories=())
METADATA = "https://docs.example.com/.well-known/oauth-protected-resource/mcp"


def challenged(error: DocshelfError) -> str | None:
    return challenge(error, resource_metadata=METADATA, scope="docs:read")


def test_without_a_token_the_challenge_says_where_to_sign_in_and_names_no_error() -> None:
    assert (
        challenged(MissingTokenError("Sign in first.")) == f'Bearer resource_metadata="{METADATA}", scope="docs:read"'
    )


def test_a_bad_token_is_named_as_the_error_with_its_reason() -> None:
    assert challenged(InvalidTokenError("The token has expired: sign in again.")) == (
        'Bearer error="invalid_token", error_description="The token has expired: sign in again.", '
        f'resource_metadata="{METADATA}", scope="docs:read"'
    )


def test_a_missing_scope_is_named_as_the_error_with_the_scope_that_is_needed() -> None:
    assert challenged(InsufficientScopeError("Not given for reading.")) == (
        f'Bearer error="insufficient_scope", scope="docs:read", resource_metadata="{METADATA}"'
    )


@pytest.mark.parametrize("kind", [KeysUnavailableError, NotFoundError, StoreDeniedError, DocshelfError])
def test_an_error_that_another_token_cannot_mend_has_no_challenge(kind: type[DocshelfError]) -> None:
    assert challenged(kind("Something else.")) is None


@given(st.text(ANY_CHARACTER))
def test_no_sentence_can_end_its_quotation_or_the_header(sentence: str) -> None:
    value = challenged(InvalidTokenError(sentence))
    assert value is not None
    assert re.fullmatch(r'Bearer \w+="[^"\\]*"(, \w+="[^"\\]*"){3}', value)
    assert value.isascii()
    assert value.isprintable()
