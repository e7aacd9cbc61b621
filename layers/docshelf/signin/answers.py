"""Answers of the sign-in, for programs, for people and for the client behind a redirect URI."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from docshelf.errors import DocshelfError, OAuthError
from docshelf.gateway.messages import HttpResponse, json_response
from docshelf.observability import Metric
from docshelf.signin.pages import FailureView, failure
from docshelf.signin.settings import SigninSettings

RETRY_SECONDS = 5

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A response, and what log and metrics say of it: an error's code, a sentence of ours, and what has happened."""

    response: HttpResponse
    error: str | None = None
    reason: str | None = None
    counted: Metric | None = None


def as_json(error: DocshelfError, headers: Headers = ()) -> Answer:
    """`error` for a program, in the form of RFC 6749; one that passes says when to try again."""
    code = error_code(error)
    value = {"error": code, "error_description": error.sentence}
    response = json_response(error.status, value, (*headers, *_retry(error)))
    return Answer(response, code, error.sentence)


def as_page(settings: SigninSettings, heading: str, error: DocshelfError) -> Answer:
    """`error` for a person, below `heading`."""
    view = FailureView(settings.title, heading, error.sentence, settings.contact, error.status)
    made = failure(view)
    response = HttpResponse(made.status, (*made.headers, *_retry(error)), made.body)
    return Answer(response, error_code(error), error.sentence)


def error_code(error: DocshelfError) -> str:
    """The code of `error` in the words of OAuth."""
    if isinstance(error, OAuthError):
        return error.error
    return "temporarily_unavailable" if error.retryable else "server_error"


def moved(location: str, headers: Headers = (), *, status: int = 302) -> HttpResponse:
    """The way to `location`, which is no more told where from than anybody later."""
    return HttpResponse(status, (("Location", location), ("Referrer-Policy", "no-referrer"), *headers))


def broken() -> tuple[OAuthError, str]:
    """The error that stands for a fault of ours, and the reference under which the log has the details."""
    reference = secrets.token_hex(4)
    sentence = f"The server has a fault; its log has the details under the reference {reference}."
    return OAuthError("server_error", sentence, 500), reference


def _retry(error: DocshelfError) -> Headers:
    return (("Retry-After", str(RETRY_SECONDS)),) if error.retryable else ()
