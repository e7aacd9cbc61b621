"""Clients that other people wrote sign in, call a tool, and get new tokens when theirs have ended.

What each of them did is a line of `docs/clients.md`, which must say the same.
"""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from docshelf.signin.registration import REGISTRATION_SECONDS
from tests.support.client_rows import COLUMNS, COMMAND_COLUMNS, PAGE, Row, label_of, row_of, table_of_page
from tests.support.client_visits import ANSWER, QUESTION, TOOL, Visit
from tests.support.coding_clients import CLAUDE_CODE, CODING_CLIENTS
from tests.support.cognito_pool import ACCESS_SECONDS
from tests.support.conformance_signin import CONFORMANCE, conformance_of_signin
from tests.support.node_clients import CODING_DEFINITION
from tests.support.replayed_clients import REPLAYS, replay_call, replay_refresh, replay_sign_in
from tests.support.signin_endpoint import ANNA
from tests.support.signin_recorder import Recorder, without_documents
from tests.support.signing_clients import CLIENTS, Notices, SigningClient

SOON_OVER = 25
"""Seconds that clients take for no time left: they ask for a new token so long before the end of one."""

REGISTERING = replace(CLAUDE_CODE, label=f"{CLAUDE_CODE.label}, registering", notices=Notices.REFUSAL)
REPLAYED = "{} (replayed)"
EXAMPLE = "https://docs.example.com/mcp"


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_signs_in_calls_a_tool_and_gets_new_tokens(name: str, visit: Visit, recorder: Recorder) -> None:
    _is_in_page(_whole_stay(CLIENTS[name], visit, recorder))


@pytest.mark.parametrize("name", CODING_CLIENTS)
def test_a_coding_client_signs_in_calls_a_tool_and_gets_new_tokens(
    name: str, coding_visit: Visit, recorder: Recorder
) -> None:
    _is_in_page(_whole_stay(CODING_CLIENTS[name], coding_visit, recorder))


def test_claude_code_registers_itself_where_documents_are_not_taken(coding_visit: Visit, recorder: Recorder) -> None:
    with recorder.answered_by("signin", without_documents(recorder.endpoint.functions["signin"])):
        _is_in_page(_whole_stay(REGISTERING, coding_visit, recorder))


@pytest.mark.usefixtures("documents")
@pytest.mark.parametrize("name", REPLAYS)
def test_what_is_known_of_a_client_leads_to_a_tool_call_and_to_new_tokens(name: str, recorder: Recorder) -> None:
    replay = REPLAYS[name]
    client, tokens = replay_sign_in(replay, recorder.endpoint.origin, ANNA)
    assert ANSWER in replay_call(client, tokens, TOOL, QUESTION)
    first = recorder.cut()
    tokens = replay_refresh(replay, client, tokens)
    assert ANSWER in replay_call(client, tokens, TOOL, QUESTION)
    row = row_of(REPLAYED.format(name), first, recorder.cut())
    callback = row.callback.replace("PORT", str(urlsplit(replay.redirect_uri).port))
    _is_in_page(replace(row, callback=callback, refresh="answered", tool_call="answered"))


def test_the_conformance_suite_finds_nothing_wrong(visit: Visit, recorder: Recorder) -> None:
    verdict = conformance_of_signin(visit, ANNA)
    assert (verdict.status, {status for _, _, status in verdict.checks}) == (0, {"SUCCESS"}), verdict.text
    assert {scenario for scenario, _, _ in verdict.checks} == {
        "authorization-server-metadata-endpoint",
        "authorization-code-grant",
    }
    _is_in_page(row_of(label_of(CONFORMANCE), recorder.cut()))


def _whole_stay(client: SigningClient, visit: Visit, recorder: Recorder) -> Row:
    pool = recorder.endpoint.pool
    pool.access_seconds = SOON_OVER if client.notices is Notices.CLOCK else ACCESS_SECONDS
    try:
        assert ANSWER in client.begin(visit, TOOL, QUESTION)
        first = recorder.cut()
        client.outlive_token(visit, recorder.end_tokens)
        assert ANSWER in client.ask(visit, TOOL, QUESTION)
        return row_of(label_of(client.program), first, recorder.cut())
    finally:
        # Not sooner: a client that is on its way out may still be getting itself a token, which would be good for long.
        pool.access_seconds = ACCESS_SECONDS


def _is_in_page(row: Row) -> None:
    assert table_of_page(*COLUMNS).get(row.client) == row.line, "docs/clients.md says something else"


def test_the_page_names_every_client_with_its_version_and_how_it_was_run() -> None:
    clients = [*CODING_CLIENTS.values(), REGISTERING, *CLIENTS.values()]
    programs = [*(client.program for client in clients), CONFORMANCE]
    commands = {label_of(one): one.command.replace("MCP_URL", EXAMPLE) for one in programs}
    assert table_of_page(*COLUMNS).keys() == commands.keys() | {REPLAYED.format(name) for name in REPLAYS}
    lines = {label: f"| {label} | `{command}` |" for label, command in commands.items()}
    assert table_of_page(*COMMAND_COLUMNS) == lines
    assert f"after {REGISTRATION_SECONDS // 86_400} days" in PAGE.read_text("utf-8")


def test_the_coding_clients_are_pinned_and_name_no_place_to_get_them_from() -> None:
    wanted = json.loads((CODING_DEFINITION / "package.json").read_text("utf-8"))["dependencies"]
    packages = json.loads((CODING_DEFINITION / "package-lock.json").read_text("utf-8"))["packages"]
    assert {f"node_modules/{name}": version for name, version in wanted.items()}.items() <= {
        path: package["version"] for path, package in packages.items() if path
    }.items()
    for path, package in packages.items():
        assert "resolved" not in package
        assert not path or package["integrity"].startswith("sha512-")
