"""The authorization endpoint: everything is checked before anybody is sent anywhere, and the person is asked."""

from __future__ import annotations

import json
import re
import secrets

from docshelf.errors import OAuthError
from docshelf.gateway.messages import HttpRequest, HttpResponse
from docshelf.signin.answers import Answer, as_page
from docshelf.signin.clients import Client, Clients
from docshelf.signin.cookies import cookie, setting
from docshelf.signin.flow import FLOW_SECONDS, Flow, back_to_client
from docshelf.signin.metadata import DECISION_PATH
from docshelf.signin.pages import ConsentView, consent
from docshelf.signin.parameters import Parameters, check_resource, of_query
from docshelf.signin.redirects import Redirect, RedirectError, RedirectKind
from docshelf.signin.sealing import Purpose, Sealer
from docshelf.signin.settings import SigninSettings

CONSENT_COOKIE = "consent"
MAX_STATE_CHARACTERS = 2_000

_MAX_STATE_JSON = 3_000
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_HEADING = "This sign-in cannot begin"
_ALLOWED = "Search and read the documents that you may see."


class Authorization:
    """Answers `GET /authorize`."""

    def __init__(self, settings: SigninSettings, sealer: Sealer, clients: Clients) -> None:
        self._settings = settings
        self._sealer = sealer
        self._clients = clients

    def __call__(self, request: HttpRequest) -> Answer:
        """The consent page, or what is wrong: told to the person, or to the client once its address is sure.

        Raises:
            DocshelfError: the client's document or the sealing keys cannot be had just now.
        """
        try:
            parameters = of_query(request)
            client, redirect = self._destination(parameters)
        except (OAuthError, RedirectError) as error:
            if error.retryable:
                raise
            # Whatever code and status the error has for programs: the one who reads this is a person.
            return as_page(self._settings, _HEADING, OAuthError(_code(error), error.sentence))
        try:
            state, challenge = self._checked(parameters)
        except OAuthError as error:
            return self._refused(error, Flow.of_client(client, redirect, _kept_state(parameters), ""))
        return self._asked(request, client, Flow.of_client(client, redirect, state, challenge))

    def _destination(self, parameters: Parameters) -> tuple[Client, Redirect]:
        if not parameters.repeated.isdisjoint({"client_id", "redirect_uri"}):
            parameters.check_no_repetition()
        client = self._clients.find(parameters.needed("client_id"))
        return client, client.redirect(parameters.needed("redirect_uri"))

    def _checked(self, parameters: Parameters) -> tuple[str | None, str]:
        """The client's state and challenge, once everything else is as it must be."""
        parameters.check_no_repetition()
        for name, code in (("request", "request_not_supported"), ("request_uri", "request_uri_not_supported")):
            if parameters.get(name) is not None:
                raise OAuthError(code, f"The parameter {name} is not supported: send the parameters by themselves.")
        if parameters.needed("response_type") != "code":
            raise OAuthError("unsupported_response_type", "The response_type must be code.")
        if parameters.get("response_mode") not in (None, "query"):
            raise OAuthError("invalid_request", "The response_mode must be query.")
        if parameters.get("code_challenge_method") != "S256":
            # Without a method the challenge would be the verifier itself.
            raise OAuthError("invalid_request", "PKCE is needed, with the code_challenge_method S256.")
        challenge = parameters.needed("code_challenge")
        if not _CHALLENGE.fullmatch(challenge):
            raise OAuthError("invalid_request", "The code_challenge is not one of S256.")
        check_resource(parameters, self._settings.url)
        state = parameters.get("state")
        if not _is_short(state):
            raise OAuthError("invalid_request", f"The state has more than {MAX_STATE_CHARACTERS:,} characters.")
        return state, challenge

    def _refused(self, error: OAuthError, flow: Flow) -> Answer:
        if flow.redirect.kind is RedirectKind.WEB and flow.redirect.host not in self._settings.redirect_hosts:
            # Anybody may register a web site, so links to here would lead people to any place (RFC 9700, 4.11.2).
            return as_page(self._settings, _HEADING, error)
        parameters = {"error": error.error, "error_description": error.sentence}
        return Answer(back_to_client(self._settings, flow, parameters), error.error, error.sentence)

    def _asked(self, request: HttpRequest, client: Client, flow: Flow) -> Answer:
        # One for all tabs, so that links to here cannot fill the browser with cookies.
        browser = cookie(request, CONSENT_COOKIE) or secrets.token_urlsafe(32)
        sealed = self._sealer.seal(Purpose.REQUEST, {"b": browser, **flow.packed()}, FLOW_SECONDS)
        page = consent(
            ConsentView(
                title=self._settings.title,
                client_name=client.name,
                verified_host=client.verified_host,
                redirect_kind=flow.redirect.kind,
                redirect_shown=flow.redirect.host_shown,
                is_local_app=client.verified_host is not None and flow.redirect.kind is not RedirectKind.WEB,
                scopes=((self._settings.scope, _ALLOWED),),
                request=sealed,
                csrf=browser,
                action=DECISION_PATH,
            )
        )
        bound = setting(CONSENT_COOKIE, browser, FLOW_SECONDS)
        return Answer(HttpResponse(page.status, (*page.headers, bound), page.body))


def _kept_state(parameters: Parameters) -> str | None:
    state = parameters.get("state")
    return state if _is_short(state) else None


def _is_short(state: str | None) -> bool:
    # What is not ASCII grows when it is sealed, and then has to fit into an address.
    return state is None or (len(state) <= MAX_STATE_CHARACTERS and len(json.dumps(state)) <= _MAX_STATE_JSON)


def _code(error: OAuthError | RedirectError) -> str:
    return error.error if isinstance(error, OAuthError) else "invalid_redirect_uri"
