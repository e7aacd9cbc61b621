"""What comes back from the user pool: only in the browser that was sent there, and on to the client."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping

from docshelf.errors import OAuthError
from docshelf.gateway.messages import HttpRequest
from docshelf.signin.answers import Answer, as_page
from docshelf.signin.cookies import cookie, deleting
from docshelf.signin.flow import Flow, back_to_client, flow_cookie
from docshelf.signin.grants import CodeGrant
from docshelf.signin.parameters import Parameters, of_query
from docshelf.signin.sealing import Purpose, SealBrokenError, Sealer, SealExpiredError
from docshelf.signin.settings import SigninSettings

_HEADING = "This sign-in cannot be finished"
_CODE = re.compile(r"[!-~]{1,1024}", re.ASCII)
_DENIED = "access_denied"
# What the user pool says is not repeated: it is written for whoever set it up, and anybody may call this address.
_SENTENCES = {
    _DENIED: "The user pool has not let you in: you cancelled, or your account may not use this.",
    "server_error": "The user pool could not sign you in: try again, and ask whoever runs this server if it goes on.",
    "temporarily_unavailable": "The user pool cannot sign anybody in just now: try again later.",
}


class Callback:
    """Answers `GET /callback`."""

    def __init__(self, settings: SigninSettings, sealer: Sealer) -> None:
        self._settings = settings
        self._sealer = sealer

    def __call__(self, request: HttpRequest) -> Answer:
        """The way back to the client; a page if this browser has not begun the sign-in, or too long ago.

        Raises:
            DocshelfError: the sealing keys cannot be had just now.
        """
        try:
            parameters = of_query(request)
            parameters.check_no_repetition()
            data = self._opened(parameters)
            number = flow_cookie(str(data["f"]))
            self._check_browser(cookie(request, number), str(data["b"]))
            answer = self._result(parameters, data)
        except OAuthError as error:
            return as_page(self._settings, _HEADING, error)
        response = back_to_client(self._settings, Flow.unpacked(data), answer, (deleting(number),))
        return Answer(response, answer.get("error"), answer.get("error_description"))

    def _opened(self, parameters: Parameters) -> Mapping[str, object]:
        try:
            return self._sealer.unseal(Purpose.STATE, parameters.needed("state"))
        except SealBrokenError:
            raise OAuthError(
                "invalid_request", "This is not a sign-in that was begun here: start again in your app."
            ) from None
        except SealExpiredError:
            raise OAuthError("invalid_request", "You took longer than ten minutes: start again in your app.") from None

    def _check_browser(self, found: str | None, expected: str) -> None:
        if found is None or not secrets.compare_digest(found, expected):
            raise OAuthError(
                "invalid_request",
                "This sign-in was begun in another browser, or is finished already: start again in your app, in one "
                "browser.",
            )

    def _result(self, parameters: Parameters, data: Mapping[str, object]) -> dict[str, str]:
        """What the client is told: a code of ours, or what went wrong."""
        error = parameters.get("error")
        if error is not None:
            known = error if error in _SENTENCES else "server_error"
            return {"error": known, "error_description": _SENTENCES[known]}
        code = parameters.needed("code")
        if not _CODE.fullmatch(code):
            raise OAuthError(
                "invalid_request", "The user pool has sent no code that could be one: start again in your app."
            )
        grant = CodeGrant.of_flow(Flow.unpacked(data), code, str(data["v"]), self._settings.url)
        return {"code": grant.sealed(self._sealer)}
