"""Events of API Gateway to requests, and answers back: payload format 2.0 and 1.0 of HTTP APIs, and REST APIs.

HTTP APIs decode the path, put a named stage before it, and lower the case of header names in 2.0 alone; REST APIs do
none of that. Both give base64 for what they take for binary, which a form is to HTTP APIs.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from urllib.parse import unquote, urlencode

from docshelf.errors import EventError
from docshelf.gateway import fields
from docshelf.gateway.fields import Fields
from docshelf.gateway.messages import HttpRequest, HttpResponse

_DEFAULT_STAGE = "$default"
_SEPARATORS = {"cookie": "; "}
# The gateway counts the body and keeps the connection; it would pass these on under other names.
_OF_THE_GATEWAY = frozenset({"connection", "content-length", "keep-alive", "transfer-encoding"})
_TEXT_TYPES = frozenset({"", "application/javascript", "application/x-www-form-urlencoded"})


def request_of(event: object) -> HttpRequest:
    """The request that `event` describes.

    Raises:
        EventError: it is no event of API Gateway, or a broken one; the sentence repeats nothing of it.
    """
    if not isinstance(event, Mapping):
        raise EventError("The event is no JSON object, so it does not come from API Gateway.")
    if _is_version_1(event):
        return _request_of_version_1(event)
    if event.get("version") != "2.0":
        raise EventError("The event is of no payload format that docshelf reads: use 2.0, or 1.0.")
    context = fields.mapping(event, "requestContext")
    http = fields.mapping(context, "http")
    cookies = (("cookie", text) for text in fields.texts(event, "cookies"))
    return HttpRequest(
        method=fields.needed_text(http, "method"),
        path=_without_stage(fields.needed_text(event, "rawPath"), context),
        query=fields.text(event, "rawQueryString"),
        headers=_joined([*fields.single_pairs(event, "headers"), *cookies]),
        body=fields.body(event),
        source_ip=fields.text(http, "sourceIp"),
        request_id=fields.text(context, "requestId"),
    )


def answer_of(event: object, response: HttpResponse) -> dict[str, object]:
    """What the function returns for `response`, in the payload format of `event`; in 2.0 where that is none."""
    kept = [(name, value) for name, value in response.headers if name.lower() not in _OF_THE_GATEWAY]
    body, encoded = _answer_body(response)
    answer: dict[str, object] = {"statusCode": response.status, "body": body, "isBase64Encoded": encoded}
    if isinstance(event, Mapping) and _is_version_1(event):
        return {**answer, "multiValueHeaders": _lists(kept)}
    lists = _lists(pair for pair in kept if pair[0].lower() != "set-cookie")
    cookies = response.values("set-cookie")
    headers = {name: ", ".join(values) for name, values in lists.items()}
    return {**answer, "headers": headers, **({"cookies": list(cookies)} if cookies else {})}


def _is_version_1(event: Fields) -> bool:
    # REST APIs name no version.
    return event.get("version", "1.0") == "1.0" and "httpMethod" in event


def _request_of_version_1(event: Fields) -> HttpRequest:
    context = fields.mapping(event, "requestContext")
    path = fields.needed_text(event, "path")
    repeated = fields.repeated_pairs(event, "multiValueHeaders")
    names = {name.lower() for name, _ in repeated}
    single = [pair for pair in fields.single_pairs(event, "headers") if pair[0].lower() not in names]
    query = fields.repeated_pairs(event, "multiValueQueryStringParameters")
    return HttpRequest(
        method=fields.needed_text(event, "httpMethod"),
        path=_without_stage(path, context) if "version" in event else unquote(path, errors="replace"),
        query=urlencode(query or fields.single_pairs(event, "queryStringParameters"), errors="replace"),
        headers=_joined([*repeated, *single]),
        body=fields.body(event),
        source_ip=fields.text(fields.mapping(context, "identity"), "sourceIp"),
        request_id=fields.text(context, "requestId"),
    )


def _without_stage(path: str, context: Fields) -> str:
    stage = fields.text(context, "stage")
    if stage in ("", _DEFAULT_STAGE):
        return path
    # Behind a domain of one's own the stage is not in the path.
    return path.removeprefix(f"/{stage}") if path.startswith(f"/{stage}/") else path


def _joined(pairs: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    lists = _lists((name.lower(), value) for name, value in pairs)
    return MappingProxyType({name: _SEPARATORS.get(name, ", ").join(values) for name, values in lists.items()})


def _lists(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The values by name; names that differ in case alone are one, as it came first."""
    spelling: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(spelling.setdefault(name.lower(), name), []).append(value)
    return found


def _answer_body(response: HttpResponse) -> tuple[str, bool]:
    """The body as text, and whether that is base64."""
    if _is_textual(response):
        try:
            return response.body.decode(), False
        except UnicodeDecodeError:
            pass  # in another encoding, or not what its type says
    return base64.b64encode(response.body).decode(), True


def _is_textual(response: HttpResponse) -> bool:
    if response.values("content-encoding"):
        return not response.body
    media_type = ", ".join(response.values("content-type")).partition(";")[0].strip().lower()
    return media_type.startswith("text/") or media_type.endswith(("json", "xml")) or media_type in _TEXT_TYPES
