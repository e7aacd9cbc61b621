"""Prices and assumptions, as their files have them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

DIRECTORY = Path(__file__).parent


class Price(BaseModel):
    """What one unit costs. `included` units are part of the price, `free` ones are given to an account each month."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    usd: float = Field(gt=0)
    per: str
    source: str
    seen: str
    free: float = 0
    included: float = 0


class Assumption(BaseModel):
    """A number, and where it is from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float = Field(ge=0)
    basis: str


Prices = Mapping[str, Price]
Assumptions = Mapping[str, Mapping[str, Assumption]]

_PRICES: TypeAdapter[dict[str, Price]] = TypeAdapter(dict[str, Price])
_ASSUMPTIONS: TypeAdapter[dict[str, dict[str, Assumption]]] = TypeAdapter(dict[str, dict[str, Assumption]])


def read_prices(path: Path = DIRECTORY / "prices.toml") -> Prices:
    """The prices by name."""
    return _PRICES.validate_python(tomllib.loads(path.read_text("utf-8")))


def read_assumptions(path: Path = DIRECTORY / "assumptions.toml") -> Assumptions:
    """The assumptions by part and name."""
    return _ASSUMPTIONS.validate_python(tomllib.loads(path.read_text("utf-8")))
