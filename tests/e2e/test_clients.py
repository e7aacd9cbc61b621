"""Clients that other people wrote ask the search function, each in every way it knows."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from docshelf.settings import MCP_PATH
from tests.support.mcp_clients import CLIENTS, Call, RefusedError, Visit
from tests.support.node_clients import DEFINITION, InstallError, NodeClients, installed_clients
from tests.support.search_endpoint import SearchEndpoint

REPORT, MISSING = "finance/annual-report-2025.pdf", "no/such/file.md"
TOOLS = {"search_documents", "get_document", "list_documents", "list_collections"}
CALLS: list[Call] = [
    ("search_documents", {"query": "Which bank provided the loan?"}),
    ("get_document", {"source": REPORT, "from_page": 2, "to_page": 2}),
    ("get_document", {"source": MISSING}),
]
MODERN = "2026-07-28"
LEGACY = {"TypeScript SDK 1", *(name for name in CLIENTS if name.endswith(" legacy"))}
UNAUTHORIZED = {
    "TypeScript SDK 1": "Sign in first",
    "TypeScript SDK 2, legacy": "Sign in first",
    "TypeScript SDK 2, auto": "the server requires authorization (HTTP 401)",
    "TypeScript SDK 2, 2026-07-28": "the server requires authorization (HTTP 401)",
    "Inspector, legacy": "auth_required",
    "Inspector, auto": "auth_required",
    "Inspector, modern": "auth_required",
    "mcp-remote, legacy": "running the sign-in for this server",
    "mcp-remote, auto": "running the sign-in for this server",
    "fastmcp, legacy": "Server returned an error response",
    "fastmcp, auto": "Server returned an error response",
}
"""What each client says where it has no token. mcp-remote begins to sign in, at once."""


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_reads_the_tools_searches_reads_a_page_and_is_told_what_is_wrong(
    client: str, node: NodeClients, endpoint: SearchEndpoint, tmp_path: Path
) -> None:
    token = endpoint.issuer.issue(groups=["everything"])
    heard = CLIENTS[client](Visit(node, tmp_path, endpoint.url, token), CALLS)
    assert heard.tools.keys() == TOOLS
    for text in (heard.instructions, heard.tools["search_documents"]):
        assert text is None or "3 documents in 3 collections" in text
    found, page, unknown = heard.answers
    assert f'[1] {REPORT} | "Pinewick Instruments annual report 2025" | page 2 | ' in found.text
    assert "Nordhamn Bank" in page.text
    assert [answer.is_error for answer in heard.answers] == [False, False, True]
    assert unknown.text == _unknown(MISSING)
    revisions = {one.revision for one in endpoint.exchanges if one.method == "POST" and one.status == 200}
    assert (MODERN in revisions) is (client not in LEGACY)
    assert {one.status for one in endpoint.exchanges if one.path == MCP_PATH and one.method != "POST"} <= {405}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_shows_only_what_its_user_may_see(
    client: str, node: NodeClients, endpoint: SearchEndpoint, tmp_path: Path
) -> None:
    token = endpoint.issuer.issue(groups=["delivery"])
    heard = CLIENTS[client](Visit(node, tmp_path, endpoint.url, token), CALLS[:2])
    found, page = heard.answers
    assert page.text == _unknown(REPORT)
    shown = "\n".join([heard.instructions or "", *heard.tools.values(), found.text])
    assert "1 document in 1 collection" in shown
    for forbidden in ("finance", "annual report", "Nordhamn", "credentials.md"):
        assert forbidden not in shown


def _unknown(key: str) -> str:
    return f'There is no document "{key}"; list_documents shows the keys.'


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_without_a_token_ends_and_says_that_it_must_sign_in(
    client: str, node: NodeClients, endpoint: SearchEndpoint, tmp_path: Path
) -> None:
    with pytest.raises(RefusedError, match=re.escape(UNAUTHORIZED[client])):
        CLIENTS[client](Visit(node, tmp_path, endpoint.url, None), CALLS)
    assert {one.status for one in endpoint.exchanges if one.path == MCP_PATH} == {401}


# -- what is installed ---------------------------------------------------------------------------------------------


def test_the_packages_are_pinned_and_name_no_place_to_get_them_from() -> None:
    versions = json.loads((DEFINITION / "package.json").read_text("utf-8"))["dependencies"].values()
    assert [version for version in versions if not re.fullmatch(r"\d+\.\d+\.\d+(-[a-z]+\.\d+)?", version)] == []
    packages = json.loads((DEFINITION / "package-lock.json").read_text("utf-8"))["packages"]
    assert len(packages) > 100
    for path, package in packages.items():
        assert "resolved" not in package
        assert not path or package["integrity"].startswith("sha512-")


def test_an_installation_that_is_complete_is_used_as_it_is(node: NodeClients) -> None:
    marker = node.directory / "node_modules" / ".package-lock.json"
    before = marker.stat()
    assert installed_clients() == node
    assert marker.stat() == before


def test_packages_that_cannot_be_had_are_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    definition, directory = tmp_path / "definition", tmp_path / "clients"
    shutil.copytree(DEFINITION, definition)
    for name, value in {"registry": "http://127.0.0.1:9/", "fetch_retries": "0", "cache": str(tmp_path)}.items():
        monkeypatch.setenv(f"npm_config_{name}", value)
    for _ in range(2):
        with pytest.raises(
            InstallError, match=r"cannot be installed: npm ended with status 1\. .* start again\."
        ) as told:
            installed_clients(definition, directory)
        assert "ECONNREFUSED" in str(told.value)
