"""Answers of a Cognito domain, as it writes them."""

from __future__ import annotations

import html
import json
from urllib.parse import urlencode

from tests.support.api_gateway_server import WireAnswer


def back_with(asked: dict[str, str], parameters: dict[str, str]) -> WireAnswer:
    """The way back to the client, with `parameters` and its state."""
    state = {"state": asked["state"]} if "state" in asked else {}
    return found(f"{asked['redirect_uri']}?{urlencode(parameters | state)}")


def found(location: str) -> WireAnswer:
    """A redirect."""
    return WireAnswer(302, [("location", location), ("cache-control", "no-store")], b"")


def json_answer(status: int, value: object) -> WireAnswer:
    """An answer for programs."""
    headers = [("content-type", "application/json;charset=UTF-8"), ("cache-control", "no-store")]
    return WireAnswer(status, headers, json.dumps(value).encode())


def page(status: int, body: str) -> WireAnswer:
    """A page for people."""
    text = f"<!doctype html><html lang=en><title>Signin</title><body>{body}"
    return WireAnswer(status, [("content-type", "text/html;charset=UTF-8")], text.encode())


def login_page(query: str, complaint: str) -> WireAnswer:
    """The form that asks who it is; `query` is that of the request that led there, `complaint` what was wrong."""
    return page(
        200,
        f'<p role="alert">{complaint}</p><form action="/login" method="post">'
        f'<input type="hidden" name="asked" value="{html.escape(query)}">'
        '<label>Username <input name="username"></label><label>Password <input type="password" name="password"></label>'
        "<button>Sign in</button></form>",
    )
