"""What a first request would be the first to load, loaded without one: for a start that is kept as a snapshot."""

from __future__ import annotations

import json
from collections.abc import Callable

from docshelf.errors import DocshelfError
from docshelf.gateway.messages import HttpRequest
from docshelf.mcp_server.reports import CallReport
from docshelf.mcp_server.shelf import Shelf
from docshelf.observability import logger
from docshelf.serving.exchange import exchange
from docshelf.settings import MCP_PATH

_QUESTION = "Which documents are there?"
_MESSAGES: tuple[tuple[str, dict[str, object]], ...] = (
    ("tools/list", {}),
    ("tools/call", {"name": "search_documents", "arguments": {"query": _QUESTION}}),
)
_HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def rehearse(open_shelf: Callable[[], Shelf], *, blurb: str | None, seconds: float) -> None:
    """Answer a listing of the tools and a search as MCP clients ask for them, each within `seconds`; for nobody.

    What cannot be answered is noted in the log: requests will meet it.
    """
    codes: list[str] = []

    def called(report: CallReport) -> None:
        if report.error_code is not None:
            codes.append(report.error_code)

    try:
        for method, params in _MESSAGES:
            exchange(_request(method, params), open_shelf, blurb=blurb, seconds=seconds, on_call=called)
    except DocshelfError as error:
        codes.append(error.code)
    if codes:
        logger.warning("A search could not be tried before the first request.", codes=codes)


def _request(method: str, params: dict[str, object]) -> HttpRequest:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    return HttpRequest("POST", MCP_PATH, "", _HEADERS, body, "", "rehearsal")
