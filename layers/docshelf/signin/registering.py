"""The registration endpoint (RFC 7591)."""

from __future__ import annotations

from collections.abc import Callable

from docshelf.errors import OAuthError
from docshelf.gateway.messages import HttpRequest, json_response
from docshelf.observability import Metric
from docshelf.signin.answers import Answer, as_json
from docshelf.signin.registration import register
from docshelf.signin.sealing import Sealer
from docshelf.signin.settings import SigninSettings


class Registration:
    """Answers `POST /register`."""

    def __init__(self, settings: SigninSettings, sealer: Sealer, clock: Callable[[], float]) -> None:
        """`clock` gives seconds since 1970."""
        self._hosts = settings.redirect_hosts
        self._sealer = sealer
        self._clock = clock

    def __call__(self, request: HttpRequest) -> Answer:
        """The client with its new client_id, or an error in JSON."""
        try:
            made = register(request.body, self._sealer, self._clock, self._hosts)
        except OAuthError as error:
            return as_json(error)
        return Answer(json_response(201, made), counted=Metric.REGISTRATIONS)
