"""One MCP message in, one answer out: everything is made for this request and gone after it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from http import HTTPStatus

import anyio

from docshelf.errors import TimedOutError
from docshelf.gateway import asgi
from docshelf.gateway.messages import HttpRequest, HttpResponse, json_response
from docshelf.mcp_server.http_app import McpEndpoint
from docshelf.mcp_server.protocol import build_server
from docshelf.mcp_server.reports import CallReport
from docshelf.mcp_server.shelf import Shelf

GRACE_SECONDS = 1.0
"""A tool ends by itself when its time is up; its answer still has to be written."""

# What the SDK refuses without a word.
_ALONE: Mapping[int, str] = {HTTPStatus.NOT_ACCEPTABLE: "A client must accept application/json."}
_KEPT_HEADERS = ("allow", "content-type")


def exchange(
    request: HttpRequest,
    open_shelf: Callable[[], Shelf],
    *,
    blurb: str | None,
    seconds: float,
    on_call: Callable[[CallReport], None],
) -> HttpResponse:
    """The answer of MCP to a request that may ask it something; tools have `seconds` for theirs.

    Raises:
        TimedOutError: there was none in time.
    """
    server = build_server(open_shelf, blurb, seconds=seconds, on_call=on_call)

    async def answered() -> HttpResponse:
        endpoint = McpEndpoint(server)
        with anyio.fail_after(seconds + GRACE_SECONDS):
            async with endpoint.running():
                return await asgi.call(endpoint, request)

    try:
        return _as_json(asyncio.run(answered()))
    except TimeoutError as error:
        raise TimedOutError("There was no answer in time; try again.") from error


def _as_json(response: HttpResponse) -> HttpResponse:
    """The SDK's refusals in plain text become JSON like all others; lengths are the gateway's to state."""
    headers = tuple((name, value) for name, value in response.headers if name.lower() in _KEPT_HEADERS)
    if not response.body and response.status < HTTPStatus.BAD_REQUEST:
        return HttpResponse(response.status, tuple(pair for pair in headers if pair[0].lower() != "content-type"))
    if any(value.startswith("application/json") for name, value in headers if name.lower() == "content-type"):
        return HttpResponse(response.status, headers, response.body)
    message = response.body.decode("utf-8", "replace") or _ALONE.get(response.status, "The request cannot be answered.")
    return json_response(response.status, {"error": "bad_request", "message": message})
