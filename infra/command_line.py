"""What the commands of building and deploying have in common; `docshelf.commands.shared` has the rest."""

from __future__ import annotations

import sys
from collections.abc import Callable

from docshelf.commands import shared
from infra.errors import InfrastructureError

FAILED, USAGE, INTERRUPTED = shared.FAILED, shared.USAGE, shared.INTERRUPTED


def say(line: str = "") -> None:
    """Tell the person how it goes; what is asked for goes to stdout, so this does not."""
    print(line, file=sys.stderr, flush=True)


def run(command: Callable[[], int]) -> int:
    """The exit status of `command`; what goes wrong becomes a sentence on stderr."""

    def guarded() -> int:
        try:
            return command()
        except InfrastructureError as error:
            say(str(error))
            return USAGE if error.of_usage else FAILED

    return shared.run(guarded)
