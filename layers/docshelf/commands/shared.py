"""What the commands have in common."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from docshelf.errors import DocshelfError, InvalidArgumentError, SettingsError
from docshelf.local.places import current_root, home

FAILED = 1
USAGE = 2
INTERRUPTED = 130


def run(command: Callable[[], int]) -> int:
    """Run `command`; what goes wrong becomes one sentence on stderr and an exit status other than 0."""
    try:
        return command()
    except (InvalidArgumentError, SettingsError) as error:
        print(error.sentence, file=sys.stderr)
        return USAGE
    except DocshelfError as error:
        print(error.sentence, file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone: nothing is left to say, and nobody to say it to
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def add_index_argument(parser: ArgumentParser) -> None:
    """`--index DIR`, by default the index that `scripts/local` used last."""
    parser.add_argument(
        "--index", type=Path, metavar="DIR", help="the index (default: the one scripts/local used last)"
    )


def chosen_index(index: Path | None) -> Path:
    """The index named on the command line, else the current one."""
    return index or current_root(home())


def whole_number(minimum: int, maximum: int) -> Callable[[str], int]:
    """An argument type: a whole number within bounds."""

    def parse(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not minimum <= int(text) <= maximum:
            raise ArgumentTypeError(f"a whole number from {minimum} to {maximum}, not {text!r}")
        return int(text)

    return parse


def iso(moment: datetime | None) -> str | None:
    """A moment in UTC as ISO 8601 to the second, None for None."""
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="seconds")
