"""The function as a whole: every event gets an answer, every answer its headers, and the log nothing secret."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlencode

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext
from awslambdaric.lambda_context import LambdaContext as ContextOfTheRuntime  # type: ignore[import-untyped]

from docshelf.errors import (
    DocshelfError,
    SettingsError,
    StoreDeniedError,
    StoreRefusedError,
    StoreUnavailableError,
)
from docshelf.signin.function import SigninFunction
from tests.unit.signin.begun import ENVIRONMENT, HOST, ISSUER, LOOPBACK, Begun, settings

PAGES = ("/", "/authorize", "/callback")
OPEN = ("/.well-known/oauth-protected-resource", "/register", "/token", "/revoke")


@pytest.fixture
def signin() -> SigninFunction:
    return SigninFunction(settings())


def context() -> LambdaContext:
    deadline = int((time.time() + 30) * 1000)
    return cast("LambdaContext", ContextOfTheRuntime("r", None, None, deadline, "arn:aws:lambda:::function:f"))


def event(method: str, path: str, query: str = "", body: str = "", **headers: str) -> dict[str, object]:
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": query,
        "headers": {"host": HOST, **{name.replace("_", "-"): value for name, value in headers.items()}},
        "requestContext": {"stage": "$default", "requestId": "r1", "http": {"method": method, "sourceIp": "192.0.2.1"}},
        "body": body,
        "isBase64Encoded": False,
    }


def ask(signin: SigninFunction, *parts: str, **headers: str) -> dict[str, Any]:
    return cast("dict[str, Any]", signin.handle(event(*parts, **headers), context()))


def headers_of(answer: Mapping[str, Any]) -> dict[str, str]:
    return {name.lower(): value for name, value in answer["headers"].items()}


def lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [record.__dict__ for record in caplog.records if record.getMessage() == "request"]


@pytest.mark.parametrize("path", ["/x", "/.well-known/other", "/.well-known/", "/authorize/", "/mcp", "", "//token"])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "HEAD"])
def test_an_unknown_path_is_not_found_in_json(signin: SigninFunction, method: str, path: str) -> None:
    if not path:
        path = "/favicon.ico"
    answer = ask(signin, method, path)
    assert (answer["statusCode"], headers_of(answer)["content-type"]) == (404, "application/json")
    assert method == "HEAD" or json.loads(answer["body"])["error"] == "not_found"
    assert ("access-control-allow-origin" in headers_of(answer)) == path.startswith("/.well-known/")


@pytest.mark.parametrize("host", ["", "evil.example", f"{HOST}.evil.example", f"{HOST}, x"])
@pytest.mark.parametrize("path", [*PAGES, *OPEN])
def test_an_unknown_host_is_refused(signin: SigninFunction, path: str, host: str) -> None:
    answer = ask(signin, "GET", path, host=host)
    assert (answer["statusCode"], json.loads(answer["body"])["error"]) == (421, "unknown_host")


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/", "GET, HEAD, OPTIONS"),
        ("/.well-known/openid-configuration", "GET, HEAD, OPTIONS"),
        ("/authorize", "GET, HEAD, OPTIONS"),
        ("/authorize/decision", "POST, OPTIONS"),
        ("/callback", "GET, OPTIONS"),
        ("/register", "POST, OPTIONS"),
        ("/token", "POST, OPTIONS"),
        ("/revoke", "POST, OPTIONS"),
    ],
)
def test_other_methods_are_not_allowed(signin: SigninFunction, path: str, methods: str) -> None:
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "get", "TRACE"):
        answer = ask(signin, method, path)
        assert (answer["statusCode"] == 405) == (method not in methods.split(", "))
        if answer["statusCode"] == 405:
            assert headers_of(answer)["allow"] == methods
            assert method == "HEAD" or json.loads(answer["body"])["error"] == "method_not_allowed"
    preflight = ask(signin, "OPTIONS", path, origin="https://app.example.com")
    assert (preflight["statusCode"], headers_of(preflight)["allow"]) == (204, methods)


@pytest.mark.parametrize("path", OPEN)
def test_pages_of_every_origin_may_read_what_no_cookie_has_a_part_in(signin: SigninFunction, path: str) -> None:
    preflight = headers_of(ask(signin, "OPTIONS", path, origin="https://app.example.com"))
    assert preflight["access-control-allow-origin"] == "*"
    assert "MCP-Protocol-Version" in preflight["access-control-allow-headers"]
    for method in ("GET", "POST"):
        answer = headers_of(ask(signin, method, path, origin="https://app.example.com"))
        assert answer["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer


@pytest.mark.parametrize("path", [*PAGES, "/authorize/decision"])
def test_pages_may_be_read_framed_and_kept_by_nobody(signin: SigninFunction, path: str) -> None:
    answer = ask(signin, "POST" if path.endswith("decision") else "GET", path)
    headers = headers_of(answer)
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["cache-control"] == "no-store"
    assert headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["strict-transport-security"] == "max-age=31536000"
    assert not [name for name in headers if name.startswith("access-control")]


def test_answers_are_not_kept_but_for_the_documents(signin: SigninFunction) -> None:
    for path in OPEN[1:]:
        headers = headers_of(ask(signin, "POST", path))
        assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert headers_of(ask(signin, "GET", OPEN[0]))["cache-control"] == "public, max-age=300"
    assert ask(signin, "HEAD", OPEN[0])["body"] == ""


def test_on_this_machine_nobody_is_told_to_come_by_https() -> None:
    local = SigninFunction(settings(url="http://localhost:8080/mcp"))
    answer = local.handle(event("GET", "/", host="localhost:8080"), context())
    assert "strict-transport-security" not in headers_of(answer)


def test_the_landing_page_shows_the_address(signin: SigninFunction) -> None:
    answer = ask(signin, "GET", "/")
    assert (answer["statusCode"], f"{ISSUER}/mcp" in answer["body"]) == (200, True)


def test_a_client_registers_and_asks_for_a_sign_in(signin: SigninFunction) -> None:
    body = json.dumps({"redirect_uris": [LOOPBACK], "client_name": "An editor"})
    answer = ask(signin, "POST", "/register", "", body, content_type="application/json")
    assert answer["statusCode"] == 201
    query = Begun().parameters(client_id=json.loads(answer["body"])["client_id"])
    page = ask(signin, "GET", "/authorize", urlencode(query))
    assert (page["statusCode"], len(page["cookies"])) == (200, 1)
    assert ask(signin, "HEAD", "/authorize", urlencode(query))["body"] == ""
    refused = ask(signin, "POST", "/register", "", "{}")
    assert refused["statusCode"] == 400
    assert json.loads(refused["body"]).keys() == {"error", "error_description"}


def test_the_log_has_a_line_a_request_without_anything_secret(
    signin: SigninFunction, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    query = Begun().parameters(state="secret-state", client_id=Begun().registered(LOOPBACK, name="secret-name"))
    with caplog.at_level(logging.INFO):
        ask(signin, "GET", "/authorize", urlencode(query))
        ask(signin, "GET", "/callback", "code=secret-code&state=secret-state", cookie="secret-cookie")
        ask(signin, "BREW", "/secret-path", "secret-query")
    told = [(line["path"], line["http_method"], line["status"], line.get("error")) for line in lines(caplog)]
    assert told == [
        ("authorize", "GET", 200, None),
        ("callback", "GET", 400, "invalid_request"),
        ("other", "other", 404, "not_found"),
    ]
    assert [line["cold"] for line in lines(caplog)] == [True, False, False]
    assert {line["request_id"] for line in lines(caplog)} == {"r1"}
    assert "secret" not in str([record.__dict__ for record in caplog.records])
    metrics = capsys.readouterr().out
    assert "secret" not in metrics
    assert metrics.count('"Function":"signin"') == 3


def test_a_fault_is_told_to_people_by_a_page_and_to_programs_in_json(
    signin: SigninFunction, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "-".join(["secret", "text"])

    def broken(*_: object) -> None:
        raise ZeroDivisionError(secret)

    monkeypatch.setattr("docshelf.signin.authorize.of_query", broken)
    monkeypatch.setattr("docshelf.signin.tokens_endpoint.of_form", broken)
    page, value = ask(signin, "GET", "/authorize"), ask(signin, "POST", "/token")
    assert (page["statusCode"], headers_of(page)["content-type"]) == (500, "text/html; charset=utf-8")
    assert (value["statusCode"], json.loads(value["body"])["error"]) == (500, "server_error")
    faults = [record.__dict__ for record in caplog.records if record.levelno == logging.ERROR]
    assert [fault["kind"] for fault in faults] == ["ZeroDivisionError"] * 2
    assert faults[0]["reference"] in page["body"]
    assert faults[1]["reference"] in value["body"]
    assert secret not in str(faults) + str(page) + str(value)


def test_keys_that_cannot_be_had_just_now_are_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    signin = SigninFunction(settings(sealing_keys=None, sealing_keys_secret="a-secret"))
    assert ask(signin, "GET", OPEN[0])["statusCode"] == 200
    page, value = ask(signin, "GET", "/authorize"), ask(signin, "POST", "/token")
    assert (page["statusCode"], headers_of(page)["retry-after"]) == (503, "5")
    assert (value["statusCode"], json.loads(value["body"])["error"]) == (503, "temporarily_unavailable")


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (StoreDeniedError("The secret arn:a-secret refuses access."), 500),
        (StoreRefusedError("The secret arn:a-secret does not exist."), 500),
        (SettingsError("What the secret arn:a-secret holds is broken."), 500),
        (StoreUnavailableError("The secret arn:a-secret does not answer."), 503),
    ],
)
def test_a_secret_that_cannot_be_read_is_named_to_the_log_alone(
    fault: DocshelfError, status: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(_: str) -> str:
        raise fault

    monkeypatch.setattr("docshelf.aws.secrets.read_secret", refused)
    signin = SigninFunction(settings(sealing_keys=None, sealing_keys_secret="arn:a-secret"))
    with caplog.at_level(logging.INFO):
        answers = [ask(signin, "GET", "/authorize"), ask(signin, "POST", "/token"), ask(signin, "POST", "/register")]
    assert {answer["statusCode"] for answer in answers} == {status}
    assert "a-secret" not in str(answers)
    assert [line["reason"] for line in lines(caplog)] == [fault.sentence] * 3


@pytest.mark.parametrize("broken", [{}, {"Records": []}, [], None, event("GET", "/") | {"requestContext": None}])
def test_an_event_that_is_no_request_is_answered(signin: SigninFunction, broken: Any) -> None:
    answer = signin.handle(broken, context())
    assert answer["statusCode"] == 400


def test_the_environment_is_read() -> None:
    assert isinstance(SigninFunction.from_environment(ENVIRONMENT), SigninFunction)
