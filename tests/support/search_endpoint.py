"""The search function as its users meet it: in AWS's runtime client, behind an HTTP API, with tokens and an index."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from docshelf.settings import MCP_PATH
from tests.support.api_gateway import api_gateway
from tests.support.cloud import new_cloud
from tests.support.lambda_runtime import LambdaRuntime
from tests.support.pipeline import pipeline
from tests.support.tokens import TokenIssuer

MODEL = {"DOCSHELF_MODEL": "all-minilm-l6-v2", "DOCSHELF_OFFLINE": "1"}


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request that reached the function, and its answer. `revision` is the protocol that its header names."""

    method: str
    path: str
    revision: str | None
    status: int
    seconds: float


@dataclass(slots=True)
class SearchEndpoint:
    """The endpoint at `url`; `exchanges` has what was asked of it, oldest first, and `log` what the function wrote."""

    url: str
    issuer: TokenIssuer
    runtime: LambdaRuntime
    log: Path
    exchanges: list[Exchange] = field(default_factory=list)
    added_token: str | None = None

    @contextmanager
    def with_token_added(self, token: str) -> Iterator[None]:
        """Put `token` into requests that have none, as a front that signs its users in would."""
        self.added_token = token
        try:
            yield
        finally:
            self.added_token = None

    def __call__(self, event: object) -> object:
        """What API Gateway calls: the function's answer to `event`."""
        asked = cast("dict[str, Any]", event)
        headers: dict[str, str] = asked["headers"]
        if self.added_token and "authorization" not in headers:
            headers["authorization"] = f"Bearer {self.added_token}"
        begun = time.monotonic()
        answer = cast("dict[str, Any]", self.runtime(asked))
        seconds = time.monotonic() - begun
        method, revision = asked["requestContext"]["http"]["method"], headers.get("mcp-protocol-version")
        self.exchanges.append(Exchange(method, asked["rawPath"], revision, answer["statusCode"], seconds))
        return answer


@contextmanager
def search_endpoint(
    moto_url: str, documents: Mapping[str, bytes], access: Mapping[str, Sequence[str]], log: Path
) -> Iterator[SearchEndpoint]:
    """An endpoint over an index of `documents`; `access` maps groups to collections. Pages of its origin may ask it."""
    made: list[SearchEndpoint] = []

    def answer(event: object) -> object:
        return made[0](event)

    with ExitStack() as ends:
        # The front comes first: the function must know its address.
        origin = ends.enter_context(api_gateway(answer))
        issuer = ends.enter_context(TokenIssuer(audience=f"{origin}{MCP_PATH}"))
        environment = {
            **indexed(moto_url, documents),
            **MODEL,
            **issuer.environment,
            "DOCSHELF_ACCESS": json.dumps(access),
            "DOCSHELF_BROWSER_ORIGINS": origin,
        }
        runtime = ends.enter_context(LambdaRuntime("search", environment, log))
        made.append(SearchEndpoint(issuer.audience, issuer, runtime, log))
        yield made[0]


def indexed(moto_url: str, documents: Mapping[str, bytes]) -> dict[str, str]:
    """Make an index of `documents`; the variables that lead to it."""
    cloud = new_cloud(moto_url)
    for key, data in documents.items():
        cloud.put(key, data)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in cloud.environment.items():
            patch.setenv(name, value)
        with pipeline(cloud) as functions:
            functions.sync(*documents)
    return cloud.environment
