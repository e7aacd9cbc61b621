"""Reading a tool's arguments: leniently where the meaning is plain, else one sentence with what is accepted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from docshelf.errors import InvalidArgumentError
from docshelf.mcp_server.display import encodable, quoted

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,12}(\.0{1,6})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Text:
    """A text argument; `choices`, where given, are the only values."""

    name: str
    description: str
    required: bool = False
    choices: tuple[str, ...] = ()

    def schema(self) -> dict[str, object]:
        """The JSON schema of this argument."""
        choices: dict[str, object] = {"enum": list(self.choices)} if self.choices else {}
        return {"type": "string", "description": self.description} | choices


@dataclass(frozen=True, slots=True)
class Number:
    """A whole-number argument from `minimum` to `maximum`; absent, it is `default`."""

    name: str
    description: str
    minimum: int = 1
    maximum: int | None = None
    default: int | None = None

    def schema(self) -> dict[str, object]:
        """The JSON schema of this argument."""
        schema: dict[str, object] = {
            "type": "integer",
            "description": self.description,
            "minimum": self.minimum,
        }
        if self.maximum is not None:
            schema["maximum"] = self.maximum
        if self.default is not None:
            schema["default"] = self.default
        return schema


Parameter = Text | Number


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one call, each of the type that its parameter declares."""

    texts: Mapping[str, str]
    numbers: Mapping[str, int]

    def text(self, name: str) -> str | None:
        """The text argument `name`, None when absent."""
        return self.texts.get(name)

    def number(self, name: str) -> int | None:
        """The number argument `name`, None when absent and without a default."""
        return self.numbers.get(name)


def schema(parameters: tuple[Parameter, ...]) -> dict[str, object]:
    """The JSON schema of a tool's arguments."""
    required = [item.name for item in parameters if isinstance(item, Text) and item.required]
    properties = {item.name: item.schema() for item in parameters}
    whole: dict[str, object] = {"type": "object", "properties": properties, "additionalProperties": False}
    return whole | ({"required": required} if required else {})


def parse(tool: str, parameters: tuple[Parameter, ...], given: Mapping[str, object]) -> Arguments:
    """Read `given`; null and, where optional, an empty text count as absent.

    Raises:
        InvalidArgumentError: an argument is unknown, missing, of the wrong type or out of range.
    """
    names = [item.name for item in parameters]
    for name in given:
        if name not in names:
            accepted = f"it takes {_listed(names)}" if names else "it takes no parameters"
            raise InvalidArgumentError(f"{tool} has no parameter {quoted(name, 40)}; {accepted}.")
    texts: dict[str, str] = {}
    numbers: dict[str, int] = {}
    for item in parameters:
        value = given.get(item.name)
        if isinstance(item, Text):
            text = _text(tool, item, value)
            if text is not None:
                texts[item.name] = text
        elif isinstance(item, Number):
            number = _number(item, value)
            if number is not None:
                numbers[item.name] = number
        else:  # pragma: no cover - the type checker proves that this is not reached
            assert_never(item)
    return Arguments(texts, numbers)


def _text(tool: str, parameter: Text, value: object) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str | None):
        raise InvalidArgumentError(f"{parameter.name} must be a text, not {_shown(value)}.")
    text = encodable(value or "")
    if not text.strip():
        if parameter.required:
            raise InvalidArgumentError(f"{parameter.name} is missing: {tool} needs {parameter.description}")
        return None
    if parameter.choices:
        folded = text.strip().casefold().replace("_", " ")
        if folded not in parameter.choices:
            raise InvalidArgumentError(
                f"{parameter.name} must be one of {_listed(parameter.choices, 'or')}, not {_shown(value)}."
            )
        return folded
    return text


def _number(parameter: Number, value: object) -> int | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return parameter.default
    number: int | None = None
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    elif isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value.strip()):
        number = int(value.strip().split(".")[0])
    above = number is not None and parameter.maximum is not None and number > parameter.maximum
    if number is None or number < parameter.minimum or above:
        accepted = (
            f"of at least {parameter.minimum}"
            if parameter.maximum is None
            else f"from {parameter.minimum} to {parameter.maximum}"
        )
        raise InvalidArgumentError(f"{parameter.name} must be a whole number {accepted}, not {_shown(value)}.")
    return number


def _shown(value: object) -> str:
    """The rejected value as the caller will recognise it, bounded; containers by their kind."""
    match value:
        case str():
            return quoted(value, 40)
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:.6g}"
        case int():
            # A number can have thousands of digits, which Python refuses to print.
            return str(value) if abs(value) < 10**18 else "a number that large"
        case list():
            return "a list"
        case _:
            return "an object"


def _listed(names: tuple[str, ...] | list[str], conjunction: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {conjunction} {names[-1]}"
