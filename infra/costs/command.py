"""`scripts/cost`: what an environment costs a month."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from infra.command_line import run
from infra.costs.report import assumption_table, changes, comparison, detail, price_table
from infra.costs.tables import read_assumptions, read_prices
from infra.costs.usage import Scenario
from infra.settings import Environment, read_environment

DEFAULTS = Environment(name="defaults", region="us-east-1")
"""What costs are shown for where no environment is named: every setting as it is by default."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="scripts/cost",
        description="Estimate what an environment costs a month, at public list prices of us-east-1.",
    )
    made.add_argument("environment", metavar="ENV", nargs="?", help="a file of infra/environments, without .toml")
    made.add_argument("--developers", type=_count, metavar="N", help="people who ask; with --documents, item by item")
    made.add_argument("--documents", type=_count, metavar="N", help="documents in the bucket")
    made.add_argument("--inputs", action="store_true", help="print the prices and assumptions")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    made = parser()
    given = made.parse_args(arguments)
    if (given.developers is None) != (given.documents is None):
        made.error("--developers and --documents are given together")
    return run(lambda: _print(given))


def _print(given: argparse.Namespace) -> int:
    environment = read_environment(given.environment) if given.environment else DEFAULTS
    prices, assumptions = read_prices(), read_assumptions()
    if given.inputs:
        print(f"{price_table(prices)}\n\n{assumption_table(assumptions)}")
    elif given.developers is None:
        print(f"{comparison(environment, prices, assumptions)}\n\n{changes(environment, prices, assumptions)}")
    else:
        print(detail(environment, Scenario(given.developers, given.documents), prices, assumptions))
    return 0


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"a whole number, not {text!r}")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
