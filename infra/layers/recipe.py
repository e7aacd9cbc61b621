"""The recipe of the dependencies: what is left out of the wheels, which libraries are packed, what a function imports.

`layers/dependencies/recipe.toml` says it, with a reason for each rule.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from infra.layers.errors import LayerError

Text = Annotated[str, Field(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Removal(_Part):
    """A rule of what is left out: whole distributions, or what patterns match but not what `keep` matches."""

    name: Text
    reason: Text
    distributions: tuple[Text, ...] = ()
    paths: tuple[Text, ...] = ()
    keep: tuple[Text, ...] = ()


class Beside(_Part):
    """A file that a library wants in its own directory, without being linked to it."""

    library: Text
    file: Text
    reason: Text


class InPlace(_Part):
    """A library that is not packed although it is large."""

    library: Text
    reason: Text


class Pack(_Part):
    """Which libraries are packed."""

    at_least_bytes: Annotated[int, Field(gt=0)]
    in_place: tuple[InPlace, ...] = ()
    beside: tuple[Beside, ...] = ()


class Function(_Part):
    """What a function gets and what it imports."""

    model: bool
    packed_modules: tuple[Text, ...]
    """The packed modules that it imports, its child processes too."""


class Recipe(_Part):
    """Everything in the file."""

    remove: tuple[Removal, ...]
    pack: Pack
    functions: Mapping[str, Function]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Raises LayerError where the file cannot be used; the sentence names what is wrong."""
        try:
            return cls.model_validate(tomllib.loads(path.read_text("utf-8")))
        except OSError as error:
            raise LayerError(f"{path} cannot be read ({error.strerror}): get the repository again.") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise LayerError(f"{path} is not TOML: {error}.") from error
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise LayerError(f"{path}: {place}: {first['msg']}.") from error
