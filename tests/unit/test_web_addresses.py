"""Addresses and host names as settings and headers have them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.web_addresses import host_name, is_origin, web_address


@pytest.mark.parametrize(
    "text",
    ["https://a.example/mcp", "https://a.example:8443", "http://localhost:1/x", "http://127.0.0.1", "http://[::1]/"],
)
def test_https_and_this_machine_are_addresses(text: str) -> None:
    assert web_address(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.example",
        "//a.example",
        "http://a.example",
        "ftp://a.example",
        "https://",
        "https://u:p@a.example",
        "https://a.example#x",
        "https://a b.example",
        "https://a.example\n",
        "https://ä.example",
        "https://[::1",
        "https://a.example:0",
        "http://localhost.evil.example",
        "https://-a.example",
    ],
)
def test_anything_else_is_not(text: str) -> None:
    assert web_address(text) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("docs.example.com", "docs.example.com"),
        ("DOCS.example.com:443", "docs.example.com"),
        ("127.0.0.1:8080", "127.0.0.1"),
        ("[::1]:8080", "[::1]"),
        ("", None),
        ("docs.example.com.", None),
        ("docs.example.com, evil.example", None),
        ("docs.example.com@evil.example", None),
        ("docs.example.com/", None),
        ("docs.example.com:", None),
        ("docs.example.com:x", None),
    ],
)
def test_a_host_header_is_compared_by_its_name(text: str, name: str | None) -> None:
    assert host_name(text) == name


@given(st.text(max_size=30))
def test_any_text_is_judged(text: str) -> None:
    web_address(text)
    web_address(f"https://{text}")
    name = host_name(text)
    assert name is None or name == name.lower()
    assert not is_origin(f"https://{text}/")
