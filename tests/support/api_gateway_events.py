"""The events that a function gets of requests to an HTTP API of API Gateway.

Beyond the documented payload formats, as seen on real ones: the path arrives decoded and ends at a decoded question
mark, the query does not; a body is base64 unless its type is `text/*` or one of three of `application/`, so that
of a form is; version 1.0 capitalises some header names and not others.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import parse_qsl, unquote

from tests.support.api_gateway_server import WireRequest

Version = Literal["1.0", "2.0"]

_STAGE = "$default"
_API = "a1b2c3d4e5"
_ACCOUNT = "123456789012"
_TEXTS = {"application/json", "application/xml", "application/javascript"}
_FORWARDED = {"x-forwarded-for", "x-forwarded-port", "x-forwarded-proto"}
_LEFT_OUT = {"connection", "x-forwarded-for", "transfer-encoding"}
_CAPITALISED = {"content-length", "host", "user-agent", "x-amzn-trace-id", *_FORWARDED}


def event_of(request: WireRequest, version: Version) -> dict[str, object]:
    """The event of the payload `version` that a function gets for `request`."""
    return _event_1(request) if version == "1.0" else _event_2(request)


def _event_2(request: WireRequest) -> dict[str, object]:
    path, query, context = _path(request), request.target.partition("?")[2], _context(request)
    http = {"method": request.method, "path": path, "protocol": "HTTP/1.1", "sourceIp": request.client}
    http["userAgent"] = ",".join(request.values("user-agent"))
    parameters = {name: ",".join(values) for name, values in _query_lists(query).items()}
    headers = _header_lists(request)
    cookies = [part.strip() for line in headers.pop("cookie", []) for part in line.split(";") if part.strip()]
    body, encoded = _body(request)
    return {
        "version": "2.0",
        "routeKey": _STAGE,
        "rawPath": path,
        "rawQueryString": query,
        **({"cookies": cookies} if cookies else {}),
        "headers": {name: ",".join(values) for name, values in headers.items()},
        **({"queryStringParameters": parameters} if parameters else {}),
        "requestContext": {**context, "routeKey": _STAGE, "http": http},
        **({"body": body} if body else {}),
        "isBase64Encoded": encoded,
    }


def _event_1(request: WireRequest) -> dict[str, object]:
    path, query, context = _path(request), request.target.partition("?")[2], _context(request)
    identity = {"sourceIp": request.client, "userAgent": ",".join(request.values("user-agent"))}
    parameters = _query_lists(query)
    headers = {
        name.title() if name in _CAPITALISED else name: values for name, values in _header_lists(request).items()
    }
    body, encoded = _body(request)
    return {
        "version": "1.0",
        "resource": _STAGE,
        "path": path,
        "httpMethod": request.method,
        "headers": {name: ",".join(values) for name, values in headers.items()},
        "multiValueHeaders": headers,
        "queryStringParameters": {name: values[-1] for name, values in parameters.items()} or None,
        "multiValueQueryStringParameters": parameters or None,
        "requestContext": {
            **context,
            "httpMethod": request.method,
            "identity": identity,
            "path": path,
            "protocol": "HTTP/1.1",
            "resourceId": _STAGE,
            "resourcePath": _STAGE,
        },
        "pathParameters": None,
        "stageVariables": None,
        "body": body or None,
        "isBase64Encoded": encoded,
    }


def _path(request: WireRequest) -> str:
    return unquote(request.target.partition("?")[0], errors="replace").partition("?")[0]


def _context(request: WireRequest) -> dict[str, object]:
    now = datetime.now(UTC)
    domain = ",".join(request.values("host"))
    return {
        "accountId": _ACCOUNT,
        "apiId": _API,
        "domainName": domain,
        "domainPrefix": domain.partition(".")[0],
        "requestId": secrets.token_urlsafe(11) + "=",
        "stage": _STAGE,
        "time": now.strftime("%d/%b/%Y:%H:%M:%S +0000"),
        "timeEpoch": int(now.timestamp() * 1000),
    }


def _header_lists(request: WireRequest) -> dict[str, list[str]]:
    sent = [(name.lower(), value) for name, value in request.headers]
    return _lists([*(pair for pair in sent if pair[0] not in _LEFT_OUT), *_added_headers(request)])


def _added_headers(request: WireRequest) -> list[tuple[str, str]]:
    forwarded = ", ".join([*request.values("x-forwarded-for"), request.client])
    length = [] if request.values("content-length") else [("content-length", str(len(request.body)))]
    return [
        *length,
        ("x-amzn-trace-id", f"Root=1-{secrets.token_hex(4)}-{secrets.token_hex(12)}"),
        ("x-forwarded-for", forwarded),
        ("x-forwarded-port", "443"),
        ("x-forwarded-proto", "https"),
    ]


def _lists(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


def _query_lists(query: str) -> dict[str, list[str]]:
    return _lists(parse_qsl(query, keep_blank_values=True))


def _body(request: WireRequest) -> tuple[str, bool]:
    """The body as text, and whether that is base64."""
    media_type = ",".join(request.values("content-type")).partition(";")[0].strip().lower()
    is_text = media_type.startswith("text/") or media_type in _TEXTS
    if is_text and not request.values("content-encoding"):
        try:
            return request.body.decode(), False
        except UnicodeDecodeError:
            pass  # not what its type says
    return base64.b64encode(request.body).decode(), bool(request.body)
