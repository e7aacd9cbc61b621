"""docs/deploy.md says what the settings, the checks and the stack are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from infra.costs import command as cost
from infra.deployment import deploy
from infra.deployment.aws import Account
from infra.deployment.checks import Preparations, steps
from infra.deployment.smoke import command as smoke
from infra.settings import Environment
from tests.support.assembly import NAMES, Assembly

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "deploy.md").read_text("utf-8")
IN_WORDS = {
    "account": "any",
    "access": "everybody sees everything",
    "signin.redirect_hosts": "every host",
}


def settings(model: type[BaseModel], before: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Every setting of a file, those of a table with its name and a dot in front."""
    for name, field in model.model_fields.items():
        tables = [
            kind
            for kind in (field.annotation, *get_args(field.annotation))
            if isinstance(kind, type) and issubclass(kind, BaseModel)
        ]
        if tables:
            yield from settings(tables[0], f"{before}{name}.")
        elif f"{before}{name}" != "name":
            yield f"{before}{name}", field


def rows(pattern: str, after: str) -> list[Any]:
    """What `pattern` finds in the lines between `after` and the next heading."""
    return re.findall(pattern, PAGE.partition(after)[2].partition("\n## ")[0], re.MULTILINE)


def shown(name: str, field: FieldInfo) -> str:
    default: Any = field.default
    if field.is_required():
        return "must be set"
    if name in IN_WORDS:
        return IN_WORDS[name]
    if default is None or default == ():
        return "none"
    return f"`{json.dumps(list(default) if isinstance(default, tuple) else default)}`"


def test_every_setting_is_on_the_page_with_its_default() -> None:
    listed = rows(r"^\| `([\w.]+)` \| (.+?) \| .+ \|$", "\n## Settings")
    assert listed == [(name, shown(name, field)) for name, field in settings(Environment)]


def test_every_output_of_the_stack_is_on_the_page(assembly: Assembly) -> None:
    listed = {
        name for row in rows(r"^\| (`\w+`(?:, `\w+`)*) \| ", "| output | for |") for name in re.findall(r"\w+", row)
    }
    told = {name for each in NAMES for name in assembly.template(each).content["Outputs"]}
    assert listed == told


def test_every_check_is_on_the_page() -> None:
    domain = {"name": "docs.example.com", "certificate_arn": "arn:aws:acm:eu-west-1:123456789012:certificate/1"}
    environment = Environment.model_validate({"name": "try", "region": "eu-west-1", "domain": domain})
    made = [name for name, _, _ in steps(Preparations(environment, Account(environment.region)))]
    listed = rows(r"^\| ([\w, ]+) \| ", "| check | looks |")
    assert [name for row in listed for name in row.split(", ")] == made


@pytest.mark.parametrize("command", [deploy, smoke, cost], ids=["deploy", "smoke", "cost"])
def test_every_option_is_documented_in_the_section_of_its_command(command: Any) -> None:
    parser = command.parser()
    text = (
        (ROOT / "docs" / "commands.md").read_text("utf-8").partition(f"\n## `./{parser.prog}")[2].partition("\n## ")[0]
    )
    options = [option for action in parser._actions for option in action.option_strings if option.startswith("--")]
    assert len(options) > 1
    assert [option for option in options if f"`{option}" not in text and option != "--help"] == []
