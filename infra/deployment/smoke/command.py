"""`scripts/smoke`: its options and its reports."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from infra.command_line import FAILED, INTERRUPTED, run
from infra.deployment.aws import Account, lead_to_region
from infra.deployment.smoke.looking import Patience
from infra.deployment.smoke.running import smoke
from infra.deployment.smoke.steps import Step, StepError, Steps
from infra.deployment.smoke.target import Target, deployed_target, machines_see_marker
from infra.settings import DIRECTORY, Environment, read_environment

SECRET_VARIABLE = "DOCSHELF_SMOKE_CLIENT_SECRET"  # noqa: S105  the name of a variable
_NAMED = ("url", "bucket", "pool_url", "client_id")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="scripts/smoke",
        description="Upload a document to an environment, find it over MCP, delete it, and report each step.",
    )
    made.add_argument("environment", metavar="ENV", help="a file of infra/environments, without .toml")
    made.add_argument("--json", action="store_true", help="print the report as JSON")
    made.add_argument(
        "--wait", type=_seconds, default=300.0, metavar="SECONDS", help="until it is found, or gone (300)"
    )
    made.add_argument("--pause", type=_seconds, default=3.0, metavar="SECONDS", help="between two looks (3)")
    made.add_argument("--environments", type=Path, default=DIRECTORY, metavar="DIR", help="where ENV.toml is")
    named = made.add_argument_group("instead of the outputs of the environment's stack")
    named.add_argument("--url", metavar="URL", help="the address of the MCP endpoint")
    named.add_argument("--bucket", metavar="BUCKET", help="the documents bucket")
    named.add_argument("--pool-url", metavar="URL", help="the domain of the user pool")
    named.add_argument("--client-id", metavar="ID", help=f"a machine client, whose secret is in {SECRET_VARIABLE}")
    named.add_argument("--index", metavar="s3://…", help="the index, where access hides the marker from machines")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    made = parser()
    given = made.parse_args(arguments)
    missing = [name for name in _NAMED if getattr(given, name) is None]
    if missing and len(missing) < len(_NAMED):
        made.error(f"{', '.join('--' + name.replace('_', '-') for name in _NAMED)} are given together")
    return run(lambda: _smoke(given, named=not missing))


def _smoke(given: argparse.Namespace, *, named: bool) -> int:
    environment = read_environment(given.environment, given.environments)
    lead_to_region(environment.region)
    report = sys.stderr if given.json else sys.stdout

    def tell(step: Step) -> None:
        print(step.line, file=report, flush=True)

    steps, targets = Steps(tell), list[Target]()
    interrupted = False
    try:
        steps.make("environment", lambda: _found(environment, given, targets, named=named))
        for target in targets:
            smoke(target, steps, Patience(given.wait, given.pause))
    except KeyboardInterrupt:
        interrupted = True
    well = steps.well and not interrupted
    if given.json:
        print(json.dumps(_as_json(environment, targets, steps, well=well), indent=2))
    else:
        print(f"\n{environment.stack_name} {_verdict(targets, well=well)}.")
    return INTERRUPTED if interrupted else 0 if well else FAILED


def _verdict(targets: Sequence[Target], *, well: bool) -> str:
    if not targets:
        return "could not be asked"
    return "works" if well else "does not do all that it should, or was not asked to the end"


def _found(environment: Environment, given: argparse.Namespace, targets: list[Target], *, named: bool) -> str:
    target = _given_target(environment, given) if named else deployed_target(environment, Account(environment.region))
    targets.append(target)
    return f"{target.url}, s3://{target.bucket}"


def _given_target(environment: Environment, given: argparse.Namespace) -> Target:
    secret = os.environ.get(SECRET_VARIABLE, "")
    if not secret:
        raise StepError(f"Put the secret of the machine client {given.client_id} into the variable {SECRET_VARIABLE}.")
    return Target(
        url=given.url,
        bucket=given.bucket,
        index=given.index,
        pool_url=given.pool_url.rstrip("/"),
        client_id=given.client_id,
        secret=lambda: secret,
        sees_marker=machines_see_marker(environment),
    )


def _as_json(environment: Environment, targets: Sequence[Target], steps: Steps, *, well: bool) -> dict[str, object]:
    return {
        "environment": environment.name,
        "url": targets[0].url if targets else None,
        "well": well,
        "steps": [step.as_json() for step in steps.made],
    }


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0.0 < seconds <= 3_600.0:
        raise argparse.ArgumentTypeError(f"a number of seconds up to 3600, not {text!r}")
    return seconds
