"""Events as API Gateway sends them to a function, written down by hand."""

from __future__ import annotations

from collections.abc import Callable

EventForm = Callable[..., dict[str, object]]

_TIMES = {"time": "07/Aug/2026:01:37:53 +0000"}


def http_api_2(
    method: str = "POST", path: str = "/mcp", stage: str = "$default", **changes: object
) -> dict[str, object]:
    """Payload format 2.0 of an HTTP API; `path` is what the client asked for, and `changes` are fields of the event."""
    raw_path = path if stage == "$default" else f"/{stage}{path}"
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": raw_path,
        "rawQueryString": "",
        "headers": {
            "accept": "application/json, text/event-stream",
            "authorization": "Bearer a.b.c",
            "content-length": "17",
            "content-type": "application/json",
            "host": "docs.example.com",
            "user-agent": "client/1.0",
            "x-amzn-trace-id": "Root=1-68941234-0123456789abcdef01234567",
            "x-forwarded-for": "203.0.113.7",
            "x-forwarded-port": "443",
            "x-forwarded-proto": "https",
        },
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "a1b2c3d4e5",
            "domainName": "docs.example.com",
            "domainPrefix": "docs",
            "http": {
                "method": method,
                "path": raw_path,
                "protocol": "HTTP/1.1",
                "sourceIp": "203.0.113.7",
                "userAgent": "client/1.0",
            },
            "requestId": "JKJaXmPLvHcESHA=",
            "routeKey": "$default",
            "stage": stage,
            **_TIMES,
            "timeEpoch": 1786066673815,
        },
        "body": '{"jsonrpc":"2.0"}',
        "isBase64Encoded": False,
        **changes,
    }


def http_api_1(
    method: str = "POST", path: str = "/mcp", stage: str = "$default", **changes: object
) -> dict[str, object]:
    """Payload format 1.0 of an HTTP API; `path` is what the client asked for, and `changes` are fields of the event."""
    whole_path = path if stage == "$default" else f"/{stage}{path}"
    headers = {
        "Content-Length": "17",
        "Host": "docs.example.com",
        "User-Agent": "client/1.0",
        "X-Amzn-Trace-Id": "Root=1-68941234-0123456789abcdef01234567",
        "X-Forwarded-For": "203.0.113.7",
        "X-Forwarded-Port": "443",
        "X-Forwarded-Proto": "https",
        "accept": "application/json, text/event-stream",
        "authorization": "Bearer a.b.c",
        "content-type": "application/json",
    }
    return {
        "version": "1.0",
        "resource": "$default",
        "path": whole_path,
        "httpMethod": method,
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "a1b2c3d4e5",
            "domainName": "docs.example.com",
            "domainPrefix": "docs",
            "extendedRequestId": "JKJaXmPLvHcESHA=",
            "httpMethod": method,
            "identity": {"accessKey": None, "sourceIp": "203.0.113.7", "user": None, "userAgent": "client/1.0"},
            "path": whole_path,
            "protocol": "HTTP/1.1",
            "requestId": "JKJaXmPLvHcESHA=",
            "requestTime": _TIMES["time"],
            "requestTimeEpoch": 1786066673815,
            "resourceId": "$default",
            "resourcePath": "$default",
            "stage": stage,
        },
        "pathParameters": None,
        "stageVariables": None,
        "body": '{"jsonrpc":"2.0"}',
        "isBase64Encoded": False,
        **changes,
    }


def rest_api(method: str = "POST", path: str = "/mcp", stage: str = "prod", **changes: object) -> dict[str, object]:
    """The event of a REST API; `path` is what the client asked for, and `changes` are fields of the event."""
    headers = {
        "Accept": "application/json, text/event-stream",
        "Authorization": "Bearer a.b.c",
        "Content-Type": "application/json",
        "Host": "docs.example.com",
        "User-Agent": "client/1.0",
        "X-Amzn-Trace-Id": "Root=1-68941234-0123456789abcdef01234567",
        "X-Forwarded-For": "203.0.113.7, 130.176.1.2",
        "X-Forwarded-Port": "443",
        "X-Forwarded-Proto": "https",
    }
    return {
        "resource": "/{proxy+}",
        "path": path,
        "httpMethod": method,
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": {"proxy": path.lstrip("/")},
        "stageVariables": None,
        "requestContext": {
            "resourceId": "2gxmpl",
            "resourcePath": "/{proxy+}",
            "httpMethod": method,
            "extendedRequestId": "JJbxmplHYosFVYQ=",
            "requestTime": _TIMES["time"],
            "path": f"/{stage}{path}",
            "accountId": "123456789012",
            "protocol": "HTTP/1.1",
            "stage": stage,
            "domainPrefix": "docs",
            "requestTimeEpoch": 1786066673815,
            "requestId": "JKJaXmPLvHcESHA=",
            "identity": {"accountId": None, "sourceIp": "203.0.113.7", "user": None, "userAgent": "client/1.0"},
            "domainName": "docs.example.com",
            "apiId": "70ixmpl4fl",
        },
        "body": '{"jsonrpc":"2.0"}',
        "isBase64Encoded": False,
        **changes,
    }


FORMS: tuple[EventForm, ...] = (http_api_2, http_api_1, rest_api)
