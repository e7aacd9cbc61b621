"""The sign-in function: an OAuth authorization server over events of API Gateway, which keeps nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from docshelf.errors import (
    DocshelfError,
    EventError,
    OAuthError,
    SigninUnavailableError,
    UserPoolRefusedError,
    UserPoolUnavailableError,
)
from docshelf.gateway.events import answer_of, request_of
from docshelf.gateway.messages import HttpRequest
from docshelf.observability import logger
from docshelf.request_record import log_fault
from docshelf.signin.answers import Answer, Headers, as_json, as_page, broken
from docshelf.signin.clients import Documents
from docshelf.signin.endpoints import routes_of
from docshelf.signin.record import RequestRecord
from docshelf.signin.router import Router
from docshelf.signin.settings import SigninSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

_HEADING = "This sign-in cannot go on"
_ONLY_HTTPS = (("Strict-Transport-Security", "max-age=31536000"),)


class SigninFunction:
    """One instance of the function. It keeps its sealing keys, documents of clients, and nothing of a sign-in."""

    def __init__(
        self,
        settings: SigninSettings,
        *,
        published: Documents | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keys in a secret are first read by a request that needs them. `clock` counts seconds.

        `published` has the documents of clients, where these do not come from the internet.

        Raises:
            SettingsError: DOCSHELF_SEALING_KEYS cannot be read.
        """
        self._settings = settings
        self._published = published
        self._router = self._made_anew()
        self._further: Headers = _ONLY_HTTPS if settings.issuer.startswith("https:") else ()
        self._clock = clock
        self._cold = True

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """An instance with the settings of `environment`; raises SettingsError where one is wrong."""
        return cls(SigninSettings.from_environment(environment))

    def handle(self, event: Mapping[str, object], context: LambdaContext) -> dict[str, object]:
        """Answer one request. Nothing is raised: an event that is none of API Gateway is answered 400."""
        try:
            request = request_of(event)
        except EventError as error:
            logger.error(error.sentence)
            return answer_of(event, as_json(error).response)
        record = RequestRecord(
            request=request, name=self._router.route(request.path).name, cold=self._cold, clock=self._clock
        )
        self._cold = False
        answer = self._answer(request)
        record.write(answer)
        return answer_of(event, self._router.finished(request, answer.response, self._further))

    def before_snapshot(self) -> None:
        """Load what reads the sealing keys, but not the keys themselves: they shall be in no snapshot."""
        if self._settings.sealing_keys_secret is not None:
            from docshelf.aws.clients import secrets_client

            secrets_client()

    def after_restore(self) -> None:
        """Read sealing keys and documents of clients anew when they are asked for."""
        self._router = self._made_anew()

    def _made_anew(self) -> Router:
        return Router(routes_of(self._settings, self._published), self._settings.allowed_hosts)

    def _answer(self, request: HttpRequest) -> Answer:
        try:
            return self._router.answer(request)
        except DocshelfError as error:
            return replace(self._refused(request, _for_strangers(error)), reason=error.sentence)
        except Exception as error:  # noqa: BLE001 - the boundary: a client gets a reference, the log what happened
            stands_for, reference = broken()
            log_fault(error, reference)
            return self._refused(request, stands_for)

    def _refused(self, request: HttpRequest, error: DocshelfError) -> Answer:
        if self._router.route(request.path).for_people:
            return as_page(self._settings, _HEADING, error)
        return as_json(error)


def _for_strangers(error: DocshelfError) -> DocshelfError:
    """`error` as anybody may read it: the sentences of all others name what the server is made of, such as a secret."""
    if isinstance(error, OAuthError | UserPoolRefusedError | UserPoolUnavailableError):
        return error
    if error.retryable:
        return SigninUnavailableError("The server cannot answer just now: try again.")
    return OAuthError("server_error", "The server is not set up as it should be; its log says what is missing.", 500)
