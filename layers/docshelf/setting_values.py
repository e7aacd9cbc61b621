"""What settings of several functions have in common: reading values from the environment, and checks of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields
from typing import Any
from urllib.parse import urlsplit

from docshelf.errors import SettingsError
from docshelf.switches import switched_on
from docshelf.web_addresses import host_name, web_address

MCP_PATH = "/mcp"
"""The path of the endpoint, wherever it is served."""

BUCKET_ADDRESS = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/(.*))?", re.DOTALL)
"""A bucket and, where there is one, a prefix within it."""

_MOST_DIGITS = 18
_SCOPE = re.compile(r"[!#-\[\]-~]+")


def values_of(cls: type[Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """Each field's value that the environment sets, of the type of its default; a tuple is a list with commas.

    The variable of a field of the dataclass `cls` is `DOCSHELF_` + its name in upper case.

    Raises:
        SettingsError: a variable is missing or wrong; the sentence names it.
    """
    values: dict[str, Any] = {}
    for item in fields(cls):
        variable = f"DOCSHELF_{item.name.upper()}"
        text = environment.get(variable, "").strip()
        if not text:
            if item.default is MISSING:
                raise SettingsError(f"{variable} must be set.")
        elif isinstance(item.default, bool):
            values[item.name] = switched_on(environment, variable, default=item.default)
        elif isinstance(item.default, int):
            values[item.name] = whole_number(variable, text, 1)
        elif isinstance(item.default, tuple):
            values[item.name] = tuple(part.strip() for part in text.split(",") if part.strip())
        else:
            values[item.name] = text
    return values


def whole_number(variable: str, text: str, minimum: int) -> int:
    """The number that `text` writes, for the setting `variable`.

    Raises:
        SettingsError: it is no whole number, or below `minimum`.
    """
    if not text.isascii() or not text.isdigit() or len(text) > _MOST_DIGITS or int(text) < minimum:
        raise SettingsError(f"{variable} must be a whole number of at least {minimum}, not {text!r}.")
    return int(text)


def check_url(text: str) -> None:
    """Let the value of DOCSHELF_URL pass; raises SettingsError if it is none, as the functions below for theirs."""
    address = web_address(text)
    if address is None or address.path != MCP_PATH:
        raise SettingsError(f"DOCSHELF_URL must be an address like https://HOST{MCP_PATH}, not {text!r}.")


def check_index(address: str) -> None:
    """Let the value of DOCSHELF_INDEX pass."""
    if not BUCKET_ADDRESS.fullmatch(address):
        raise SettingsError("DOCSHELF_INDEX must be an address like s3://BUCKET/PREFIX.")


def check_scope(text: str) -> None:
    """Let the value of DOCSHELF_SCOPE pass."""
    if not _SCOPE.fullmatch(text):
        raise SettingsError(f"DOCSHELF_SCOPE must be the name of one scope, like docs:read, not {text!r}.")


def check_host_names(variable: str, names: Collection[str]) -> None:
    """Let a list of host names pass, which is the value of `variable`."""
    for name in names:
        if host_name(name) is None:
            raise SettingsError(f"{variable} must list names of hosts, like docs.example.com, not {name!r}.")


def allowed_hosts(url: str, further: Collection[str]) -> frozenset[str]:
    """The Host names that requests to the server at `url` may come with, as `host_name` writes them."""
    names = (host_name(urlsplit(url).netloc), *map(host_name, further))
    return frozenset(filter(None, names))
