"""The user pool behind the sign-in: where people go, and where codes and refresh tokens become access tokens."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from docshelf.access import strict_json
from docshelf.errors import OAuthError, UserPoolRefusedError, UserPoolUnavailableError
from docshelf.signin.posting import SECONDS, post_form
from docshelf.signin.settings import SigninSettings

_CODE = re.compile(r"[a-z_]{1,40}", re.ASCII)
_TOO_MANY = 429


@dataclass(frozen=True, slots=True)
class IssuedTokens:
    """What the user pool gave: an access token, the seconds it is good for, and a refresh token where it is new."""

    access_token: str = field(repr=False)
    seconds: int | None
    refresh_token: str | None = field(repr=False)


class Cognito:
    """The hosted pages and endpoints of one user pool, as the one client that it knows us by."""

    def __init__(self, settings: SigninSettings, *, seconds: float = SECONDS) -> None:
        """`seconds` is how long each step of a request may take."""
        self._settings = settings
        self._seconds = seconds

    def authorize_url(self, state: str, challenge: str) -> str:
        """Where a person signs in; the answer comes to our callback with `state`."""
        settings = self._settings
        parameters = {
            "response_type": "code",
            "client_id": settings.cognito_client_id,
            "redirect_uri": settings.callback_url,
            "scope": settings.upstream_scope,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        if settings.resource_binding:
            parameters["resource"] = settings.url
        return f"{settings.cognito_url}/oauth2/authorize?{urlencode(parameters, quote_via=quote)}"

    def redeem(self, code: str, verifier: str) -> IssuedTokens:
        """The tokens for a code, which the user pool takes once.

        Raises:
            OAuthError: invalid_grant, it does not take it, or not any more.
            UserPoolUnavailableError, UserPoolRefusedError: it does not answer, or does not know us.
        """
        grant = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier}
        return self._tokens(grant | {"redirect_uri": self._settings.callback_url})

    def refresh(self, token: str) -> IssuedTokens:
        """New tokens for a refresh token; raises what `redeem` does."""
        return self._tokens({"grant_type": "refresh_token", "refresh_token": token})

    def revoke(self, token: str) -> None:
        """End a refresh token, and what was given for it; one that is not known any more is none to end.

        Raises:
            UserPoolUnavailableError, UserPoolRefusedError: see `redeem`.
        """
        status, body = self._post("/oauth2/revoke", {"token": token})
        if not 200 <= status < 300 and _error(_document(body)) not in ("invalid_grant", "invalid_token"):
            raise _refused(body)

    def _tokens(self, form: Mapping[str, str]) -> IssuedTokens:
        status, body = self._post("/oauth2/token", form)
        document = _document(body)
        if status != 200:
            if _error(document) == "invalid_grant":
                raise OAuthError("invalid_grant", "The sign-in has ended, or was used already: sign in again.")
            raise _refused(body)
        access_token, seconds = document.get("access_token"), document.get("expires_in")
        refresh_token = document.get("refresh_token")
        if not isinstance(access_token, str) or not access_token:
            raise UserPoolUnavailableError("The user pool answered without an access token: try again.")
        return IssuedTokens(
            access_token,
            seconds if isinstance(seconds, int) and not isinstance(seconds, bool) else None,
            refresh_token if isinstance(refresh_token, str) and refresh_token else None,
        )

    def _post(self, path: str, form: Mapping[str, str]) -> tuple[int, bytes]:
        settings = self._settings
        headers = {}
        if settings.cognito_client_secret is not None:
            pair = f"{settings.cognito_client_id}:{settings.cognito_client_secret}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        named = {**form, "client_id": settings.cognito_client_id}
        status, body = post_form(f"{settings.cognito_url}{path}", named, headers, self._seconds)
        if status >= 500 or status == _TOO_MANY:
            raise UserPoolUnavailableError(
                f"The user pool does not answer as it should just now ({status}): try again."
            )
        return status, body


def _document(body: bytes) -> dict[str, object]:
    """The object of a JSON answer; empty for what is none."""
    try:
        document = strict_json.loads(body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _error(document: Mapping[str, object]) -> str:
    """The error's code, if it looks like one."""
    code = document.get("error")
    return code if isinstance(code, str) and _CODE.fullmatch(code) else "no code"


def _refused(body: bytes) -> UserPoolRefusedError:
    return UserPoolRefusedError(
        f"The user pool refuses the sign-in's request ({_error(_document(body))}): its app client and the settings of "
        "the sign-in function do not fit."
    )
