"""The front that stands for API Gateway does to requests and answers what that does."""

from __future__ import annotations

import base64
import gzip
import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.gateway.events import answer_of, request_of
from docshelf.gateway.messages import HttpResponse
from tests.support.api_gateway import api_gateway
from tests.support.api_gateway_events import Version

versions = pytest.mark.parametrize("version", ["2.0", "1.0"])

HEADER_NAMES = st.sampled_from(["X-First", "x-first", "X-FIRST", "X-Second", "x-third"])
HEADER_VALUES = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=","), min_size=1)


@contextmanager
def connected(url: str) -> Iterator[http.client.HTTPConnection]:
    with closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)) as connection:
        yield connection


def ask(url: str, method: str = "GET", target: str = "/mcp", **request: Any) -> tuple[int, dict[str, str], bytes]:
    """Status, headers by name in lower case, and body."""
    with connected(url) as connection:
        connection.request(method, target, **request)
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()


def seen_event(version: Version, *args: str, **request: Any) -> dict[str, Any]:
    """The event that a request becomes."""
    with api_gateway(lambda event: {"statusCode": 200, "body": json.dumps(event)}, version=version) as url:
        event = json.loads(ask(url, *args, **request)[2])
    assert isinstance(event, dict)
    return event


def fixed(answer: object) -> Callable[[object], object]:
    return lambda _event: answer


def test_a_request_becomes_an_event_of_version_2() -> None:
    headers = {"X-Mixed-Case": "a", "Cookie": "one=1; two=2", "User-Agent": "client/1.0", "Content-Type": "text/plain"}

    event = seen_event("2.0", "POST", "/mcp/?a=1&a=%20b", body="hello", headers=headers)

    assert event["version"] == "2.0"
    assert (event["rawPath"], event["rawQueryString"]) == ("/mcp/", "a=1&a=%20b")
    assert event["queryStringParameters"] == {"a": "1, b"}
    assert event["cookies"] == ["one=1", "two=2"]
    assert event["headers"]["x-mixed-case"] == "a"
    assert "cookie" not in event["headers"]
    assert event["headers"]["x-forwarded-proto"] == "https"
    assert (event["body"], event["isBase64Encoded"]) == ("hello", False)
    assert event["requestContext"]["http"] == {
        "method": "POST",
        "path": "/mcp/",
        "protocol": "HTTP/1.1",
        "sourceIp": "127.0.0.1",
        "userAgent": "client/1.0",
    }
    assert event["requestContext"]["stage"] == "$default"
    assert event["headers"]["host"] == event["requestContext"]["domainName"]


def test_a_request_becomes_an_event_of_version_1() -> None:
    headers = {"X-Mixed-Case": "a", "Cookie": "one=1; two=2", "User-Agent": "client/1.0"}

    event = seen_event("1.0", "GET", "/mcp?a=1&a=%20b", headers=headers)

    assert (event["version"], event["httpMethod"], event["path"]) == ("1.0", "GET", "/mcp")
    assert event["multiValueQueryStringParameters"] == {"a": ["1", " b"]}
    assert event["headers"]["User-Agent"] == "client/1.0"
    assert event["multiValueHeaders"]["x-mixed-case"] == ["a"]
    assert event["multiValueHeaders"]["cookie"] == ["one=1; two=2"]
    assert event["requestContext"]["identity"]["sourceIp"] == "127.0.0.1"
    assert event["body"] is None


def test_what_a_request_does_not_have_is_absent_in_version_2() -> None:
    event = seen_event("2.0")

    assert not {"body", "cookies", "queryStringParameters"} & event.keys()
    assert (event["rawQueryString"], event["isBase64Encoded"]) == ("", False)


@pytest.mark.parametrize(
    ("target", "path"),
    [("/a%20b", "/a b"), ("/%6Dcp", "/mcp"), ("/a%3Fb/c", "/a"), ("/a%252Fb", "/a%2Fb"), ("/%C3%A9", "/é")],
)
@versions
def test_a_path_arrives_decoded_and_ends_at_a_question_mark(version: Version, target: str, path: str) -> None:
    event = seen_event(version, "GET", target)

    assert event["rawPath" if version == "2.0" else "path"] == path


@pytest.mark.parametrize(
    ("headers", "encoded"),
    [
        ({"Content-Type": "application/json"}, False),
        ({"Content-Type": "Application/JSON; charset=utf-8"}, False),
        ({"Content-Type": "text/csv"}, False),
        ({"Content-Type": "application/x-www-form-urlencoded"}, True),
        ({"Content-Type": "application/problem+json"}, True),
        ({"Content-Type": "application/json", "Content-Encoding": "gzip"}, True),
        ({}, True),
    ],
)
def test_a_body_is_base64_unless_its_type_is_one_of_a_few(headers: dict[str, str], *, encoded: bool) -> None:
    event = seen_event("2.0", "POST", body=b'{"a":1}', headers=headers)

    assert event["isBase64Encoded"] is encoded
    assert event["body"] == (base64.b64encode(b'{"a":1}').decode() if encoded else '{"a":1}')


def test_a_body_in_chunks_is_whole_in_the_event() -> None:
    headers = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}

    event = seen_event("2.0", "POST", body=iter([b'{"a"', b":1}"]), headers=headers, encode_chunked=True)

    assert event["body"] == '{"a":1}'
    assert "transfer-encoding" not in event["headers"]


@pytest.fixture(scope="module", params=["2.0", "1.0"])
def echo_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """A function that sends back the body, its type, and the headers whose names begin with x-."""

    def echo(event: object) -> object:
        seen = request_of(event)
        headers = [(name, value) for name, value in seen.headers.items() if name.startswith("x-")]
        return answer_of(
            event, HttpResponse(200, (("Content-Type", seen.headers["content-type"]), *headers), seen.body)
        )

    with api_gateway(echo, version=request.param) as url:
        yield url


@given(
    body=st.binary(max_size=300),
    kind=st.sampled_from(["application/json", "text/plain", "image/png"]),
    headers=st.lists(st.tuples(HEADER_NAMES, HEADER_VALUES), max_size=4),
)
def test_any_request_and_answer_get_through_the_front_and_our_reading_of_it(
    echo_url: str, body: bytes, kind: str, headers: list[tuple[str, str]]
) -> None:
    with connected(echo_url) as connection:
        connection.putrequest("POST", "/mcp")
        connection.putheader("Content-Type", kind)
        connection.putheader("Content-Length", str(len(body)))
        for name, value in headers:
            connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        assert response.read() == body

    for name in {name.lower() for name, _ in headers}:
        values = [value for key, value in headers if key.lower() == name]
        assert "".join(str(response.headers[name]).split()).split(",") == values


@versions
def test_the_challenge_goes_out_under_another_name(version: Version) -> None:
    challenge = {"WWW-Authenticate": 'Bearer scope="docs:read"'}

    with api_gateway(fixed({"statusCode": 401, "headers": challenge}), version=version) as url:
        status, headers, _ = ask(url)

    assert status == 401
    assert headers["x-amzn-remapped-www-authenticate"] == 'Bearer scope="docs:read"'
    assert "www-authenticate" not in headers


def test_the_challenge_keeps_its_name_where_that_is_asked_for() -> None:
    answer = {"statusCode": 401, "headers": {"WWW-Authenticate": "Bearer"}}

    with api_gateway(fixed(answer), rename_challenge=False) as url:
        assert ask(url)[1]["www-authenticate"] == "Bearer"


def test_cookies_of_version_2_are_headers_of_the_answer() -> None:
    answer = {"statusCode": 200, "cookies": ["a=1", "b=2"], "multiValueHeaders": {"x-ignored": ["1"]}}

    with api_gateway(fixed(answer)) as url, connected(url) as connection:
        connection.request("GET", "/")
        response = connection.getresponse()
        response.read()

    assert response.headers.get_all("set-cookie") == ["a=1", "b=2"]
    assert "x-ignored" not in response.headers


def test_repeated_headers_of_version_1_are_headers_of_the_answer() -> None:
    answer = {"statusCode": 200, "multiValueHeaders": {"Vary": ["a", "b"]}, "headers": {"vary": "c", "x-one": "1"}}

    with api_gateway(fixed(answer), version="1.0") as url, connected(url) as connection:
        connection.request("GET", "/")
        response = connection.getresponse()
        response.read()

    assert response.headers.get_all("vary") == ["a", "b"]
    assert response.headers["x-one"] == "1"


def test_a_body_in_base64_goes_out_as_bytes() -> None:
    body = gzip.compress(b"text")

    answer = {"statusCode": 200, "body": base64.b64encode(body).decode(), "isBase64Encoded": True}

    with api_gateway(fixed(answer)) as url:
        assert ask(url)[2] == body


def test_an_answer_without_a_status_is_the_body_in_version_2() -> None:
    with api_gateway(fixed({"a": 1})) as url:
        status, headers, body = ask(url)

    assert (status, headers["content-type"], json.loads(body)) == (200, "application/json", {"a": 1})


def test_an_answer_without_a_type_is_plain_text() -> None:
    with api_gateway(fixed({"statusCode": 200, "body": "x"})) as url:
        assert ask(url)[1]["content-type"] == "text/plain; charset=utf-8"


def raises(_event: object) -> object:
    raise LookupError("inside")


@pytest.mark.parametrize(
    "handle",
    [
        raises,
        fixed({"statusCode": "many"}),
        fixed({"statusCode": 200, "body": {"a": 1}}),
        fixed({"statusCode": 200, "body": "no base64", "isBase64Encoded": True}),
        fixed({"statusCode": 200, "headers": {"x-split": "a\r\nb: c"}}),
        fixed({"statusCode": 200, "cookies": "a=1"}),
        fixed({"statusCode": 200, "body": "x" * (6 << 20)}),
        fixed({"statusCode": 200, "body": b"bytes are no JSON"}),
    ],
)
def test_a_function_that_fails_or_answers_wrongly_is_an_internal_error(handle: Callable[[object], object]) -> None:
    with api_gateway(handle) as url:
        status, _, body = ask(url)

    assert (status, body) == (500, b'{"message":"Internal Server Error"}')


def test_an_answer_of_version_1_needs_a_status() -> None:
    with api_gateway(fixed({"a": 1}), version="1.0") as url:
        assert ask(url)[0] == 500


def test_a_function_that_takes_too_long_is_unavailable() -> None:
    may_end = threading.Event()

    with api_gateway(lambda _event: may_end.wait(), seconds=0.01) as url:
        status, _, body = ask(url)
        may_end.set()

    assert (status, body) == (503, b'{"message":"Service Unavailable"}')


def test_an_event_whose_turn_does_not_come_in_time_never_reaches_the_function() -> None:
    begun, may_end = list[str](), threading.Event()

    def handle(event: object) -> object:
        begun.append(request_of(event).path)
        may_end.wait()
        return {"statusCode": 200}

    with api_gateway(handle, seconds=0.01) as url:
        while not begun:  # its own time may be over before it has begun
            ask(url, target="/first")
        assert ask(url, target="/second")[0] == 503
        may_end.set()
        while "/third" not in begun:
            ask(url, target="/third")

    assert set(begun) == {"/first", "/third"}


def test_one_event_at_a_time_reaches_the_function() -> None:
    inside, most = [0], [0]
    lock = threading.Lock()

    def handle(_event: object) -> object:
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        with lock:
            inside[0] -= 1
        return {"statusCode": 200}

    with api_gateway(handle) as url, ThreadPoolExecutor(4) as clients:
        statuses = list(clients.map(lambda _: ask(url)[0], range(20)))

    assert statuses == [200] * 20
    assert most == [1]


def test_several_events_at_once_reach_a_function_that_may_have_them() -> None:
    both = threading.Barrier(2)

    def handle(_event: object) -> object:
        return {"statusCode": 200, "body": str(both.wait(10))}

    with api_gateway(handle, at_once=2) as url, ThreadPoolExecutor(2) as clients:
        bodies = set(clients.map(lambda _: ask(url)[2], range(2)))

    assert bodies == {b"0", b"1"}


@pytest.mark.parametrize(("length", "status"), [(9_000, 200), (11_000, 431)])
def test_a_request_line_and_headers_have_a_limit_together(length: int, status: int) -> None:
    with api_gateway(fixed({"statusCode": 200})) as url:
        assert ask(url, "POST", headers={"Authorization": "x" * length}, body="{}")[0] == status


@pytest.mark.parametrize("megabytes", [7, 11])
def test_a_body_that_no_event_can_hold_is_refused(megabytes: int) -> None:
    with api_gateway(fixed({"statusCode": 200})) as url:
        assert ask(url, "POST", body=b"x" * (megabytes << 20), headers={"Content-Type": "text/plain"})[0] == 413


def test_a_connection_is_kept_for_the_next_request_whatever_came_before() -> None:
    def handle(event: object) -> object:
        return {"statusCode": 200, "body": request_of(event).method}

    with api_gateway(handle) as url, connected(url) as connection:
        connection.connect()
        first = connection.sock
        for method, body in (("HEAD", b""), ("OPTIONS", b"OPTIONS"), ("DELETE", b"DELETE"), ("PUT", b"PUT")):
            connection.request(method, "/mcp", body=b"{}")
            assert connection.getresponse().read() == body
            assert connection.sock is first


def test_an_answer_to_head_says_how_long_the_body_would_be() -> None:
    with api_gateway(fixed({"statusCode": 200, "body": "four"})) as url:
        status, headers, body = ask(url, "HEAD")

    assert (status, headers["content-length"], body) == (200, "4", b"")


def test_nothing_answers_after_the_end() -> None:
    with api_gateway(fixed({"statusCode": 200})) as url:
        kept = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
        kept.request("GET", "/")
        kept.getresponse().read()

    assert isinstance(kept.sock, socket.socket)
    with closing(kept):
        assert kept.sock.recv(1) == b""
    with pytest.raises(ConnectionError):
        ask(url)
