"""Settings: typed, read once from the environment, failing with the variable's name.

Each field is one setting; its environment variable is `DOCSHELF_` + the upper-case field name. `docs/settings.md`
lists them and a test keeps the two in step.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache

from docshelf.errors import SettingsError

_MOST_DIGITS = 18


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
    """Where a deployed environment keeps things, and how its functions behave. Times are in seconds."""

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
        values: dict[str, str | int] = {}
        for item in fields(cls):
            variable = f"DOCSHELF_{item.name.upper()}"
            text = environment.get(variable, "").strip()
            if text:
                values[item.name] = _whole_number(variable, text, 1) if isinstance(item.default, int) else text
            elif item.default is MISSING:
                raise SettingsError(f"{variable} must be set.")
        if not {":", "/"}.isdisjoint(str(values["bucket"])):
            raise SettingsError("DOCSHELF_BUCKET must be the name of a bucket, without s3:// and without a prefix.")
        if not str(values["index"]).startswith("s3://"):
            raise SettingsError("DOCSHELF_INDEX must be an address like s3://BUCKET/PREFIX.")
        bucket, *folders = str(values["index"]).removeprefix("s3://").split("/")
        if bucket == values["bucket"] and ".docshelf" not in folders:
            # Every file of the index would be a document, whose event leads to another file of the index.
            raise SettingsError("DOCSHELF_INDEX must be in another bucket than the documents, or below .docshelf/.")
        return cls(**values)  # type: ignore[arg-type]  # each was read according to its field


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
