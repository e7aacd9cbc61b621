"""The documentation says what the code does."""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser
from dataclasses import MISSING, fields
from pathlib import Path
from types import ModuleType

import pytest

from docshelf.commands import local, query, reindex, status, upload
from docshelf.commands.query import as_json
from docshelf.commands.status_json import document_json
from docshelf.embedding.profiles import DEFAULT_PROFILE, PACKAGED_PROFILE
from docshelf.mcp_server.connect import connect_lines
from docshelf.mcp_server.shelf import Passage, SearchAnswer
from docshelf.mcp_server.tools import TOOLS
from docshelf.observability import Metric
from docshelf.settings import CloudSettings, Limits, SearchSettings
from docshelf.signin.settings import SigninSettings
from docshelf.states import State
from infra.layers import command as build_layers
from tests.unit.index.made_up import make

ROOT = Path(__file__).resolve().parents[2]


def page(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def test_every_limit_is_documented_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `(DOCSHELF_\w+)` \| (\d+|off) \|", page("docs/settings.md"), re.MULTILINE))
    assert rows == {f"DOCSHELF_{item.name.upper()}": str(item.default) for item in fields(Limits)}


def test_every_variable_that_the_code_reads_is_documented() -> None:
    documented = set(re.findall(r"DOCSHELF_[A-Z_]+", page("docs/settings.md")))
    read = {
        name
        for path in (ROOT / "layers/docshelf").rglob("*.py")
        for name in re.findall(r"DOCSHELF_[A-Z][A-Z_]+[A-Z]", path.read_text("utf-8"))
    }
    settings = {
        f"DOCSHELF_{item.name.upper()}"
        for each in (CloudSettings, SearchSettings, SigninSettings)
        for item in fields(each)
    }
    assert read | settings == documented


def test_every_setting_of_the_search_function_is_documented_with_its_default() -> None:
    section = page("docs/settings.md").partition("\n## The search function")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `(DOCSHELF_\w+)` \| (.+?) \|", section, re.MULTILINE))
    assert rows.keys() == {f"DOCSHELF_{item.name.upper()}" for item in fields(SearchSettings)}
    for item in fields(SearchSettings):
        shown = rows[f"DOCSHELF_{item.name.upper()}"]
        assert (shown == "must be set") == (item.default is MISSING)
        assert (shown == f"`{item.default}`") == (isinstance(item.default, (str, int)))


def test_every_setting_of_the_sign_in_function_is_documented_with_its_default() -> None:
    section = page("docs/settings.md").partition("\n## The sign-in function")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `(DOCSHELF_\w+)` \| (.+?) \|", section, re.MULTILINE))
    assert rows.keys() == {f"DOCSHELF_{item.name.upper()}" for item in fields(SigninSettings)}
    for item in fields(SigninSettings):
        shown, default = rows[f"DOCSHELF_{item.name.upper()}"], item.default
        assert (shown == "must be set") == (default is MISSING)
        assert (shown == f"`{int(default) if isinstance(default, bool) else default}`") == isinstance(
            default, str | int
        )


def test_every_metric_is_documented() -> None:
    section = page("docs/operations.md").partition("\n## Metrics")[2].partition("\n## ")[0]
    shown = [
        name for row in re.findall(r"^\| (`.+?) \|", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    ]
    assert {metric.value for metric in Metric} == set(shown) - {"Function", "State", "Tool", "signin"}


@pytest.mark.parametrize("command", [local, query, reindex, status, upload, build_layers])
def test_every_option_is_documented_in_the_section_of_its_command(command: ModuleType) -> None:
    parser: ArgumentParser = command.parser()
    _, _, text = page("docs/commands.md").partition(f"\n## `./{parser.prog}")
    text = text.partition("\n## ")[0]
    options = [option for action in parser._actions for option in action.option_strings if option.startswith("--")]
    assert len(options) > 1
    for option in options:
        assert option in text or option == "--help"


def test_every_state_is_documented() -> None:
    rows = re.findall(r"^\| `([a-z ]+)` \|", page("docs/commands.md"), re.MULTILINE)
    assert sorted(rows) == sorted(State)


def test_the_readme_shows_each_tool_with_its_parameters() -> None:
    shown = {
        name: [part.split("=")[0].rstrip("?") for part in re.split(r", ?", parameters) if part]
        for name, parameters in re.findall(r"^- `(\w+)\((.*?)\)`", page("README.md"), re.MULTILINE)
    }
    assert shown == {name: [parameter.name for parameter in tool.parameters] for name, tool in TOOLS.items()}


def test_the_readme_has_the_line_of_each_client() -> None:
    text = page("README.md")
    for client, line in connect_lines("http://127.0.0.1:8080/mcp"):
        assert line in text, client


def test_the_readme_names_the_models() -> None:
    text = page("README.md")
    assert DEFAULT_PROFILE.name in text
    assert PACKAGED_PROFILE.name in text


def test_the_documented_json_has_the_fields_of_the_command() -> None:
    examples = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", page("docs/commands.md"), re.DOTALL)]
    answer = as_json(SearchAnswer((Passage(source="a", title="b", text="c", score=1.0),)))
    passages = answer["passages"]
    assert isinstance(passages, list)
    assert examples[0].keys() == answer.keys()
    assert examples[0]["passages"][0].keys() == passages[0].keys()
    fields_of_one = document_json(make("a.md").record).keys()
    assert examples[1]["documents"][0].keys() == fields_of_one
    assert examples[2]["documents"][0].keys() == {*fields_of_one, "change"}
