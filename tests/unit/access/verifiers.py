"""Verifiers for the tokens of the tests' issuer."""

from __future__ import annotations

import time
from collections.abc import Callable

from docshelf.access.keys import KeySource
from docshelf.access.tokens import TokenVerifier
from tests.support.tokens import AUDIENCE, CLIENT_ID, ISSUER, SCOPE


def verifier_with(keys: KeySource, clock: Callable[[], float] = time.time) -> TokenVerifier:
    """A verifier that takes what `TokenIssuer` issues, as far as `keys` hold the key it is signed with."""
    return TokenVerifier(issuer=ISSUER, keys=keys, audience=AUDIENCE, client_ids=[CLIENT_ID], scope=SCOPE, clock=clock)
