"""Reading `environments/NAME.toml`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from infra.errors import EnvironmentFileError
from infra.settings.environment import Environment
from infra.settings.values import EXAMPLES

DIRECTORY = Path(__file__).resolve().parents[1] / "environments"

_MOST_SHOWN = 80


def environment_names(directory: Path = DIRECTORY) -> list[str]:
    """The names of the environments that have a file, in order."""
    return sorted(path.stem for path in directory.glob("[!.]*.toml"))


def read_environment(name: str, directory: Path = DIRECTORY) -> Environment:
    """The environment of `NAME.toml` in `directory`.

    Raises:
        EnvironmentFileError: `name` cannot be one, there is no such file, it is no TOML, or a setting is wrong; the
            message has one sentence for each.
    """
    path = directory / f"{name}.toml"
    if Path(name).name != name:
        raise EnvironmentFileError(
            f"{name!r} is no environment: give the name of a file in {directory}, without .toml. {_those_of(directory)}"
        )
    try:
        document = tomllib.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError:
        raise EnvironmentFileError(f"There is no environment {name!r}: write {path}. {_those_of(directory)}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise EnvironmentFileError(f"{path} cannot be read: {error}.") from error
    if "name" in document:
        raise EnvironmentFileError(f"{path.name}: name is not a setting; an environment has the name of its file.")
    try:
        return Environment.model_validate({"name": name, **_with_tuples(document)})
    except ValidationError as error:
        raise EnvironmentFileError("\n".join(_sentence(path.name, each) for each in error.errors())) from None


def _those_of(directory: Path) -> str:
    return f"There are: {', '.join(environment_names(directory)) or 'none'}."


def _with_tuples(value: Any) -> Any:
    """TOML's arrays as the settings have them: nothing changes later."""
    if isinstance(value, dict):
        return {key: _with_tuples(each) for key, each in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


def _sentence(file: str, error: ErrorDetails) -> str:
    setting = ".".join(str(part) for part in error["loc"] if part != "[key]")
    match error["type"]:
        case "missing":
            return f"{file}: {setting} must be set."
        case "extra_forbidden":
            return f"{file}: there is no setting {setting}."
        case "value_error":
            what = str(error["ctx"]["error"])
            return f"{file}: {setting} {what}." if setting else f"{file}: {what.removesuffix('.')}."
        case "string_pattern_mismatch":
            return (
                f"{file}: {setting} must be like {EXAMPLES[error['ctx']['pattern']]}; it is {_shown(error['input'])}."
            )
        case "tuple_type":
            return f"{file}: {setting} must be a list, like [ … ]; it is {_shown(error['input'])}."
        case "model_type" | "mapping_type":
            what = f"must be a table, like [{setting}] on a line of its own"
            return f"{file}: {setting} {what}; it is {_shown(error['input'])}."
        case _:
            what = re.sub(r"^(Input|String|Tuple) ", "", error["msg"]).replace("should ", "must ")
            return f"{file}: {setting} {what}; it is {_shown(error['input'])}."


def _shown(found: object) -> str:
    text = repr(found)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
