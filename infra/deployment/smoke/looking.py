"""Waiting until a marker can be found, or cannot any more."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from docshelf.errors import DocshelfError, IndexMissingError
from docshelf.index.live import LiveIndex
from docshelf.states import State
from infra.deployment.smoke.marker import Marker
from infra.deployment.smoke.searching import Searching, citation_of
from infra.deployment.smoke.steps import StepError
from infra.errors import InfrastructureError

_WHERE = "scripts/status, the alarms and the logs of the functions ingest and commit say more"


class WrongError(StepError):
    """What was found is wrong, and waiting does not make it right."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long something is waited for, and how long between two looks, in seconds."""

    seconds: float = 300.0
    pause_seconds: float = 3.0


class Look(Protocol):
    """A way to see what became of the marker."""

    def found(self) -> str | None:
        """What was found of it; None for nothing. Raises WrongError where that is not right."""

    def instead(self) -> str:
        """What else can be said about a marker that is not found."""


@dataclass(frozen=True, slots=True)
class LookBySearch:
    """By a search for its word over MCP."""

    marker: Marker
    searching: Searching

    def found(self) -> str | None:
        """Its citation, which must be right."""
        answer = self.searching.call("search_documents", query=self.marker.word)
        citation = citation_of(answer, self.marker.key)
        if citation is None:
            return None
        for part in (f'"{self.marker.title}"', "lines 1-3"):
            if part not in citation:
                raise WrongError(f"The marker is found, and its citation is not right, without {part}: {citation}")
        return citation.partition(" ")[2]

    def instead(self) -> str:
        """What the list of documents says of it."""
        listed = self.searching.call("list_documents", path_prefix=self.marker.key)
        return f"list_documents says: {' '.join(listed.split())}"


@dataclass(frozen=True, slots=True)
class LookIntoIndex:
    """By its state in the index, for an environment whose `access` opens the markers' collection to no machine."""

    marker: Marker
    searching: Searching
    index: LiveIndex

    def found(self) -> str | None:
        """That it is indexed, and that no search shows it."""
        try:
            document = self.index.current().document(self.marker.key)
        except IndexMissingError:
            return None
        if document is None or document.state is State.QUEUED:
            return None
        if document.state is not State.INDEXED:
            raise WrongError(f"The marker ended in the state {document.state}: {document.reason}")
        # Not before: a search that was asked earlier could have missed it.
        if self.marker.key in self.searching.call("search_documents", query=self.marker.word):
            raise WrongError("A search shows the marker to a machine, for which access does not open its collection.")
        return "indexed; access opens its collection to no machine, so the index was asked, and search rightly hides it"

    def instead(self) -> str:
        """Nothing: the index was looked into already."""
        return "the index holds nothing of it"


def wait_until_found(look: Look, patience: Patience) -> str:
    """What was found, as soon as it is.

    Raises:
        StepError: it is not there in time, or is not right; the sentence has what else is known.
    """
    found, reason = _wait(look, patience, lambda found: found is not None)
    if found is None:
        detail = reason or look.instead()
        raise StepError(f"The marker cannot be found after {patience.seconds:.0f} s; {detail}. {_WHERE}.")
    return found


def wait_until_gone(look: Look, patience: Patience) -> str:
    """That nothing of it is found any more.

    Raises:
        StepError: it can be found to the end of the time.
    """
    found, reason = _wait(look, patience, lambda found: found is None)
    if found is not None or reason:
        what = f"there is no answer ({reason})" if reason else "search still has it"
        raise StepError(f"The marker was deleted {patience.seconds:.0f} s ago, and {what}. {_WHERE}.")
    return "nothing of it is found any more"


def _wait(look: Look, patience: Patience, ended: Callable[[str | None], bool]) -> tuple[str | None, str]:
    """The last look, and why the last one failed if it did; a look may fail for a passing reason."""
    until = time.monotonic() + patience.seconds
    while True:
        found, reason = None, ""
        try:
            found = look.found()
            if ended(found):
                return found, ""
        except WrongError:
            raise
        except (InfrastructureError, DocshelfError) as error:
            reason = str(error)
        if time.monotonic() >= until:
            return found, reason
        time.sleep(patience.pause_seconds)
