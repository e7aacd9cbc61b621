"""Deleting an environment that was made to be deleted."""

from __future__ import annotations

import sys
from collections.abc import Callable

from infra.command_line import FAILED, say
from infra.deployment.cdk import Cdk, CdkError
from infra.errors import InfrastructureError
from infra.settings import Environment


class KeptError(InfrastructureError):
    """The environment keeps its data."""


def refuse_kept(environment: Environment) -> None:
    """Let pass only what was made to be deleted.

    Raises:
        KeptError: the environment's file says that its data are kept.
    """
    if environment.retain_data:
        raise KeptError(
            f"{environment.stack_name} keeps its data (retain_data), and is guarded against deletion. If it is to go, "
            "docs/deploy.md says how under Teardown; nothing was changed."
        )


def destroy(environment: Environment, cdk: Cdk, build: Callable[[], None]) -> int:
    """Delete the stack, with all documents, the index, people and keys, once its name was typed.

    Raises:
        CdkError: the stack could not be deleted as a whole.
        InfrastructureError: `build` failed.
    """
    say(f"\nThis deletes {environment.stack_name} with all its documents, its index, its people and keys, for good.")
    sys.stderr.write(f"Type the environment's name, {environment.name}, to delete it: ")
    sys.stderr.flush()
    if sys.stdin.readline().strip() != environment.name:
        say("\nThat is another name: nothing was deleted.")
        return FAILED
    # CDK builds the app before it deletes its stack, and the app needs the layers.
    build()
    arguments = [environment.stack_name, "--context", f"environment={environment.name}", "--force", "--no-notices"]
    status = cdk.run("destroy", *arguments, region=environment.region)
    if status != 0:
        raise CdkError(
            f"{environment.stack_name} could not be deleted as a whole (status {status}): the lines above, and the "
            "stack's events in CloudFormation, say what stays. Remove that and run the command again."
        )
    say(f"{environment.stack_name} is deleted.")
    return 0
