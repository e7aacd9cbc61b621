import json
import shlex

from docshelf.mcp_server.connect import connect_lines, front_page

URL = "http://127.0.0.1:8080/mcp"


def test_every_client_has_its_line() -> None:
    lines = dict(connect_lines(URL))
    assert lines["Claude Code"] == f"claude mcp add --transport http docshelf {URL}"
    assert lines["Codex"] == f"codex mcp add docshelf --url {URL}"
    assert json.loads(lines["Cursor (~/.cursor/mcp.json)"]) == {"mcpServers": {"docshelf": {"url": URL}}}
    command, option, server = shlex.split(lines["VS Code"])
    assert (command, option) == ("code", "--add-mcp")
    assert json.loads(server) == {"name": "docshelf", "type": "http", "url": URL}


def test_the_front_page_has_every_line() -> None:
    page = front_page(URL)
    assert all(text in page for _, text in connect_lines(URL))
