"""What the commands have in common."""

from __future__ import annotations

import io
import json
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from pathlib import Path

from docshelf.errors import DocshelfError, InvalidArgumentError, SettingsError
from docshelf.index.location import is_address
from docshelf.local.places import current_root, home
from docshelf.local.report import shown_text

FAILED = 1
USAGE = 2
INTERRUPTED = 130


def run(command: Callable[[], int]) -> int:
    """Run `command`; what goes wrong becomes one sentence on stderr and an exit status other than 0."""
    _show_any_text()
    try:
        status = command()
        sys.stdout.flush()
    except (InvalidArgumentError, SettingsError) as error:
        print(shown_text(error.sentence), file=sys.stderr)
        return USAGE
    except DocshelfError as error:
        print(shown_text(error.sentence), file=sys.stderr)
        return FAILED
    except OSError as error:
        # Our output cannot be written; what is still in the buffer must not fail again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # whose reader has gone, and does not want to hear of it
            print(f"The output cannot be written: {error.strerror}.", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def print_json(value: object) -> None:
    """Print `value` as JSON."""
    print(json_text(value, indent=2))


def json_text(value: object, indent: int | None = None) -> str:
    """`value` as JSON, in ASCII where stdout cannot show every character."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return json.dumps(value, ensure_ascii=encoding != "utf8", indent=indent)


def named(given: str | None, variable: str) -> str:
    """The option as given, else what the environment's `variable` says; empty for neither."""
    return (given or os.environ.get(variable, "")).strip()


def _show_any_text() -> None:
    """Characters that a terminal or a file cannot take are shown as escapes; a stream that is closed takes anything."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115  for as long as the command runs
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115  for as long as the command runs
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def add_index_argument(parser: ArgumentParser) -> None:
    """`--index DIR|s3://…`, by default `DOCSHELF_INDEX`, else the index that `scripts/local` used last."""
    parser.add_argument(
        "--index",
        type=place,
        metavar="DIR|s3://…",
        help="the index (default: DOCSHELF_INDEX, else the one scripts/local used last)",
    )


def place(text: str) -> Path | str:
    """An argument type: an address on S3, or a directory; raises InvalidArgumentError for a misspelt address."""
    if text.lower().startswith(("s3:", "arn:", "https://")) and not is_address(text):
        raise InvalidArgumentError(f"An address of an index is like s3://BUCKET/PREFIX, not {text!r}.")
    return text if is_address(text) else Path(text)


def directory(text: str) -> Path:
    """An argument type: a directory of this machine."""
    if is_address(text):
        raise ArgumentTypeError(f"a directory of this machine, not {text}")
    return Path(text)


def chosen_index(index: Path | str | None) -> Path | str:
    """The index named on the command line, else by `DOCSHELF_INDEX`, else the one that `scripts/local` used last."""
    default = named(None, "DOCSHELF_INDEX")
    return index or (place(default) if default else current_root(home()))


def whole_number(minimum: int, maximum: int) -> Callable[[str], int]:
    """An argument type: a whole number within bounds."""

    def parse(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not minimum <= int(text) <= maximum:
            raise ArgumentTypeError(f"a whole number from {minimum} to {maximum}, not {text!r}")
        return int(text)

    return parse
