from __future__ import annotations

from collections.abc import Iterator

import pytest

from docshelf.access.keys import KeySource
from docshelf.access.tokens import TokenVerifier
from tests.support.tokens import TokenIssuer
from tests.unit.access.verifiers import verifier_with


@pytest.fixture(scope="session")
def issuer() -> Iterator[TokenIssuer]:
    """An issuer whose keys nobody rotates."""
    with TokenIssuer() as running:
        yield running


@pytest.fixture(scope="session")
def verifier(issuer: TokenIssuer) -> TokenVerifier:
    """Takes the tokens of `issuer`, with its keys fetched from their address."""
    return verifier_with(KeySource(issuer.keys_url))
