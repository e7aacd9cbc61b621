"""Settings: typed, read once from the environment, failing with the variable's name.

Each field is one setting; its environment variable is `DOCSHELF_` + the upper-case field name. `docs/settings.md`
lists them and a test keeps the two in step.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache

from docshelf.errors import SettingsError
from docshelf.setting_values import (
    MCP_PATH,
    allowed_hosts,
    check_host_names,
    check_index,
    check_scope,
    check_url,
    values_of,
    whole_number,
)
from docshelf.web_addresses import is_origin, web_address

__all__ = ["MCP_PATH", "CloudSettings", "Limits", "SearchSettings", "limits", "request_seconds"]

OCR_OFF = "off"
_RECOGNISERS = (OCR_OFF, "textract")


def _setting(default: int, help_text: str, minimum: int = 1) -> int:
    value: int = field(default=default, metadata={"help": help_text, "minimum": minimum})
    return value


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost. Exceeding a limit puts that document in a named state, never stops the run."""

    max_bytes: int = _setting(100_000_000, "largest file that is read, in bytes")
    max_pages: int = _setting(5_000, "most pages of one document")
    max_characters: int = _setting(20_000_000, "most characters of extracted text of one document")
    max_chunks: int = _setting(20_000, "most chunks of one document, and of an archive or mail with all that it holds")
    max_members: int = _setting(1_000, "most files in one archive or mail, with those in archives within it")
    max_unpacked_bytes: int = _setting(1_000_000_000, "most bytes of these files together, unpacked")
    max_archive_depth: int = _setting(3, "how deep archives and mails within each other are unpacked")
    parse_seconds: int = _setting(60, "longest time one document may take to parse, in seconds of CPU and wall clock")
    parse_memory_mb: int = _setting(1_024, "most memory the parser's process may map beyond its own start, in MiB", 128)
    # Not in the representation, which names what other limits decided: off, recognition changes nothing.
    ocr: str = field(
        default=OCR_OFF, repr=False, metadata={"help": "who recognises the text of scans: off, or textract"}
    )
    ocr_max_pages: int = field(
        default=100, repr=False, metadata={"help": "most pages of one scan that are recognised", "minimum": 1}
    )

    @property
    def recognises(self) -> bool:
        """Whether the text of scans and pictures is recognised."""
        return self.ocr != OCR_OFF

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Limits:
        """Read each limit from `environment`, keeping the default where it is not set.

        Raises:
            SettingsError: a value is not a whole number or is below its minimum; the sentence names the variable.
        """
        ocr = environment.get("DOCSHELF_OCR", "").strip() or OCR_OFF
        if ocr not in _RECOGNISERS:
            raise SettingsError(f"DOCSHELF_OCR must be {' or '.join(_RECOGNISERS)}, not {ocr!r}.")
        values: dict[str, int] = {}
        for item in fields(cls):
            variable = f"DOCSHELF_{item.name.upper()}"
            text = environment.get(variable)
            if text is None or "minimum" not in item.metadata:
                continue
            values[item.name] = whole_number(variable, text.strip(), item.metadata["minimum"])
        return cls(**values, ocr=ocr)


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
    ocr_topic: str | None = None
    ocr_role: str | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> CloudSettings:
        """Read `DOCSHELF_BUCKET`, `DOCSHELF_INDEX` and the rest.

        Raises:
            SettingsError: a variable is missing or wrong; the sentence names it.
        """
        made = cls(**values_of(cls, environment))
        if not {":", "/"}.isdisjoint(made.bucket):
            raise SettingsError("DOCSHELF_BUCKET must be the name of a bucket, without s3:// and without a prefix.")
        check_index(made.index)
        bucket, *folders = made.index.removeprefix("s3://").split("/")
        if bucket == made.bucket and ".docshelf" not in folders:
            # Every file of the index would be a document, whose event leads to another file of the index.
            raise SettingsError("DOCSHELF_INDEX must be in another bucket than the documents, or below .docshelf/.")
        if (made.ocr_topic is None) != (made.ocr_role is None):
            raise SettingsError("DOCSHELF_OCR_TOPIC and DOCSHELF_OCR_ROLE must be set together, or neither.")
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
        made = cls(**values_of(cls, environment))
        check_index(made.index)
        request_seconds(environment)
        check_url(made.url)
        for variable, text in (("TOKEN_ISSUER", made.token_issuer), ("TOKEN_KEYS_URL", made.keys_url)):
            if web_address(text) is None:
                raise SettingsError(f"DOCSHELF_{variable} must be an address that begins with https://, not {text!r}.")
        check_scope(made.scope)
        for origin in made.browser_origins:
            if not is_origin(origin):
                raise SettingsError(f"DOCSHELF_BROWSER_ORIGINS must list origins like https://HOST, not {origin!r}.")
        check_host_names("DOCSHELF_HOSTS", made.hosts)
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
        return allowed_hosts(self.url, self.hosts)


def request_seconds(environment: Mapping[str, str]) -> int:
    """How long one request to a bucket or queue may go without an answer, in seconds.

    Raises:
        SettingsError: DOCSHELF_REQUEST_SECONDS is not a whole number of at least 1.
    """
    text = environment.get("DOCSHELF_REQUEST_SECONDS", "").strip()
    return whole_number("DOCSHELF_REQUEST_SECONDS", text or "20", 1)


@cache
def limits() -> Limits:
    """The limits of this process, read from its environment at the first call."""
    return Limits.from_environment(os.environ)
