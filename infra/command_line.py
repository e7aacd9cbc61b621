"""What the commands of building and deploying have in common; `docshelf.commands.shared` has the rest."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType

from docshelf.commands import shared
from infra.child_process import TerminatedError
from infra.errors import InfrastructureError

FAILED, USAGE, INTERRUPTED = shared.FAILED, shared.USAGE, shared.INTERRUPTED
TERMINATED = 128 + signal.SIGTERM


def say(line: str = "") -> None:
    """Tell the person how it goes; what is asked for goes to stdout, so this does not."""
    print(line, file=sys.stderr, flush=True)


def run(command: Callable[[], int]) -> int:
    """The exit status of `command`; what goes wrong becomes a sentence on stderr. SIGTERM ends it as Ctrl-C does."""

    def guarded() -> int:
        before = signal.signal(signal.SIGTERM, _terminated)
        try:
            return command()
        except TerminatedError:
            return TERMINATED
        except InfrastructureError as error:
            say(str(error))
            return USAGE if error.of_usage else FAILED
        finally:
            signal.signal(signal.SIGTERM, before)

    return shared.run(guarded)


def _terminated(number: int, frame: FrameType | None) -> None:
    raise TerminatedError
