"""Answers that are made without MCP: JSON, with a code for programs and a sentence for people."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from docshelf.access.keys import RETRY_SECONDS
from docshelf.errors import DocshelfError, KeysUnavailableError
from docshelf.gateway.messages import HttpResponse, json_response

# When a client may try again what failed for a reason that passes.
_SOON_SECONDS = 5

Headers = tuple[tuple[str, str], ...]

NOT_STORED: Headers = (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"))
"""What every answer carries."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A response, and what the log says of it: an error's code, and the sentence of one that we raised."""

    response: HttpResponse
    code: str | None = None
    reason: str | None = None


def refusal(status: int, code: str, message: str, headers: Headers = ()) -> Answer:
    """What a client gets whose request is not answered."""
    return Answer(json_response(status, {"error": code, "message": message}, headers), code)


def refused(error: DocshelfError, headers: Headers = ()) -> Answer:
    """`error` as an answer."""
    if error.retryable:
        seconds = RETRY_SECONDS if isinstance(error, KeysUnavailableError) else _SOON_SECONDS
        headers = (*headers, ("Retry-After", str(seconds)))
    made = refusal(error.status, error.code, error.sentence, headers)
    return Answer(made.response, error.code, error.sentence)


def fault() -> tuple[Answer, str]:
    """What a client gets when something broke, and the reference under which the log has the details."""
    reference = secrets.token_hex(4)
    message = f"The server has a fault; its log has the details under the reference {reference}."
    value = {"error": "internal", "message": message, "reference": reference}
    return Answer(json_response(500, value), "internal"), reference
