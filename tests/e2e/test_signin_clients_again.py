"""Clients where signing in goes another way: the person cancels, a registration or a token is not taken any more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from docshelf.signin.function import SigninFunction
from docshelf.signin.sealing_keys import SealingKeys
from tests.support.api_gateway import Handle
from tests.support.client_visits import ANSWER, NAME, QUESTION, TOOL, ClientError, Visit
from tests.support.coding_clients import (
    CLAUDE_CODE,
    CODEX,
    CODING_CLIENTS,
    claude_logs_in,
    claude_says,
    claude_signs_in,
    codex_says,
)
from tests.support.person import browser_program
from tests.support.signin_endpoint import ANNA
from tests.support.signin_recorder import Recorder, handling, without_documents
from tests.support.signing_clients import CLIENTS, SigningClient


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_says_that_the_person_has_cancelled(name: str, visit: Visit) -> None:
    _cancel(CLIENTS[name], visit)


@pytest.mark.parametrize("name", CODING_CLIENTS)
def test_a_coding_client_says_that_the_person_has_cancelled(name: str, coding_visit: Visit, recorder: Recorder) -> None:
    _cancel(CODING_CLIENTS[name], coding_visit)
    # Codex asks once more, without a scope.
    assert [one.asked for one in recorder.cut()].count("GET /authorize") == (1 if name == "Claude Code" else 2)


def _cancel(client: SigningClient, visit: Visit) -> None:
    browser_program(visit.home, replace(ANNA, password=""))
    with pytest.raises(ClientError) as told:
        client.begin(visit, TOOL, QUESTION)
    assert client.cancelled in told.value.said


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_whose_registration_is_not_known_any_more_registers_again(
    name: str, visit: Visit, recorder: Recorder
) -> None:
    client = CLIENTS[name]
    assert ANSWER in client.begin(visit, TOOL, QUESTION)
    recorder.cut()
    client.outlive_token(visit, recorder.end_tokens)
    recorder.end_tokens()
    with recorder.answered_by("signin", _with_other_keys(recorder)):
        assert ANSWER in client.ask(visit, TOOL, QUESTION)
    asked = [(one.asked, one.status) for one in recorder.cut()]
    assert asked.index(("POST /token", 401)) < asked.index(("POST /register", 201)) < asked.index(("POST /token", 200))


def test_fastmcp_opens_the_browser_where_its_token_is_refused(visit: Visit, recorder: Recorder) -> None:
    client = CLIENTS["fastmcp"]
    client.begin(visit, TOOL, QUESTION)
    recorder.end_tokens()
    recorder.cut()
    assert ANSWER in client.ask(visit, TOOL, QUESTION)
    grants = [one.form["grant_type"] for one in recorder.cut() if one.asked == "POST /token"]
    assert grants == ["authorization_code"]


def _with_other_keys(recorder: Recorder) -> Handle:
    """The sign-in function after all its keys were lost."""
    keys = {"DOCSHELF_SEALING_KEYS": SealingKeys.generate().text()}
    function = SigninFunction.from_environment(recorder.endpoint.variables | keys)
    return handling(function)


def test_claude_code_asks_for_a_sign_in_where_its_registration_is_not_known_any_more(
    coding_visit: Visit, recorder: Recorder
) -> None:
    with recorder.answered_by("signin", without_documents(recorder.endpoint.functions["signin"])):
        claude_signs_in(coding_visit)
    recorder.end_tokens()
    with recorder.answered_by("signin", without_documents(_with_other_keys(recorder))):
        assert "Needs authentication" in claude_says(coding_visit, "mcp", "list")
        recorder.cut()
        claude_logs_in(coding_visit)
        assert ("POST /register", 201) in [(one.asked, one.status) for one in recorder.cut()]
        assert ANSWER in CLAUDE_CODE.ask(coding_visit, TOOL, QUESTION)


def test_claude_code_gives_its_refresh_token_back_where_a_person_signs_out(
    coding_visit: Visit, recorder: Recorder
) -> None:
    tokens = recorder.endpoint.pool.refresh_tokens
    before = set(tokens)
    claude_signs_in(coding_visit)
    assert len(tokens) == len(before) + 1
    claude_says(coding_visit, "mcp", "logout", NAME)
    assert set(tokens) == before
    assert "Needs authentication" in claude_says(coding_visit, "mcp", "list")


def test_codex_has_to_be_signed_in_anew_where_its_token_is_refused(coding_visit: Visit, recorder: Recorder) -> None:
    CODEX.begin(coding_visit, TOOL, QUESTION)
    recorder.end_tokens()
    with pytest.raises(ClientError) as told:
        CODEX.ask(coding_visit, TOOL, QUESTION)
    assert "The token has expired: sign in again." in told.value.said
    recorder.cut()
    codex_says(coding_visit, "mcp", "logout", NAME)
    assert recorder.cut() == []  # it only forgets the token
    assert "Not logged in" in codex_says(coding_visit, "mcp", "list")
    assert "Successfully logged in" in codex_says(coding_visit, "mcp", "login", NAME)
    assert ANSWER in CODEX.ask(coding_visit, TOOL, QUESTION)
