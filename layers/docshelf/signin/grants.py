"""What a client gets in place of the user pool's code and refresh token: the same, sealed, and bound to that client."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from docshelf.errors import OAuthError
from docshelf.signin.flow import Flow
from docshelf.signin.pkce import is_proof
from docshelf.signin.sealing import Purpose, SealBrokenError, Sealer, SealExpiredError

CODE_SECONDS = 300
"""As long as the user pool's own code is good for, which takes it once."""
REFRESH_SECONDS = 366 * 24 * 3600
"""Counted from the last refresh. The user pool ends its token earlier, by its own setting."""


@dataclass(frozen=True, slots=True)
class CodeGrant:
    """The user pool's `code` with our `verifier` for it, and what the client must show to have it redeemed.

    `client` is the client's fingerprint, `redirect` that of its redirect URI, `resource` what its tokens are for.
    """

    client: str
    redirect: str
    challenge: str
    resource: str
    code: str = field(repr=False)
    verifier: str = field(repr=False)

    @classmethod
    def of_flow(cls, flow: Flow, code: str, verifier: str, resource: str) -> CodeGrant:
        """The grant that ends `flow`."""
        return cls(flow.client, _digest(flow.redirect.uri), flow.challenge, resource, code, verifier)

    @classmethod
    def opened(cls, text: str, sealer: Sealer) -> CodeGrant:
        """The grant of a code that a client sends.

        Raises:
            OAuthError: invalid_grant, it was not given here, or its time is over.
        """
        data = _opened(Purpose.CODE, text, sealer, "The code")
        names = ("c", "r", "p", "u", "k", "v")
        client, redirect, challenge, resource, code, verifier = (str(data[name]) for name in names)
        return cls(client, redirect, challenge, resource, code, verifier)

    def sealed(self, sealer: Sealer) -> str:
        """The code for the client."""
        data = {"c": self.client, "r": self.redirect, "p": self.challenge, "u": self.resource}
        return sealer.seal(Purpose.CODE, data | {"k": self.code, "v": self.verifier}, CODE_SECONDS)

    def check(self, redirect_uri: str, verifier: str | None) -> None:
        """Let the client pass that asked for the code.

        Raises:
            OAuthError: invalid_grant, the redirect URI is another, or the verifier is not that of its challenge.
        """
        if not secrets.compare_digest(_digest(redirect_uri), self.redirect):
            raise OAuthError("invalid_grant", "The redirect_uri is not the one that the code was sent to.")
        if verifier is None or not is_proof(verifier, self.challenge):
            raise OAuthError("invalid_grant", "The code_verifier is not that of the code_challenge.")


@dataclass(frozen=True, slots=True)
class RefreshGrant:
    """The user pool's refresh token, the client's fingerprint, and what its tokens are for."""

    client: str
    resource: str
    token: str = field(repr=False)

    @classmethod
    def opened(cls, text: str, sealer: Sealer) -> RefreshGrant:
        """The grant of a refresh token that a client sends; raises as `CodeGrant.opened` does."""
        data = _opened(Purpose.REFRESH, text, sealer, "The refresh token")
        return cls(str(data["c"]), str(data["u"]), str(data["t"]))

    def sealed(self, sealer: Sealer) -> str:
        """The refresh token for the client."""
        return sealer.seal(Purpose.REFRESH, {"c": self.client, "u": self.resource, "t": self.token}, REFRESH_SECONDS)


def check_binding(grant: CodeGrant | RefreshGrant, client: str, resource: str) -> None:
    """Let the grant pass that was given to the client with the fingerprint `client`, for `resource`.

    Raises:
        OAuthError: invalid_grant, it was not.
    """
    if not secrets.compare_digest(grant.client, client):
        raise OAuthError("invalid_grant", "This was given to another client.")
    if grant.resource != resource:
        raise OAuthError("invalid_grant", "This was given for another address of this server: sign in again.")


def _opened(purpose: Purpose, text: str, sealer: Sealer, what: str) -> Mapping[str, object]:
    try:
        return sealer.unseal(purpose, text)
    except SealBrokenError:
        raise OAuthError("invalid_grant", f"{what} was not given here: sign in again.") from None
    except SealExpiredError:
        raise OAuthError("invalid_grant", f"{what} has expired: sign in again.") from None


def _digest(uri: str) -> str:
    data = hashlib.sha256(uri.encode("utf-8", "surrogateescape")).digest()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
