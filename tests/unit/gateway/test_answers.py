"""Answers go back in the form of the event, without losing a byte or a header."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.gateway.events import answer_of
from docshelf.gateway.messages import HttpResponse, json_response
from tests.support.http_events import FORMS, EventForm, http_api_1, http_api_2, rest_api

forms = pytest.mark.parametrize("form", FORMS)
version_1 = pytest.mark.parametrize("form", [http_api_1, rest_api])

TYPES = st.sampled_from(
    [
        "application/json",
        "text/html; charset=utf-8",
        "text/plain; charset=latin-1",
        "image/png",
        "application/pdf",
        None,
    ]
)


def body_of(answer: dict[str, object]) -> bytes:
    body = answer["body"]
    assert isinstance(body, str)
    return base64.b64decode(body, validate=True) if answer["isBase64Encoded"] else body.encode()


@given(form=st.sampled_from(FORMS), body=st.binary(max_size=200) | st.text(max_size=50).map(str.encode), kind=TYPES)
def test_any_bytes_of_any_type_get_to_the_client(form: EventForm, body: bytes, kind: str | None) -> None:
    headers = (("Content-Type", kind),) if kind else ()

    answer = json.loads(json.dumps(answer_of(form(), HttpResponse(200, headers, body))))

    assert answer["statusCode"] == 200
    assert body_of(answer) == body


@forms
@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "Application/JSON; charset=utf-8",
        "application/problem+json",
        "text/html",
        "application/xml",
        "application/x-www-form-urlencoded",
    ],
)
def test_text_stays_text(form: EventForm, kind: str) -> None:
    answer = answer_of(form(), HttpResponse(200, (("content-type", kind),), "héllo".encode()))

    assert (answer["body"], answer["isBase64Encoded"]) == ("héllo", False)


@forms
@pytest.mark.parametrize(
    "headers",
    [
        (("Content-Type", "image/png"),),
        (("Content-Type", "application/octet-stream"),),
        (("Content-Type", "application/json"), ("Content-Encoding", "gzip")),
    ],
)
def test_what_is_no_text_is_base64_even_where_it_could_be_read(
    form: EventForm, headers: tuple[tuple[str, str], ...]
) -> None:
    answer = answer_of(form(), HttpResponse(200, headers, b"plain"))

    assert (answer["body"], answer["isBase64Encoded"]) == ("cGxhaW4=", True)


@forms
def test_text_that_is_no_utf_8_is_base64(form: EventForm) -> None:
    answer = answer_of(form(), HttpResponse(200, (("Content-Type", "text/plain; charset=latin-1"),), b"\xe9"))

    assert (answer["body"], answer["isBase64Encoded"]) == ("6Q==", True)


@forms
def test_an_empty_answer_is_an_empty_text(form: EventForm) -> None:
    answer = answer_of(form(), HttpResponse(202, ()))

    assert (answer["statusCode"], answer["body"], answer["isBase64Encoded"]) == (202, "", False)


def test_version_2_has_cookies_apart_and_other_headers_once() -> None:
    response = HttpResponse(
        302,
        (
            ("Set-Cookie", "a=1; Expires=Mon, 01 Jan 2035 00:00:00 GMT"),
            ("Vary", "Origin"),
            ("vary", "Accept"),
            ("set-cookie", "b=2"),
            ("Location", "https://docs.example.com/"),
        ),
    )

    answer = answer_of(http_api_2(), response)

    assert answer["headers"] == {"Vary": "Origin, Accept", "Location": "https://docs.example.com/"}
    assert answer["cookies"] == ["a=1; Expires=Mon, 01 Jan 2035 00:00:00 GMT", "b=2"]
    assert "multiValueHeaders" not in answer


@version_1
def test_version_1_has_every_header_as_a_list(form: EventForm) -> None:
    response = HttpResponse(200, (("Set-Cookie", "a=1"), ("set-cookie", "b=2"), ("Cache-Control", "no-store")))

    answer = answer_of(form(), response)

    assert answer["multiValueHeaders"] == {"Set-Cookie": ["a=1", "b=2"], "Cache-Control": ["no-store"]}
    assert "headers" not in answer
    assert "cookies" not in answer


@forms
def test_headers_that_the_gateway_makes_itself_are_left_to_it(form: EventForm) -> None:
    response = HttpResponse(
        200, (("Content-Length", "99"), ("connection", "close"), ("Transfer-Encoding", "chunked"), ("Allow", "POST"))
    )

    answer = answer_of(form(), response)

    assert answer.get("headers", answer.get("multiValueHeaders")) in ({"Allow": "POST"}, {"Allow": ["POST"]})


@pytest.mark.parametrize("event", [None, [], {}, {"version": "3.0"}, {"version": "1.0"}, "text"])
def test_what_is_no_event_of_a_request_gets_an_answer_of_version_2(event: object) -> None:
    answer = answer_of(event, json_response(400, {"error": "event"}))

    assert answer == {
        "statusCode": 400,
        "headers": {"Content-Type": "application/json"},
        "body": '{"error":"event"}',
        "isBase64Encoded": False,
    }


def test_json_is_compact_and_can_hold_any_text() -> None:
    response = json_response(404, {"message": "é\ud800", "n": 1}, [("Allow", "POST")])

    assert response.status == 404
    assert response.headers == (("Content-Type", "application/json"), ("Allow", "POST"))
    assert response.body == b'{"message":"\\u00e9\\ud800","n":1}'


def test_the_values_of_a_header_are_found_in_any_case() -> None:
    response = HttpResponse(200, (("Vary", "Origin"), ("vary", "Accept"), ("Allow", "POST")))

    assert response.values("VARY") == ("Origin", "Accept")
    assert response.values("Location") == ()


def test_a_response_shows_neither_headers_nor_body() -> None:
    shown = repr(HttpResponse(302, (("Location", "https://a.example/?code=hidden"),), b"secret"))

    assert shown == "HttpResponse(status=302)"
