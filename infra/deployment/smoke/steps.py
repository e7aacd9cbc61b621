"""Steps that are timed, told as they end, and kept for the report."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from docshelf.errors import DocshelfError
from infra.deployment.report import Check, Outcome
from infra.errors import InfrastructureError


class StepError(InfrastructureError):
    """A step found something that is not as it must be; the message says what, and where to look."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step and how it came out, with the seconds that it took."""

    check: Check
    seconds: float

    @property
    def line(self) -> str:
        """The line of a report."""
        said = self.check.said
        timed = said if self.check.outcome is Outcome.SKIPPED else f"{said} ({self.seconds:.1f} s)"
        return Check(self.check.name, self.check.outcome, timed).line

    def as_json(self) -> dict[str, object]:
        """The step in the report of `--json`."""
        outcome = self.check.outcome.name.lower()
        return {"name": self.check.name, "outcome": outcome, "seconds": round(self.seconds, 2), "said": self.check.said}


@dataclass(slots=True)
class Steps:
    """The steps that were made so far; `tell` is called with each."""

    tell: Callable[[Step], None]
    made: list[Step] = field(default_factory=list)

    @property
    def well(self) -> bool:
        """Whether every step so far was made and found all well."""
        return all(step.check.well for step in self.made)

    def make(self, name: str, action: Callable[[], str], *, after: str | None = None) -> bool:
        """Make a step, unless the step `after` is not well; whether it found all well.

        `action` gives what it found, or raises InfrastructureError or DocshelfError with what is wrong.
        """
        if after is not None and not self.was_well(after):
            return self._keep(Check(name, Outcome.SKIPPED, f"not tried: {after} comes first"), 0.0)
        begun = time.monotonic()
        try:
            check = Check(name, Outcome.OK, action())
        except (InfrastructureError, DocshelfError) as error:
            check = Check(name, Outcome.FAILED, str(error))
        except KeyboardInterrupt:
            self._keep(Check(name, Outcome.FAILED, "interrupted"), time.monotonic() - begun)
            raise
        return self._keep(check, time.monotonic() - begun)

    def was_well(self, name: str) -> bool:
        """Whether the step of that name was made and found all well."""
        return any(step.check.name == name and step.check.well for step in self.made)

    def _keep(self, check: Check, seconds: float) -> bool:
        step = Step(check, seconds)
        self.made.append(step)
        self.tell(step)
        return check.well
