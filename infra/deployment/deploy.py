"""`scripts/deploy`: check, build the layers, deploy an environment, and say what comes next."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from infra.command_line import FAILED, USAGE, run, say
from infra.deployment.aws import Account
from infra.deployment.cdk import Cdk, CdkError
from infra.deployment.checks import BOOTSTRAP, Preparations, look
from infra.deployment.layers import build_layers
from infra.deployment.next_steps import deployed_lines
from infra.deployment.outputs import Outputs
from infra.deployment.teardown import destroy, refuse_kept
from infra.deployment.variables import variable_lines
from infra.settings import Environment, environment_names, read_environment

Build = Callable[[Environment, Path | None], None]
"""Builds the layers of an environment, with the model from a directory if one is given. Raises BuildError."""

APPROVALS = ("never", "broadening", "any-change")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="scripts/deploy", description="Deploy an environment to AWS, or bring it up to date."
    )
    names = ", ".join(environment_names()) or "none yet"
    made.add_argument("environment", metavar="ENV", help=f"a file of infra/environments without .toml ({names})")
    made.add_argument(
        "--require-approval",
        choices=APPROVALS,
        default="broadening",
        help="ask before changes: never, of rights that become wider (default), or any",
    )
    made.add_argument("--model-dir", type=Path, metavar="DIR", help="a directory with the model, for a machine offline")
    what = made.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="only look whether everything is ready")
    what.add_argument("--bootstrap", action="store_true", help="prepare account and region for CDK, where need be")
    what.add_argument("--destroy", action="store_true", help="delete the environment; asks for its name")
    what.add_argument("--variables", action="store_true", help="print the variables for the other commands, and end")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    return run(lambda: _deploy(parser().parse_args(arguments)))


def _deploy(given: argparse.Namespace) -> int:
    environment = read_environment(given.environment)
    account = Account(environment.region)
    if given.variables:
        print("\n".join(variable_lines(environment, account)))
        return 0
    if given.model_dir is not None and not given.model_dir.is_dir():
        say(f"--model-dir {given.model_dir} is no directory.")
        return USAGE
    if given.require_approval != "never" and not (given.check or given.destroy) and not sys.stdin.isatty():
        say("Nobody can be asked here, as there is no terminal: add --require-approval never.")
        return USAGE
    found = Preparations(environment, account, destroying=given.destroy)
    return deploy(given, found, build_layers)


def deploy(given: argparse.Namespace, found: Preparations, build: Build) -> int:
    """Do what was asked for, with layers that `build` makes; the exit status.

    Raises:
        InfrastructureError: something failed, after the checks.
    """
    environment = found.environment
    if given.destroy:
        refuse_kept(environment)
    if not _ready(found, bootstrap=given.bootstrap):
        return FAILED
    if given.check:
        say("Everything is ready.")
        return 0
    assert found.cdk is not None
    if given.destroy:
        return destroy(environment, found.cdk, lambda: build(environment, given.model_dir))
    say(f"\nBuilding the layers for {environment.architecture} with {environment.model} ...")
    build(environment, given.model_dir)
    say(f"\nDeploying {environment.stack_name} to {environment.region} ...")
    values = deployed(environment, found.cdk, given.require_approval)
    print("\n".join(deployed_lines(environment, Outputs.of(environment.stack_name, values))))
    return 0


def _ready(found: Preparations, *, bootstrap: bool) -> bool:
    say(f"{found.environment.stack_name}: is everything ready?")
    if look(found, lambda check: say(check.line)):
        return True
    if not bootstrap or found.missing != [BOOTSTRAP] or found.cdk is None:
        say("\nNot ready: nothing was built or changed.")
        return False
    say("\nPreparing account and region for CDK ...")
    arguments, region = found.bootstrap_arguments, found.environment.region
    if found.cdk.run(*arguments, region=region, outside_of_app=True) != 0:
        raise CdkError("CDK could not prepare the account: the lines above say why.")
    say("\nOnce more:")
    return look(found, lambda check: say(check.line))


def deployed(environment: Environment, cdk: Cdk, approval: str) -> dict[str, str]:
    """Deploy, with everything that CDK says shown; the outputs of the stack.

    Raises:
        CdkError: it was refused or failed.
    """
    with tempfile.TemporaryDirectory() as directory:
        outputs = Path(directory) / "outputs.json"
        arguments = ["--require-approval", approval, "--outputs-file", str(outputs), "--no-notices"]
        status = cdk.run("deploy", *of_environment(environment), *arguments, region=environment.region)
        if status != 0:
            raise CdkError(_failed(environment, status))
        try:
            found: dict[str, str] = json.loads(outputs.read_bytes())[environment.stack_name]
        except (OSError, ValueError, KeyError) as error:
            raise CdkError(
                f"CDK deployed {environment.stack_name} without telling its outputs ({type(error).__name__}): they are "
                "on the stack's page of CloudFormation."
            ) from error
    return found


def of_environment(environment: Environment) -> list[str]:
    """The arguments of CDK that name the stack and its environment."""
    return [environment.stack_name, "--context", f"environment={environment.name}"]


def _failed(environment: Environment, status: int) -> str:
    return (
        f"{environment.stack_name} was not deployed (status {status}). The lines above say why; what CloudFormation "
        "could not do has CREATE_FAILED or UPDATE_FAILED in its line, and the first such line is the cause, the others "
        f"follow from it. All events: aws cloudformation describe-stack-events --stack-name {environment.stack_name} "
        f"--region {environment.region}. What was deployed before is in use as it was."
    )


if __name__ == "__main__":
    sys.exit(main())
