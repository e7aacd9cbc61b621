"""Every path of the sign-in and what answers there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from docshelf.gateway.messages import HttpRequest
from docshelf.signin.answers import Answer
from docshelf.signin.authorize import Authorization
from docshelf.signin.callback import Callback
from docshelf.signin.client_documents import ClientDocuments
from docshelf.signin.clients import Clients, Documents
from docshelf.signin.cognito import Cognito
from docshelf.signin.decision import Decision
from docshelf.signin.freshness import Freshness
from docshelf.signin.metadata import AUTHORIZE_PATH, DECISION_PATH, REGISTER_PATH, REVOKE_PATH, TOKEN_PATH, documents
from docshelf.signin.pages import LandingView, landing
from docshelf.signin.registering import Registration
from docshelf.signin.revocation import Revocation
from docshelf.signin.router import Endpoint, Route
from docshelf.signin.sealers import sealer_of
from docshelf.signin.settings import CALLBACK_PATH, SigninSettings
from docshelf.signin.tokens_endpoint import TokensEndpoint


@dataclass(frozen=True, slots=True)
class _Endpoints:
    """The endpoints that need sealing keys."""

    register: Endpoint
    authorize: Endpoint
    decision: Endpoint
    callback: Endpoint
    tokens: Endpoint
    revoke: Endpoint

    @classmethod
    def made(cls, settings: SigninSettings, published: Documents) -> _Endpoints:
        """The endpoints; raises what `sealer_of` raises."""
        sealer = sealer_of(settings)
        clients, cognito = Clients(sealer, published, settings.redirect_hosts), Cognito(settings)
        return cls(
            register=Registration(settings, sealer, time.time),
            authorize=Authorization(settings, sealer, clients),
            decision=Decision(settings, sealer, cognito),
            callback=Callback(settings, sealer),
            tokens=TokensEndpoint(settings, sealer, clients, cognito),
            revoke=Revocation(settings, sealer, cognito),
        )


class _WithKeys:
    """Makes the endpoints when the first of them is asked, and keeps them once that could be done."""

    def __init__(self, settings: SigninSettings, published: Documents) -> None:
        self._settings = settings
        self._published = published
        if settings.sealing_keys is not None:
            # Keys that are at hand are read now, so that a wrong setting keeps the function from starting.
            _ = self._made

    @cached_property
    def _made(self) -> _Endpoints:
        return _Endpoints.made(self._settings, self._published)

    def __call__(self, chosen: Callable[[_Endpoints], Endpoint]) -> Endpoint:
        """The endpoint that `chosen` takes of them."""

        def answer(request: HttpRequest) -> Answer:
            return chosen(self._made)(request)

        return answer


def routes_of(settings: SigninSettings, published: Documents | None = None) -> dict[str, Route]:
    """The routes by their paths. Documents of clients come from `published`, where it is given, else from the internet.

    Raises:
        SettingsError: DOCSHELF_SEALING_KEYS cannot be read.
    """
    if published is None:
        published = ClientDocuments(local=settings.trust_local_documents, own_hosts=settings.allowed_hosts)
    with_keys = _WithKeys(settings, published)
    authorize = with_keys(lambda made: made.authorize)
    fresh = Freshness(settings.index)

    def front(_: HttpRequest) -> Answer:
        return Answer(landing(LandingView(settings.title, settings.url, settings.blurb, None, fresh())))

    return {
        "/": Route("landing", _read(front), for_people=True),
        **{path: Route("metadata", _read(answer), is_open=True) for path, answer in documents(settings).items()},
        REGISTER_PATH: Route("register", {"POST": with_keys(lambda made: made.register)}, is_open=True),
        AUTHORIZE_PATH: Route("authorize", _read(authorize), for_people=True),
        DECISION_PATH: Route("decision", {"POST": with_keys(lambda made: made.decision)}, for_people=True),
        # Not HEAD: this is answered once.
        CALLBACK_PATH: Route("callback", {"GET": with_keys(lambda made: made.callback)}, for_people=True),
        TOKEN_PATH: Route("token", {"POST": with_keys(lambda made: made.tokens)}, is_open=True),
        REVOKE_PATH: Route("revoke", {"POST": with_keys(lambda made: made.revoke)}, is_open=True),
    }


def _read(endpoint: Endpoint) -> dict[str, Endpoint]:
    return {"GET": endpoint, "HEAD": endpoint}
