"""The revocation endpoint (RFC 7009): a client that is done ends its sign-in."""

from __future__ import annotations

from docshelf.errors import OAuthError
from docshelf.gateway.messages import HttpRequest, HttpResponse
from docshelf.signin.answers import Answer, as_json
from docshelf.signin.asking_client import asking_client
from docshelf.signin.clients import fingerprint
from docshelf.signin.cognito import Cognito
from docshelf.signin.grants import RefreshGrant, check_binding
from docshelf.signin.parameters import of_form
from docshelf.signin.sealing import Sealer
from docshelf.signin.settings import SigninSettings


class Revocation:
    """Answers `POST /revoke`."""

    def __init__(self, settings: SigninSettings, sealer: Sealer, cognito: Cognito) -> None:
        self._settings = settings
        self._sealer = sealer
        self._cognito = cognito

    def __call__(self, request: HttpRequest) -> Answer:
        """Nothing, with the status 200, also for a token that is not known; an access token runs until its end.

        Raises:
            DocshelfError: the user pool or the sealing keys cannot be had just now.
        """
        try:
            form = of_form(request)
            token, client_id = form.needed("token"), asking_client(request, form)
            grant = self._grant(token)
            if grant is not None:
                check_binding(grant, fingerprint(client_id), grant.resource)
                self._cognito.revoke(grant.token)
        except OAuthError as error:
            return as_json(error)
        return Answer(HttpResponse(200, ()))

    def _grant(self, token: str) -> RefreshGrant | None:
        try:
            return RefreshGrant.opened(token, self._sealer)
        except OAuthError:
            return None
