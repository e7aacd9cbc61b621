"""Parameters of requests, as strict as RFC 6749 is about them."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.errors import OAuthError
from docshelf.signin.parameters import Parameters, check_resource, of_form, of_query
from tests.unit.signin.begun import asked

FORM = "application/x-www-form-urlencoded"


def test_a_parameter_without_a_value_is_not_there() -> None:
    found = of_query(asked("GET", "/", "a=&b=1&c"))
    assert found.values == {"b": "1"}
    with pytest.raises(OAuthError, match="The parameter a is missing"):
        found.needed("a")


def test_a_name_that_is_there_twice_has_no_value() -> None:
    found = of_query(asked("GET", "/", "a=1&a=&b=1&c=1&%63=1"))
    assert found.values == {"b": "1"}
    assert found.repeated == {"a", "c"}
    with pytest.raises(OAuthError, match="more than once"):
        found.check_no_repetition()
    with pytest.raises(OAuthError, match="more than once"):
        of_form(asked("POST", "/", "", b"a=1&a=1"))


@pytest.mark.parametrize("media_type", [FORM, f"{FORM};charset=UTF-8", " Application/X-WWW-Form-URLencoded ; x"])
def test_a_form_is_known_by_its_type(media_type: str) -> None:
    assert of_form(asked("POST", "/", "", b"a=1", content_type=media_type)).values == {"a": "1"}


@pytest.mark.parametrize("media_type", [None, "", "text/plain", "application/json", "multipart/form-data", f"{FORM}x"])
def test_what_is_no_form_is_refused(media_type: str | None) -> None:
    with pytest.raises(OAuthError, match="as a form"):
        of_form(asked("POST", "/", "", b"a=1", content_type=media_type))


@pytest.mark.parametrize("body", [b"a=" + b"x" * 65535, b"&".join(b"a%d=1" % n for n in range(51))])
def test_a_form_without_bounds_is_refused(body: bytes) -> None:
    with pytest.raises(OAuthError) as refused:
        of_form(asked("POST", "/", "", body))
    assert refused.value.error == "invalid_request"


@given(st.binary(max_size=200))
def test_bytes_that_are_no_text_can_be_had_back(value: bytes) -> None:
    found = of_query(asked("GET", "/", f"a=x{quote(value)}")).needed("a")
    assert found.encode("utf-8", "surrogateescape") == b"x" + value


@given(st.binary(max_size=300))
def test_no_body_breaks_it(body: bytes) -> None:
    try:
        found = of_form(asked("POST", "/", "", body))
    except OAuthError as error:
        assert error.error == "invalid_request"  # noqa: PT017 - either is right
    else:
        assert all(found.values.values())


@pytest.mark.parametrize("resource", [None, "https://a.example/mcp", "https://a.example/mcp/"])
def test_the_resource_is_ours_or_not_said(resource: str | None) -> None:
    check_resource(Parameters({} if resource is None else {"resource": resource}), "https://a.example/mcp")


@pytest.mark.parametrize("resource", ["https://a.example", "https://a.example/mcp//", "HTTPS://a.example/mcp", "x"])
def test_another_resource_is_an_invalid_target(resource: str) -> None:
    with pytest.raises(OAuthError) as refused:
        check_resource(Parameters({"resource": resource}), "https://a.example/mcp")
    assert refused.value.error == "invalid_target"
