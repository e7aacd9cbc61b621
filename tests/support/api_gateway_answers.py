"""What a client gets for the answer of a function, behind an HTTP API of API Gateway.

Beyond the documented forms, as seen on real ones: an answer without a type is plain text.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping

from tests.support.api_gateway_events import Version
from tests.support.api_gateway_server import WireAnswer

CHALLENGE = "www-authenticate"
RENAMED_CHALLENGE = "x-amzn-remapped-www-authenticate"

_OF_THE_GATEWAY = {"connection", "content-length", "date", "keep-alive", "server", "transfer-encoding"}


class MalformedAnswerError(Exception):
    """The function's answer is not of the form that its payload version demands."""


def answer_of(result: object, version: Version, *, rename_challenge: bool) -> WireAnswer:
    """What the client gets for the function's `result`, which has been read from JSON.

    Raises:
        MalformedAnswerError: the client gets an error of the gateway's own instead.
    """
    if version == "2.0" and not (isinstance(result, Mapping) and "statusCode" in result):
        return _inferred(result)
    if not isinstance(result, Mapping):
        raise MalformedAnswerError("the answer is no object")
    headers = [
        (RENAMED_CHALLENGE if rename_challenge and name.lower() == CHALLENGE else name, value)
        for name, value in _answer_headers(result, version)
        if name.lower() not in _OF_THE_GATEWAY
    ]
    if all(name.lower() != "content-type" for name, _ in headers):
        headers.append(("content-type", "text/plain; charset=utf-8"))
    return WireAnswer(_status(result), headers, _answer_body(result))


def _inferred(result: object) -> WireAnswer:
    text = result if isinstance(result, str) else json.dumps(result)
    return WireAnswer(200, [("content-type", "application/json")], text.encode())


def _answer_headers(result: Mapping[str, object], version: Version) -> list[tuple[str, str]]:
    single = _mapping(result, "headers")
    several = _mapping(result, "multiValueHeaders") if version == "1.0" else {}
    pairs = [(name, value) for name, values in several.items() for value in _list(values)]
    repeated = {name.lower() for name in several}
    pairs += [(name, value) for name, value in single.items() if name.lower() not in repeated]
    if version == "2.0":
        pairs += [("set-cookie", value) for value in _list(result.get("cookies") or [])]
    checked = [(name, str(value)) for name, value in pairs if value is not None]
    if not all(text.isascii() and text.isprintable() for pair in checked for text in pair):
        raise MalformedAnswerError("a header cannot be sent")
    return checked


def _status(result: Mapping[str, object]) -> int:
    status = str(result.get("statusCode"))
    if not (status.isdecimal() and 200 <= int(status) <= 599):
        raise MalformedAnswerError("the status is none of an answer")
    return int(status)


def _answer_body(result: Mapping[str, object]) -> bytes:
    body = result.get("body")
    if body is None:
        return b""
    if not isinstance(body, str):
        raise MalformedAnswerError("the body is no text")
    try:
        return base64.b64decode(body, validate=True) if result.get("isBase64Encoded") else body.encode()
    except (binascii.Error, UnicodeError):
        raise MalformedAnswerError("the body is not encoded as it says") from None


def _mapping(result: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = result.get(name) or {}
    if not isinstance(found, Mapping):
        raise MalformedAnswerError(f"{name} is no object")
    return found


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise MalformedAnswerError("a list of values is none")
    return value
