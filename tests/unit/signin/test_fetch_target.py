from __future__ import annotations

import pytest

from docshelf.signin.fetch_target import FetchRefusedError, Target, parse_target


@pytest.mark.parametrize(
    ("url", "host", "path"),
    [
        ("https://claude.ai/oauth/claude-code-client-metadata", "claude.ai", "/oauth/claude-code-client-metadata"),
        ("https://chatgpt.com/oauth/codex/client.json", "chatgpt.com", "/oauth/codex/client.json"),
        ("https://vscode.dev/oauth/client-metadata.json", "vscode.dev", "/oauth/client-metadata.json"),
        ("https://vscode.dev:443/x", "vscode.dev", "/x"),
        ("https://A.Example/x?version=2", "a.example", "/x?version=2"),
    ],
)
def test_addresses_of_real_documents_are_taken(url: str, host: str, path: str) -> None:
    for local in (False, True):
        assert parse_target(url, local=local) == Target(host, 443, path, local=False)
    assert parse_target(url).host_header == host


@pytest.mark.parametrize(
    "url",
    [
        "",
        "client.json",
        "https://a.example",
        "https://a.example/",
        "https://a.example?x=/y",
        "http://a.example/client.json",
        "ftp://a.example/client.json",
        "app://a.example/client.json",
        "https://a.example:8443/client.json",
        "https://a.example:22/client.json",
        "https://localhost/client.json",
        "https://localhost:443/client.json",
        "https://intranet/client.json",
        "https://169.254.169.254/latest/meta-data",
        "https://127.0.0.1/client.json",
        "https://127.1/client.json",
        "https://2852039166/latest/meta-data",
        "https://0xa9fea9fe/latest/meta-data",
        "https://0251.0376.0251.0376/latest/meta-data",
        "https://[::1]/client.json",
        "https://[::ffff:169.254.169.254]/latest/meta-data",
        "https://[fd00:ec2::254]/latest/meta-data",
        "https://user@a.example/client.json",
        "https://a.example\\@169.254.169.254/x",
        "https://a.example/x/../client.json",
        "https://a.example/%2e%2e/client.json",
        "https://a.example/client.json#x",
        "https://a.example/client.json\r\nHost: b.example",
        "https://a.example/client json",
        "https://аpple.example/client.json",
        f"https://a.example/{'x' * 2_000}",
    ],
)
def test_anything_else_is_no_address_of_a_document(url: str) -> None:
    for local in (False, True):
        with pytest.raises(FetchRefusedError):
            parse_target(url, local=local)


@pytest.mark.parametrize(
    ("url", "host", "port", "header"),
    [
        ("http://localhost:8080/client.json", "localhost", 8080, "localhost:8080"),
        ("http://127.0.0.1/client.json", "127.0.0.1", 80, "127.0.0.1"),
        ("http://[::1]:81/client.json", "::1", 81, "[::1]:81"),
    ],
)
def test_documents_of_this_machine_are_taken_only_where_that_is_said(
    url: str, host: str, port: int, header: str
) -> None:
    found = parse_target(url, local=True)
    assert (found, found.host_header) == (Target(host, port, "/client.json", local=True), header)
    with pytest.raises(FetchRefusedError):
        parse_target(url)
