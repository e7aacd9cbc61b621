"""How a refused request is told to sign in (RFC 6750, RFC 9728)."""

from __future__ import annotations

import re

from docshelf.errors import DocshelfError, InsufficientScopeError, InvalidTokenError, MissingTokenError

# What RFC 6750 allows between the quotation marks of a value.
_NOT_ALLOWED = re.compile(r"[^\x20\x21\x23-\x5b\x5d-\x7e]")


def challenge(error: DocshelfError, *, resource_metadata: str, scope: str) -> str | None:
    """The value of `WWW-Authenticate` for a refused request, None for an error that another token cannot mend.

    `resource_metadata` is the absolute address of the protected resource's metadata, `scope` what a token must grant.
    """
    metadata = _parameter("resource_metadata", resource_metadata)
    wanted = _parameter("scope", scope)
    if isinstance(error, MissingTokenError):
        return f"Bearer {metadata}, {wanted}"
    if isinstance(error, InvalidTokenError):
        description = _parameter("error_description", error.sentence)
        return f'Bearer error="invalid_token", {description}, {metadata}, {wanted}'
    if isinstance(error, InsufficientScopeError):
        return f'Bearer error="insufficient_scope", {wanted}, {metadata}'
    return None


def _parameter(name: str, value: str) -> str:
    return f'{name}="{_NOT_ALLOWED.sub("?", value)}"'
