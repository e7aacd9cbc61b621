"""What was looked at and how it came out, line by line."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from infra.errors import InfrastructureError

_WIDTH = 120
_INDENT = " " * 26


class Outcome(StrEnum):
    """How one thing came out; `skipped` was not looked at, because of another."""

    OK = "ok"
    FAILED = "FAILED"
    SKIPPED = "-"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `said` is what was found, or what is wrong and what to do."""

    name: str
    outcome: Outcome
    said: str

    @property
    def well(self) -> bool:
        """Whether it was looked at and found good."""
        return self.outcome is Outcome.OK

    @property
    def line(self) -> str:
        """The line of a report, broken where it is long."""
        start = f"  {self.outcome:<8}{self.name:<16}"
        paragraphs = [
            textwrap.fill(part, _WIDTH, initial_indent=start if not place else _INDENT, subsequent_indent=_INDENT)
            for place, part in enumerate(self.said.splitlines() or [""])
        ]
        return "\n".join(paragraphs)


def looked_at(name: str, look: Callable[[], str]) -> Check:
    """`look` gives what was found, or raises InfrastructureError with what is wrong."""
    try:
        return Check(name, Outcome.OK, look())
    except InfrastructureError as error:
        return Check(name, Outcome.FAILED, str(error))
