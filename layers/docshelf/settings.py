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


def _setting(default: int, help_text: str, minimum: int = 1) -> int:
    value: int = field(default=default, metadata={"help": help_text, "minimum": minimum})
    return value


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost. Exceeding a limit puts that document in a named state, never stops the run."""

    max_bytes: int = _setting(100_000_000, "largest file that is read, in bytes")
    max_pages: int = _setting(5_000, "most pages of one document")
    max_characters: int = _setting(20_000_000, "most characters of extracted text of one document")
    max_chunks: int = _setting(50_000, "most chunks of one document")
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
            minimum: int = item.metadata["minimum"]
            if not text.strip().isascii() or not text.strip().isdigit() or int(text) < minimum:
                raise SettingsError(f"{variable} must be a whole number of at least {minimum}, not {text!r}.")
            values[item.name] = int(text)
        return cls(**values)


@cache
def limits() -> Limits:
    """The limits of this process, read from its environment at the first call."""
    return Limits.from_environment(os.environ)
