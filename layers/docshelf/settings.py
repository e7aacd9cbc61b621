"""Settings: typed, read once from the environment, failing with the variable's name.

Each field is one setting; its environment variable is `DOCSHELF_` + the upper-case field name. `docs/settings.md`
lists them and a test keeps the two in step.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from docshelf.errors import SettingsError
from docshelf.web_addresses import host_name, is_origin, web_address

MCP_PATH = "/mcp"
"""The path of the endpoint, wherever it is served."""

BUCKET_ADDRESS = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/(.*))?", re.DOTALL)
"""A bucket and, where there is one, a prefix within it."""

_MOST_DIGITS = 18
_SCOPE = re.compile(r"[!#-\[\]-~]+")


def _setting(default: int, help_text: str, minimum: int = 1) -> int:
    value: int = field(default=default, metadata={"help": help_text, "minimum": minimum})
    return value


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost. Exceeding a limit puts that document in a named state, never stops the run."""

    max_bytes: int = _setting(100_000_000, "largest file that is read, in bytes")
    max_pages: int = _setting(5_000, "most pages of one document")
    max_characters: int = _setting(20_000_000, "most characters of extracted text of one document")
    max_chunks: int = _setting(20_000, "most chunks of one document")
    parse_seconds: int = _setting(60, "longest time one document may take to parse, in seconds of CPU and wall clock")
    parse_memory_mb: int = _setting(1_024, "most memory the parser's process may map beyond its own start, in MiB", 128)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Limits:
        """Read each limit from `environment`, keeping the default where it is not set.

        Raises:
            SettingsError: a value is not a whole number or is below its minimum; the sentence names the variable.
        """
        values: dict[str, int] = {}
        for item in fields(cls):
            variable = f"DOCSHELF_{item.name.upper()}"
            text = environment.get(variable)
            if text is None:
                continue
            values[item.name] = _whole_number(variable, text.strip(), item.metadata["minimum"])
        return cls(**values)


@dataclass(frozen=True, slots=True)
class CloudSettings:
    """Where a deployed environment keeps things, and how its writing functions behave. Times are in seconds."""

    bucket: str
    index: str
    ingest_queue_url: str
    commit_queue_url: str
    dead_letter_queue_url: str | None = None
    model: str = "auto"
    max_receives: int = 5
    keep_versions_seconds: int = 600
    keep_prepared_days: int = 15
    reserve_seconds: int = 20

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> CloudSettings:
        """Read `DOCSHELF_BUCKET`, `DOCSHELF_INDEX` and the rest.

        Raises:
            SettingsError: a variable is missing or wrong; the sentence names it.
        """
        made = cls(**_read(cls, environment))
        if not {":", "/"}.isdisjoint(made.bucket):
            raise SettingsError("DOCSHELF_BUCKET must be the name of a bucket, without s3:// and without a prefix.")
        _check_index(made.index)
        bucket, *folders = made.index.removeprefix("s3://").split("/")
        if bucket == made.bucket and ".docshelf" not in folders:
            # Every file of the index would be a document, whose event leads to another file of the index.
            raise SettingsError("DOCSHELF_INDEX must be in another bucket than the documents, or below .docshelf/.")
        return made


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """What the search function serves, under which address, to whom. `answer_seconds` bounds one answer."""

    index: str
    url: str
    token_issuer: str
    token_keys_url: str | None = None
    client_ids: tuple[str, ...] = ()
    scope: str = "docs:read"
    access: str | None = None
    browser_origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    blurb: str | None = None
    model: str = "auto"
    answer_seconds: int = 25

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> SearchSettings:
        """Read `DOCSHELF_INDEX`, `DOCSHELF_URL` and the rest; `access` stays text, which its own parser reads.

        Raises:
            SettingsError: a variable is missing or wrong; the sentence names it.
        """
        made = cls(**_read(cls, environment))
        _check_index(made.index)
        request_seconds(environment)
        address = web_address(made.url)
        if address is None or address.path != MCP_PATH:
            raise SettingsError(f"DOCSHELF_URL must be an address like https://HOST{MCP_PATH}, not {made.url!r}.")
        for variable, text in (("TOKEN_ISSUER", made.token_issuer), ("TOKEN_KEYS_URL", made.keys_url)):
            if web_address(text) is None:
                raise SettingsError(f"DOCSHELF_{variable} must be an address that begins with https://, not {text!r}.")
        if not _SCOPE.fullmatch(made.scope):
            raise SettingsError(f"DOCSHELF_SCOPE must be the name of one scope, like docs:read, not {made.scope!r}.")
        for origin in made.browser_origins:
            if not is_origin(origin):
                raise SettingsError(f"DOCSHELF_BROWSER_ORIGINS must list origins like https://HOST, not {origin!r}.")
        for host in made.hosts:
            if host_name(host) is None:
                raise SettingsError(f"DOCSHELF_HOSTS must list names of hosts, like docs.example.com, not {host!r}.")
        return made

    @property
    def keys_url(self) -> str:
        """Where the keys are that tokens are checked with."""
        return self.token_keys_url or f"{self.token_issuer.rstrip('/')}/.well-known/jwks.json"

    @property
    def resource_metadata(self) -> str:
        """The address of the document that tells clients where to sign in."""
        return f"{self.url.removesuffix(MCP_PATH)}/.well-known/oauth-protected-resource{MCP_PATH}"

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """The Host names that requests may come with, as `host_name` writes them."""
        names = (host_name(urlsplit(self.url).netloc), *map(host_name, self.hosts))
        return frozenset(filter(None, names))


def _read(cls: type[CloudSettings | SearchSettings], environment: Mapping[str, str]) -> dict[str, Any]:
    """Each field's value that the environment sets, of the type of its default; a tuple is a list with commas."""
    values: dict[str, Any] = {}
    for item in fields(cls):
        variable = f"DOCSHELF_{item.name.upper()}"
        text = environment.get(variable, "").strip()
        if not text:
            if item.default is MISSING:
                raise SettingsError(f"{variable} must be set.")
        elif isinstance(item.default, int):
            values[item.name] = _whole_number(variable, text, 1)
        elif isinstance(item.default, tuple):
            values[item.name] = tuple(part.strip() for part in text.split(",") if part.strip())
        else:
            values[item.name] = text
    return values


def _check_index(address: str) -> None:
    if not BUCKET_ADDRESS.fullmatch(address):
        raise SettingsError("DOCSHELF_INDEX must be an address like s3://BUCKET/PREFIX.")


def request_seconds(environment: Mapping[str, str]) -> int:
    """How long one request to a bucket or queue may go without an answer, in seconds.

    Raises:
        SettingsError: DOCSHELF_REQUEST_SECONDS is not a whole number of at least 1.
    """
    text = environment.get("DOCSHELF_REQUEST_SECONDS", "").strip()
    return _whole_number("DOCSHELF_REQUEST_SECONDS", text or "20", 1)


def _whole_number(variable: str, text: str, minimum: int) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > _MOST_DIGITS or int(text) < minimum:
        raise SettingsError(f"{variable} must be a whole number of at least {minimum}, not {text!r}.")
    return int(text)


@cache
def limits() -> Limits:
    """The limits of this process, read from its environment at the first call."""
    return Limits.from_environment(os.environ)
