"""A process of the search bench: what everything but searching costs in a request to the search function.

The real function gets events with tokens, and its shelf gives the same answer to every query: left are reading the
event, checking the token, MCP, writing the answer as text, and the log. Started by `search.py`, with the file for the
result.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

from aws_lambda_powertools.utilities.typing import LambdaContext

from docshelf.mcp_server.shelf import Passage, SearchAnswer
from docshelf.serving import function
from docshelf.settings import SearchSettings
from scripts.bench.search_data import UnitMaker
from tests.support.tokens import TokenIssuer

REQUESTS = 300
_WARM_UP = 50
_PASSAGES = 5
_WORDS_A_PASSAGE = 150
_MODERN = "2026-07-28"
_PROTOCOLS = (_MODERN, "2025-11-25")


class StandInShelf:
    """Always finds the same passages."""

    index_version = "1"

    def __init__(self) -> None:
        maker = UnitMaker()
        self._answer = SearchAnswer(
            tuple(
                Passage(f"folder/page{place}.md", "A title", maker.text(_WORDS_A_PASSAGE), 1.0, lines=(1, 9))
                for place in range(_PASSAGES)
            )
        )

    def search(self, *_arguments: object, **_named: object) -> SearchAnswer:
        return self._answer

    def indexing(self) -> None:
        return None


class StandIn:
    """Takes the place of the index in use, and of what gives each request its shelf."""

    def __init__(self, *_arguments: object) -> None:
        self._shelf = StandInShelf()

    def open(self) -> None:
        raise AssertionError("the shelf needs no index")

    def open_ahead(self) -> None:
        """There is nothing to open."""

    def for_caller(self, _collections: object = None) -> StandInShelf:
        return self._shelf

    def close(self) -> None:
        """There is nothing to close."""


class Context:
    """What Lambda gives a function besides the event, as far as it is used."""

    def get_remaining_time_in_millis(self) -> int:
        return 30_000


def event(token: str, protocol: str) -> dict[str, object]:
    """A call of the search tool as a client of this protocol sends it, as API Gateway hands it over."""
    params: dict[str, Any] = {"name": "search_documents", "arguments": {"query": "made-up words"}}
    headers = {
        "host": "docs.example.com",
        "authorization": f"Bearer {token}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": protocol,
    }
    if protocol == _MODERN:
        prefix = "io.modelcontextprotocol"
        params["_meta"] = {f"{prefix}/protocolVersion": protocol, f"{prefix}/clientCapabilities": {}}
        headers |= {"mcp-method": "tools/call", "mcp-name": params["name"]}
    request = {"http": {"method": "POST", "sourceIp": "192.0.2.1"}, "stage": "$default", "requestId": "r1"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return {
        "version": "2.0",
        "rawPath": "/mcp",
        "rawQueryString": "",
        "headers": headers,
        "requestContext": request,
        "body": json.dumps(message),
        "isBase64Encoded": False,
    }


def measure() -> dict[str, dict[str, float]]:
    """By protocol: milliseconds of CPU and by the clock that a request takes."""
    found: dict[str, dict[str, float]] = {}
    context = cast("LambdaContext", Context())
    with TokenIssuer() as issuer:
        settings = SearchSettings.from_environment({"DOCSHELF_INDEX": "s3://bench/index", **issuer.environment})
        with patch.object(function, "IndexInUse", StandIn), patch.object(function, "Shelves", StandIn):
            search = function.SearchFunction(settings)
        for protocol in _PROTOCOLS:
            asked = event(issuer.issue(), protocol)
            for _ in range(_WARM_UP):
                answer = search.handle(asked, context)
                assert answer["statusCode"] == 200, answer
                assert '"isError":true' not in str(answer["body"]), answer
            cpu, start = time.process_time(), time.perf_counter()
            for _ in range(REQUESTS):
                search.handle(asked, context)
            ms, cpu_ms = (time.perf_counter() - start) * 1000, (time.process_time() - cpu) * 1000
            found[protocol] = {"cpu_ms": cpu_ms / REQUESTS, "ms": ms / REQUESTS}
        search.close()
    return found


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(measure()))
