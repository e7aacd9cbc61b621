"""Events of API Gateway become requests, whichever of its forms they have."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.errors import EventError
from docshelf.gateway.events import request_of
from tests.support.http_events import FORMS, EventForm, http_api_1, http_api_2, rest_api

forms = pytest.mark.parametrize("form", FORMS)
version_1 = pytest.mark.parametrize("form", [http_api_1, rest_api])

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=10), children, max_size=3),
    max_leaves=6,
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@forms
def test_an_event_becomes_the_request_that_the_client_made(form: EventForm) -> None:
    request = request_of(form())

    assert (request.method, request.path, request.query) == ("POST", "/mcp", "")
    assert request.headers["host"] == "docs.example.com"
    assert request.headers["authorization"] == "Bearer a.b.c"
    assert request.headers["content-type"] == "application/json"
    assert request.body == b'{"jsonrpc":"2.0"}'
    assert request.source_ip == "203.0.113.7"
    assert request.request_id == "JKJaXmPLvHcESHA="


@forms
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "DELETE", "PUT"])
def test_the_method_is_the_clients(form: EventForm, method: str) -> None:
    assert request_of(form(method)).method == method


@forms
@given(data=st.data())
def test_headers_are_found_in_whatever_case_they_come(form: EventForm, data: st.DataObject) -> None:
    headers = {
        data.draw(st.sampled_from([name, name.upper(), name.title(), name.swapcase()])): value
        for name, value in (("mcp-protocol-version", "2026-07-28"), ("Authorization", "Bearer x"), ("hOST", "h"))
    }

    request = request_of(form(headers=headers, multiValueHeaders={name: [v] for name, v in headers.items()}))

    assert request.headers == {"mcp-protocol-version": "2026-07-28", "authorization": "Bearer x", "host": "h"}


@forms
def test_names_that_differ_in_case_alone_are_one_header(form: EventForm) -> None:
    request = request_of(form(headers={"X-Forwarded-Host": "a", "x-forwarded-host": "b"}, multiValueHeaders=None))

    assert request.headers == {"x-forwarded-host": "a, b"}


@version_1
def test_repeated_headers_are_joined(form: EventForm) -> None:
    event = form(
        headers={"Accept": "text/plain", "X-Only-Here": "1"},
        multiValueHeaders={"Accept": ["application/json", "text/plain"], "Cookie": ["a=1", "b=2; c=3"]},
    )

    assert request_of(event).headers == {
        "accept": "application/json, text/plain",
        "cookie": "a=1; b=2; c=3",
        "x-only-here": "1",
    }


def test_cookies_of_version_2_are_a_header_again() -> None:
    assert request_of(http_api_2(cookies=["__Host-state=a", "b=2"])).headers["cookie"] == "__Host-state=a; b=2"


@forms
def test_headers_without_a_value_are_left_out(form: EventForm) -> None:
    assert request_of(form(headers={"a": None, "b": "1"}, multiValueHeaders={"c": None})).headers == {"b": "1"}


@forms
@given(body=st.binary(max_size=200))
def test_any_bytes_arrive_from_a_body_in_base64(form: EventForm, body: bytes) -> None:
    assert request_of(form(body=base64.b64encode(body).decode(), isBase64Encoded=True)).body == body


@forms
@given(text=TEXTS)
def test_any_text_arrives_as_utf_8(form: EventForm, text: str) -> None:
    assert request_of(form(body=text)).body == text.encode()


@forms
def test_fields_that_say_nothing_may_be_absent(form: EventForm) -> None:
    event = form("GET", "/healthz")
    for name in ("body", "isBase64Encoded", "headers", "multiValueHeaders", "rawQueryString", "queryStringParameters"):
        event.pop(name, None)
    context = event["requestContext"]
    assert isinstance(context, dict)
    for name in ("requestId", "identity", "stage"):
        context.pop(name, None)
    context.get("http", {}).pop("sourceIp", None)

    request = request_of(event)

    assert (request.method, request.path, request.query) == ("GET", "/healthz", "")
    assert (request.headers, request.body) == ({}, b"")
    assert (request.source_ip, request.request_id) == ("", "")


@pytest.mark.parametrize("form", [http_api_2, http_api_1])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/prod", "/"])
def test_a_named_stage_is_no_part_of_the_path(form: EventForm, path: str) -> None:
    assert request_of(form(path=path, stage="prod")).path == path


@pytest.mark.parametrize("form", [http_api_2, http_api_1])
@pytest.mark.parametrize("path", ["/mcp", "/production", "/prod", "//prod/mcp"])
def test_a_path_that_does_not_begin_with_the_stage_stays_whole(form: EventForm, path: str) -> None:
    event = form(stage="prod", rawPath=path)
    event["path"] = path

    assert request_of(event).path == path


def test_a_rest_api_names_the_path_without_its_stage() -> None:
    assert request_of(rest_api(path="/prod/mcp", stage="prod")).path == "/prod/mcp"


@given(path=TEXTS)
def test_the_path_is_decoded_just_once(path: str) -> None:
    path = f"/{path}"

    assert request_of(rest_api(path=quote(path))).path == path
    assert request_of(http_api_2(path=path)).path == path
    assert request_of(http_api_1(path=path)).path == path


@pytest.mark.parametrize("path", ["/%ff", "/%", "/%zz", "/%f0%28"])
def test_a_path_that_is_not_encoded_as_it_should_be_is_still_a_path(path: str) -> None:
    assert request_of(rest_api(path=path)).path.startswith("/")


def test_the_query_of_version_2_stays_as_it_was_sent() -> None:
    assert request_of(http_api_2(rawQueryString="a=1&a=%20b&c")).query == "a=1&a=%20b&c"


@version_1
@given(parameters=st.lists(st.tuples(TEXTS, TEXTS), max_size=4))
def test_the_query_of_version_1_has_every_parameter_in_order(
    form: EventForm, parameters: list[tuple[str, str]]
) -> None:
    lists: dict[str, list[str]] = {}
    for name, value in parameters:
        lists.setdefault(name, []).append(value)

    query = request_of(form(multiValueQueryStringParameters=lists)).query

    assert parse_qsl(query, keep_blank_values=True) == [(name, v) for name, values in lists.items() for v in values]


@version_1
def test_the_query_is_read_where_parameters_come_but_once(form: EventForm) -> None:
    assert request_of(form(queryStringParameters={"code": "a b&c"})).query == "code=a+b%26c"


@pytest.mark.parametrize(
    "event",
    [
        None,
        "text",
        [],
        {},
        {"version": "3.0"},
        {"version": 2.0, "rawPath": "/mcp"},
        {"Records": [{"eventSource": "aws:s3"}]},
        {"version": "2.0", "rawPath": "/mcp"},
        {"version": "1.0", "path": "/mcp"},
        {"httpMethod": "GET"},
        {"httpMethod": "", "path": "/"},
    ],
)
def test_what_is_no_request_is_refused(event: object) -> None:
    with pytest.raises(EventError):
        request_of(event)


@forms
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("headers", ["a"]),
        ("headers", {"a": 1}),
        ("body", {"jsonrpc": "2.0"}),
        ("body", "\ud800"),
        ("isBase64Encoded", "true"),
        ("requestContext", "text"),
    ],
)
def test_a_field_of_another_type_is_refused_by_its_name(form: EventForm, name: str, value: object) -> None:
    with pytest.raises(EventError, match=rf"\b{name}\b"):
        request_of(form(**{name: value}))


@pytest.mark.parametrize(
    ("form", "name", "value"),
    [
        (http_api_2, "cookies", "a=1"),
        (http_api_2, "cookies", [1]),
        (http_api_2, "rawPath", None),
        (http_api_2, "rawQueryString", {}),
        (http_api_1, "multiValueHeaders", {"a": "1"}),
        (http_api_1, "multiValueHeaders", {"a": [1]}),
        (http_api_1, "multiValueQueryStringParameters", {"a": "1"}),
        (rest_api, "queryStringParameters", {"a": ["1"]}),
        (rest_api, "path", ""),
    ],
)
def test_a_field_of_one_form_alone_is_refused_by_its_name(form: EventForm, name: str, value: object) -> None:
    event = form()
    event[name] = value

    with pytest.raises(EventError, match=rf"\b{name}\b"):
        request_of(event)


@forms
@pytest.mark.parametrize("body", ["secret!", "c2VjcmV", "c2Vj\ncmV0", "é"])
def test_a_body_that_is_no_base64_is_refused_without_being_repeated(form: EventForm, body: str) -> None:
    with pytest.raises(EventError) as raised:
        request_of(form(body=body, isBase64Encoded=True))

    assert body not in raised.value.sentence
    assert raised.value.__cause__ is None


@given(form=st.sampled_from(FORMS), data=st.data())
def test_a_damaged_event_is_read_or_refused_and_nothing_else(form: EventForm, data: st.DataObject) -> None:
    event: Any = json.loads(json.dumps(form()))
    place: Any = event
    while True:
        name = data.draw(st.sampled_from(sorted(place)))
        if not (isinstance(place[name], dict) and place[name] and data.draw(st.booleans())):
            break
        place = place[name]
    if data.draw(st.booleans()):
        del place[name]
    else:
        place[name] = data.draw(JSON_VALUES)

    try:
        request = request_of(event)
    except EventError:
        return
    assert isinstance(request.headers, Mapping)
    assert all(isinstance(text, str) for pair in request.headers.items() for text in pair)
    assert isinstance(request.body, bytes)


def test_a_request_shows_no_header_body_or_query() -> None:
    request = request_of(http_api_2(rawQueryString="code=hidden"))

    shown = repr(request)

    assert "/mcp" in shown
    assert not any(secret in shown for secret in ("a.b.c", "jsonrpc", "hidden"))
