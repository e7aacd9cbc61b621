"""`scripts/local`: index a folder and serve it over MCP."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from docshelf.commands.shared import directory, run, whole_number

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="scripts/local",
        description="Index a folder of documents and serve it to coding clients over MCP on this machine.",
    )
    made.add_argument("folder", nargs="?", type=Path, default=EXAMPLES, metavar="FOLDER", help="default: examples/")
    made.add_argument("--port", type=whole_number(0, 65_535), default=8080, help="default: 8080; 0 takes a free one")
    made.add_argument(
        "--index", type=directory, metavar="DIR", help="where the index is kept (default: .docshelf/indexes/…)"
    )
    made.add_argument(
        "--model",
        default="auto",
        metavar="auto|NAME|PATH",
        help="the embedding model: a profile's name or a directory (default: the index's own, else the best at hand)",
    )
    made.add_argument("--once", action="store_true", help="index, print the summary and end")
    made.add_argument(
        "--watch",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="follow changes of the folder while serving (default: yes)",
    )
    made.add_argument(
        "--rebuild",
        action="store_true",
        help="make the index anew, beside the old one, and switch when it is complete",
    )
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    given = parser().parse_args(arguments)
    return run(lambda: _local(given))


def _local(given: argparse.Namespace) -> int:
    # A second of import that --help need not wait for.
    from rich.console import Console

    from docshelf.local.runner import LocalOptions, LocalRun

    options = LocalOptions(given.folder, given.port, given.index, given.model, given.once, given.watch, given.rebuild)
    local = LocalRun(options, Console(soft_wrap=True), Console(stderr=True, soft_wrap=True))
    return local.once() if options.once else local.serve()


if __name__ == "__main__":
    sys.exit(main())
