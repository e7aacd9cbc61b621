"""The function as a whole: every event gets an answer, and the log says nothing that it must not."""

from __future__ import annotations

import base64
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext
from awslambdaric.lambda_context import LambdaContext as ContextOfTheRuntime  # type: ignore[import-untyped]

from docshelf.errors import SettingsError
from docshelf.observability import quiet_libraries
from docshelf.serving.function import SearchFunction
from docshelf.settings import SearchSettings
from tests.support.tokens import TokenIssuer


def context(seconds: float = 30) -> LambdaContext:
    """What Lambda gives a function that has so many seconds left."""
    deadline = int((time.time() + seconds) * 1000)
    return cast("LambdaContext", ContextOfTheRuntime("r", None, None, deadline, "arn:aws:lambda:::function:f"))


def event(token: str, body: str = '{"jsonrpc":"2.0","id":1,"method":"ping"}', **changed: object) -> dict[str, object]:
    return {
        "version": "2.0",
        "rawPath": "/mcp",
        "rawQueryString": "",
        "headers": {
            "host": "docs.example.com",
            "authorization": f"Bearer {token}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
        },
        "requestContext": {"stage": "$default", "requestId": "r1", "http": {"method": "POST", "sourceIp": "192.0.2.1"}},
        "body": body,
        "isBase64Encoded": False,
        **changed,
    }


@contextmanager
def function(clock: Callable[[], float] = time.monotonic, **changed: str) -> Iterator[tuple[SearchFunction, str]]:
    """A function whose index nobody needs, and a token that it takes."""
    with TokenIssuer() as issuer:
        environment = {
            "DOCSHELF_INDEX": "s3://nowhere/index",
            "DOCSHELF_MODEL": "all-minilm-l6-v2",
            **issuer.environment,
            **changed,
        }
        made = SearchFunction(SearchSettings.from_environment(environment), clock=clock)
        try:
            yield made, issuer.issue()
        finally:
            made.close()


def parsed(answer: Mapping[str, object]) -> tuple[int, dict[str, Any]]:
    return cast("int", answer["statusCode"]), json.loads(str(answer["body"]))


def test_plain_and_base64_bodies_are_the_same(caplog: pytest.LogCaptureFixture) -> None:
    encoded = base64.b64encode(b'{"jsonrpc":"2.0","id":1,"method":"ping"}').decode()
    with function() as (search, token), caplog.at_level(logging.INFO):
        plain = search.handle(event(token), context())
        assert parsed(plain) == (200, {"jsonrpc": "2.0", "id": 1, "result": {}})
        assert search.handle(event(token, encoded, isBase64Encoded=True), context()) == plain
    lines = [record.__dict__ for record in caplog.records if record.getMessage() == "request"]
    assert [(line["rpc_method"], line["cold"], line["request_id"]) for line in lines] == [
        ("ping", True, "r1"),
        ("ping", False, "r1"),
    ]


class PanicError(BaseException):
    """As Rust's panics are in Python: no `Exception`."""


@pytest.mark.parametrize("kind", [ValueError, PanicError])
def test_a_fault_is_answered_with_a_reference_and_logged_without_its_text(
    caplog: pytest.LogCaptureFixture, kind: type[BaseException]
) -> None:
    ticks, secret = iter([0.0, None]), "-".join(["text", "of", "a", "document"])

    def clock() -> float:
        tick = next(ticks, 1.0)
        if tick is None:
            raise kind(secret)
        return tick

    with function(clock) as (search, token):
        status, body = parsed(search.handle(event(token), context()))
    assert (status, body["error"]) == (500, "internal")
    assert body["reference"] in body["message"]
    [record] = [record.__dict__ for record in caplog.records if record.levelno == logging.ERROR]
    assert (record["reference"], record["kind"]) == (body["reference"], kind.__name__)
    assert "in elapsed" in record["frames"]
    assert secret not in str([record.__dict__ for record in caplog.records])
    assert "Traceback" not in str(body)


def test_an_answer_that_cannot_be_in_time_is_not_begun() -> None:
    with function() as (search, token):
        answer = search.handle(event(token), context(seconds=1.5))
        assert parsed(answer)[0] == 504
        assert cast("dict[str, str]", answer["headers"])["Retry-After"] == "5"
        assert parsed(search.handle(event(token), context(seconds=20)))[0] == 200


@pytest.mark.parametrize(
    "broken", [{}, {"Records": []}, [], None, event("x", "=", isBase64Encoded=True), event("x", requestContext=None)]
)
def test_an_event_that_is_no_request_is_answered(broken: Any) -> None:
    with function() as (search, _):
        answer = search.handle(broken, context())
    assert (parsed(answer)[0], parsed(answer)[1]["error"]) == (400, "event")
    assert cast("dict[str, str]", answer["headers"])["Cache-Control"] == "no-store"


@pytest.mark.parametrize("model", ["no-such-model", "/nowhere", "multilingual-e5-small"])
def test_a_model_that_cannot_be_had_keeps_the_function_from_starting(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCSHELF_OFFLINE", "1")
    with pytest.raises(SettingsError, match=r"^DOCSHELF_MODEL cannot be used: "), function(DOCSHELF_MODEL=model):
        pytest.fail("it started")


def test_of_the_library_s_own_lines_only_the_place_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    quiet_libraries()
    quiet_libraries()
    sent = "what the client sent"
    logging.getLogger("mcp.shared.session").error("handler for %r raised", sent, exc_info=KeyError(sent))
    # pytest hears a library even where its lines go nowhere.
    [record] = [record.__dict__ for record in caplog.records if not record.name.startswith("mcp")]
    assert record["kind"] == "KeyError"
    assert record["place"].startswith("mcp.shared.session:")
    assert sent not in str(record)
    assert logging.getLogger("mcp").propagate is False


def test_signed_requests_to_s3_stay_out_of_the_log_at_any_level(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("botocore"), "level", logging.NOTSET)
    quiet_libraries()
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("botocore.endpoint").debug("Sending http request: %s", "a signature")
    assert "a signature" not in caplog.text
