"""What a person has decided on the consent page: the way to the user pool, or back to the client."""

from __future__ import annotations

import secrets
from urllib.parse import urlsplit

from docshelf.errors import OAuthError
from docshelf.gateway.messages import HttpRequest
from docshelf.signin.answers import Answer, as_page, moved
from docshelf.signin.authorize import CONSENT_COOKIE
from docshelf.signin.cognito import Cognito
from docshelf.signin.cookies import cookie, setting
from docshelf.signin.flow import FLOW_SECONDS, Flow, back_to_client, flow_cookie
from docshelf.signin.pages import APPROVE, CSRF_FIELD, DECISION_FIELD, DENY, REQUEST_FIELD
from docshelf.signin.parameters import Parameters, of_form
from docshelf.signin.pkce import s256
from docshelf.signin.sealing import Purpose, SealBrokenError, Sealer, SealExpiredError
from docshelf.signin.settings import SigninSettings

_HEADING = "This sign-in cannot go on"
_PORTS = {"https": 443, "http": 80}


class Decision:
    """Answers `POST /authorize/decision`."""

    def __init__(self, settings: SigninSettings, sealer: Sealer, cognito: Cognito) -> None:
        self._settings = settings
        self._sealer = sealer
        self._cognito = cognito
        self._origin = _origin(settings.issuer)

    def __call__(self, request: HttpRequest) -> Answer:
        """The way on; a page if the decision is not one of this browser's consent page.

        Raises:
            DocshelfError: the sealing keys cannot be had just now.
        """
        try:
            self._check_sender(request)
            form = of_form(request)
            flow = self._flow(request, form)
            return self._decided(flow, form.needed(DECISION_FIELD))
        except (OAuthError, SealBrokenError, SealExpiredError) as error:
            return as_page(self._settings, _HEADING, _for_people(error))

    def _check_sender(self, request: HttpRequest) -> None:
        site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
        if site not in (None, "same-origin") or origin not in (None, "null", self._origin):
            raise _foreign()
        if origin == "null" and site is None:
            # A page without an origin, in a browser that does not say whose it is.
            raise _foreign()

    def _flow(self, request: HttpRequest, form: Parameters) -> Flow:
        data = self._sealer.unseal(Purpose.REQUEST, form.needed(REQUEST_FIELD))
        browser = cookie(request, CONSENT_COOKIE)
        if browser is None:
            raise OAuthError(
                "invalid_request",
                "Your browser has not kept the cookie of this sign-in: allow cookies for this site, and start again in "
                "your app.",
            )
        given = form.needed(CSRF_FIELD).encode("utf-8", "surrogateescape")
        if not secrets.compare_digest(given, browser.encode()) or not secrets.compare_digest(str(data["b"]), browser):
            raise _foreign()
        return Flow.unpacked(data)

    def _decided(self, flow: Flow, decision: str) -> Answer:
        if decision == APPROVE:
            return self._approved(flow)
        if decision == DENY:
            return self._denied(flow)
        raise OAuthError("invalid_request", "The form does not say what you have decided: start again in your app.")

    def _approved(self, flow: Flow) -> Answer:
        number, browser, verifier = secrets.token_urlsafe(9), secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        data = {"f": number, "b": browser, "v": verifier, **flow.packed()}
        state = self._sealer.seal(Purpose.STATE, data, FLOW_SECONDS)
        location = self._cognito.authorize_url(state, s256(verifier))
        return Answer(moved(location, (setting(flow_cookie(number), browser, FLOW_SECONDS),), status=303))

    def _denied(self, flow: Flow) -> Answer:
        parameters = {"error": "access_denied", "error_description": "The person has not allowed it."}
        return Answer(back_to_client(self._settings, flow, parameters, status=303), "access_denied")


def _foreign() -> OAuthError:
    return OAuthError("invalid_request", "The form was not sent from the page that this server showed you.", 403)


def _for_people(error: OAuthError | SealBrokenError | SealExpiredError) -> OAuthError:
    if isinstance(error, SealExpiredError):
        return OAuthError("invalid_request", "You took longer than ten minutes: start again in your app.")
    if isinstance(error, SealBrokenError):
        return OAuthError("invalid_request", "This is not a sign-in that was begun here: start again in your app.")
    return error


def _origin(issuer: str) -> str:
    """The issuer as browsers write an origin: in lower case, without the port that is the usual one."""
    parts = urlsplit(issuer.lower())
    return issuer.lower().removesuffix(f":{_PORTS[parts.scheme]}") if parts.port else issuer.lower()
