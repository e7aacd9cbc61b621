"""Claude Code and Codex, each of several hundred megabytes: how they are installed, sign in and call a tool."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from tests.support.client_visits import NAME, SECONDS, Visit
from tests.support.codex_server import CodexServerError, call_tool
from tests.support.commands import ROOT
from tests.support.fake_model import fake_model
from tests.support.node_clients import CODING_DEFINITION, NodeClients, installed_clients
from tests.support.signing_clients import SigningClient
from tests.support.terminal import run_in_terminal

_DIRECTORY = ROOT / ".docshelf" / "signin_clients"
_CLAUDE = ("node_modules", "@anthropic-ai", "claude-code", "cli-wrapper.cjs")


def installed_coding_clients() -> NodeClients:
    """The two, after installing what is missing.

    Raises:
        InstallError: that cannot be done.
    """
    return installed_clients(CODING_DEFINITION, _DIRECTORY)


# -- Claude Code ---------------------------------------------------------------------------------------------------


def _claude(visit: Visit, *arguments: str) -> list[str]:
    # What is on the search path is made by a script of the package, and none runs here.
    return [str(visit.node.node), str(visit.node.directory.joinpath(*_CLAUDE)), *arguments]


def _of_claude(visit: Visit, **more: str) -> dict[str, str]:
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    return visit.environment(CLAUDE_CONFIG_DIR=str(visit.home / "claude"), **quiet, **more)


def claude_says(visit: Visit, *arguments: str, **more: str) -> str:
    """What `claude` with these arguments says."""
    return visit.run(_claude(visit, *arguments), **_of_claude(visit, **more))


def claude_signs_in(visit: Visit) -> None:
    """Add the server, see that it wants a sign-in, and sign in."""
    claude_says(visit, "mcp", "add", "--transport", "http", NAME, visit.url)
    _expect(visit, claude_says(visit, "mcp", "list"), "Needs authentication")
    claude_logs_in(visit)


def claude_logs_in(visit: Visit) -> None:
    """Sign in to the server that was added, which Claude Code does only at a terminal."""
    ran = run_in_terminal(_claude(visit, "mcp", "login", NAME), _of_claude(visit), visit.home, SECONDS)
    _expect(visit, ran.text, f'Authenticated with "{NAME}"')
    _expect(visit, claude_says(visit, "mcp", "list"), "Connected")


def claude_calls(visit: Visit, tool: str, arguments: Mapping[str, object]) -> str:
    """The tool's answer, which a model asks for and says again."""
    name = f"mcp__{NAME}__{tool}"
    with fake_model(name, arguments) as model:
        account = {"ANTHROPIC_BASE_URL": model, "ANTHROPIC_API_KEY": "none"}
        return claude_says(visit, "--print", "What does the shelf say?", "--allowedTools", name, **account)


# -- Codex ---------------------------------------------------------------------------------------------------------


def _codex(visit: Visit, *arguments: str) -> list[str]:
    # A model's address of this machine, so that none is asked anywhere else.
    provider = '{name="none",base_url="http://127.0.0.1:9/v1",wire_api="responses"}'
    settings = [
        "-c",
        'model_provider="none"',
        "-c",
        f"model_providers.none={provider}",
        "-c",
        "analytics.enabled=false",
    ]
    settings += ["-c", 'mcp_oauth_credentials_store="file"']
    return visit.node.command("codex", *settings, *arguments)


def codex_says(visit: Visit, *arguments: str) -> str:
    """What `codex` with these arguments says."""
    home = visit.home / "codex"
    home.mkdir(exist_ok=True)
    return visit.run(_codex(visit, *arguments), CODEX_HOME=str(home))


def codex_signs_in(visit: Visit, *, options: Sequence[str] = ()) -> None:
    """Add the server, which signs in at once."""
    _expect(visit, codex_says(visit, "mcp", "add", NAME, "--url", visit.url, *options), "Successfully logged in")
    if not re.search(rf"^{NAME} .* OAuth$", codex_says(visit, "mcp", "list"), re.MULTILINE):
        raise visit.error("Codex does not list the server as signed in.")


def codex_calls(visit: Visit, tool: str, arguments: Mapping[str, object]) -> str:
    """The tool's answer, as an editor gets it from Codex."""
    environment = visit.environment(CODEX_HOME=str(visit.home / "codex"))
    try:
        result = call_tool(_codex(visit, "app-server"), environment, visit.home, NAME, tool, arguments)
    except CodexServerError as error:
        raise visit.error(str(error)) from error
    return "\n".join(part["text"] for part in result["content"])


def _expect(visit: Visit, said: str, wanted: str) -> None:
    if wanted not in said:
        raise visit.error(f"{wanted!r} is not in: {said}")


_CODEX_COMMAND = f"codex mcp add {NAME} --url MCP_URL"
_REGISTERING = ("--oauth-client-registration", "dcr")

CLAUDE_CODE = SigningClient(
    "Claude Code {}",
    "@anthropic-ai/claude-code",
    f"claude mcp add --transport http {NAME} MCP_URL && claude mcp login {NAME}",
    claude_calls,
    claude_signs_in,
)
CODEX = SigningClient("Codex {}", "@openai/codex", _CODEX_COMMAND, codex_calls, codex_signs_in)
CODING_CLIENTS = {
    "Claude Code": CLAUDE_CODE,
    "Codex": CODEX,
    "Codex, registering": replace(
        CODEX,
        label=f"{CODEX.label}, registering",
        command=" ".join([_CODEX_COMMAND, *_REGISTERING]),
        sign_in=partial(codex_signs_in, options=_REGISTERING),
    ),
}
"""Those that `./scripts/test --clients` brings, each with what it does by itself."""
