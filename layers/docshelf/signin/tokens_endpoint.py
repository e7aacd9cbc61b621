"""The token endpoint: our codes and refresh tokens become the user pool's access tokens (RFC 6749, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from docshelf.errors import OAuthError
from docshelf.gateway.messages import HttpRequest, json_response
from docshelf.observability import Metric
from docshelf.signin.answers import Answer, as_json
from docshelf.signin.asking_client import asking_client
from docshelf.signin.clients import Clients, fingerprint
from docshelf.signin.cognito import Cognito, IssuedTokens
from docshelf.signin.grants import CodeGrant, RefreshGrant, check_binding
from docshelf.signin.parameters import Parameters, check_resource, of_form
from docshelf.signin.sealing import Sealer
from docshelf.signin.settings import SigninSettings

_Grant = TypeVar("_Grant", CodeGrant, RefreshGrant)

_CHALLENGE = (("WWW-Authenticate", 'Basic realm="docshelf"'),)


class TokensEndpoint:
    """Answers `POST /token`."""

    def __init__(self, settings: SigninSettings, sealer: Sealer, clients: Clients, cognito: Cognito) -> None:
        self._settings = settings
        self._sealer = sealer
        self._clients = clients
        self._cognito = cognito

    def __call__(self, request: HttpRequest) -> Answer:
        """Tokens, or an error in JSON.

        Raises:
            DocshelfError: the user pool, the client's document or the sealing keys cannot be had just now.
        """
        try:
            form = of_form(request)
            client_id = asking_client(request, form)
            return self._granted(form, client_id)
        except OAuthError as error:
            tried = error.status == 401 and "authorization" in request.headers
            return as_json(error, _CHALLENGE if tried else ())

    def _granted(self, form: Parameters, client_id: str) -> Answer:
        match form.needed("grant_type"):
            case "authorization_code":
                return self._redeemed(form, client_id)
            case "refresh_token":
                return self._refreshed(form, client_id)
        raise OAuthError("unsupported_grant_type", "The grant_type must be authorization_code or refresh_token.")

    def _redeemed(self, form: Parameters, client_id: str) -> Answer:
        code = form.needed("code")
        grant = self._bound(client_id, lambda: CodeGrant.opened(code, self._sealer))
        check_resource(form, self._settings.url)
        grant.check(form.needed("redirect_uri"), form.get("code_verifier"))
        return self._given(self._cognito.redeem(grant.code, grant.verifier), grant.client, None, Metric.SIGN_INS)

    def _refreshed(self, form: Parameters, client_id: str) -> Answer:
        token = form.needed("refresh_token")
        grant = self._bound(client_id, lambda: RefreshGrant.opened(token, self._sealer))
        check_resource(form, self._settings.url)
        return self._given(self._cognito.refresh(grant.token), grant.client, grant.token, Metric.REFRESHES)

    def _bound(self, client_id: str, opened: Callable[[], _Grant]) -> _Grant:
        """The grant, if it was given to this client; that it is not known here comes before all that is wrong."""
        try:
            grant = opened()
        except OAuthError:
            self._clients.find(client_id)
            raise
        client = fingerprint(client_id)
        if "://" not in client_id or grant.client != client:
            # The document of a client that was given something was looked at then; now it need not be there.
            self._clients.find(client_id)
        check_binding(grant, client, self._settings.url)
        return grant

    def _given(self, issued: IssuedTokens, client: str, kept: str | None, counted: Metric) -> Answer:
        """The answer with new tokens; `kept` is the user pool's refresh token, which it may give a new one for."""
        answer: dict[str, object] = {"access_token": issued.access_token, "token_type": "Bearer"}
        if issued.seconds is not None:
            answer["expires_in"] = issued.seconds
        answer["scope"] = self._settings.scope
        token = issued.refresh_token or kept
        if token is not None:
            answer["refresh_token"] = RefreshGrant(client, self._settings.url, token).sealed(self._sealer)
        # RFC 6749 asks for both; caches that only know the older one are still around.
        headers = (("Cache-Control", "no-store"), ("Pragma", "no-cache"))
        return Answer(json_response(200, answer, headers), counted=counted)
