"""The table of `docs/clients.md`: what a client did, in words, from the exchanges that the server saw."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from importlib.metadata import version
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.support.commands import ROOT
from tests.support.node_clients import CODING_DEFINITION, DEFINITION
from tests.support.signin_recorder import Recorded

PAGE = ROOT / "docs" / "clients.md"
COLUMNS = ("client", "register", "consent", "callback", "token", "refresh", "tool call")
COMMAND_COLUMNS = ("client", "command")
NOT_TRIED = "-"

_TOOL_CALL = "tools/call"


class RowError(AssertionError):
    """Something that a sign-in consists of did not happen; the text has what did."""


class Program(NamedTuple):
    """A client: `label` has {} for the version of `package`, which is from npm or else from PyPI.

    `command` is what is typed or written into a file or program to use it, with MCP_URL for the server's address.
    """

    label: str
    package: str
    command: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table, a cell a field."""

    client: str
    register: str
    consent: str
    callback: str
    token: str
    refresh: str
    tool_call: str

    @property
    def line(self) -> str:
        """The line as it stands in the page."""
        return f"| {' | '.join(astuple(self))} |"


def row_of(client: str, first: Sequence[Recorded], later: Sequence[Recorded] | None = None) -> Row:
    """The row of `client`, which signed in and called a tool (`first`), and again when its token had ended (`later`).

    Without `later` there is neither refresh nor tool call.

    Raises:
        RowError: one of these did not happen.
    """
    return Row(
        client,
        _register(first),
        _consent(first),
        _callback(first),
        _token(first),
        NOT_TRIED if later is None else _refresh(later),
        NOT_TRIED if later is None else _tool_call(later),
    )


def table_of_page(*columns: str) -> dict[str, str]:
    """The lines of the page's table with these columns, by the text of the first."""
    head = f"| {' | '.join(columns)} |\n"
    lines = PAGE.read_text("utf-8").partition(head)[2].partition("\n\n")[0].splitlines()[1:]
    return {line.removeprefix("| ").partition(" | ")[0]: line for line in lines}


def label_of(program: Program) -> str:
    """The name of a client with its version."""
    for definition in (DEFINITION, CODING_DEFINITION):
        wanted = json.loads((definition / "package.json").read_text("utf-8"))["dependencies"]
        if program.package in wanted:
            return program.label.format(wanted[program.package])
    return program.label.format(version(program.package))


def _found(exchanges: Sequence[Recorded], asked: str, **form: str) -> list[Recorded]:
    return [
        one for one in exchanges if one.asked == asked and one.status < 400 and form.items() <= one.form.items()
    ]  # fmt: skip


def _last(exchanges: Sequence[Recorded], asked: str, **form: str) -> Recorded:
    found = _found(exchanges, asked, **form)
    if not found:
        seen = "\n".join(f"{one.asked} {one.status} {one.rpc.get('method', '')}" for one in exchanges)
        raise RowError(f"{asked} {form or ''} did not succeed:\n{seen}")
    return found[-1]


def _register(exchanges: Sequence[Recorded]) -> str:
    client_id = _last(exchanges, "GET /authorize").query["client_id"]
    if "://" in client_id:
        return f"document of `{urlsplit(client_id).hostname}`"
    return "registers itself" if _found(exchanges, "POST /register") else "has a client_id"


def _consent(exchanges: Sequence[Recorded]) -> str:
    page = _last(exchanges, "GET /authorize")
    shown = re.search(r"<h1>.*?<bdi[^>]*>(.+?)</bdi>", page.text)
    _last(exchanges, "POST /authorize/decision")
    if shown is None:
        raise RowError(f"the consent page shows no name: {page.text}")
    return f"“{shown[1]}”, allowed"


def _callback(exchanges: Sequence[Recorded]) -> str:
    answer = _last(exchanges, "GET /callback")
    asked = _last(exchanges, "GET /authorize").query["redirect_uri"]
    if answer.location is None:
        return f"`{asked}`, by a page"
    if answer.location.partition("?")[0] != asked:
        raise RowError(f"the answer went to {answer.location.partition('?')[0]}, not to {asked}")
    return f"`{re.sub(r':[0-9]+(?=/)', ':PORT', asked)}`"


def _token(exchanges: Sequence[Recorded]) -> str:
    asked = _last(exchanges, "POST /token", grant_type="authorization_code").form
    return "S256, `resource`" if "resource" in asked else "S256"


def _refresh(exchanges: Sequence[Recorded]) -> str:
    _last(exchanges, "POST /token", grant_type="refresh_token")
    refused = [one for one in exchanges if one.path == "/mcp" and one.status == 401 and "authorization" in one.headers]
    return "after a 401" if refused else "before the end"


def _tool_call(exchanges: Sequence[Recorded]) -> str:
    found = [one for one in _found(exchanges, "POST /mcp") if one.rpc.get("method") == _TOOL_CALL]
    if not found:
        raise RowError("no tool was called")
    return found[-1].headers.get("mcp-protocol-version", "without a revision")
