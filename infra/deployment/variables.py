"""The variables by which the commands of docshelf reach a deployed environment."""

from __future__ import annotations

import shlex

from infra.deployment.aws import Account
from infra.deployment.outputs import Outputs
from infra.errors import InfrastructureError
from infra.function_environment import ocr_variables
from infra.settings import Environment


class NotDeployedError(InfrastructureError):
    """There is no such stack."""


def variable_lines(environment: Environment, account: Account) -> list[str]:
    """Lines for a shell, with the environment's places, model and limits.

    Raises:
        InfrastructureError: there is no such stack, or AWS cannot be asked.
    """
    stack = account.stack(environment.stack_name)
    if stack is None:
        raise NotDeployedError(
            f"There is no stack {environment.stack_name} in {environment.region}: deploy it first, or take the "
            "credentials of its account (AWS_PROFILE)."
        )
    outputs = Outputs.of(stack.name, stack.outputs)
    limits = {f"DOCSHELF_{name.upper()}": str(value) for name, value in environment.limits.model_dump().items()}
    variables = {
        "AWS_REGION": environment.region,
        "DOCSHELF_BUCKET": outputs.documents_bucket,
        "DOCSHELF_INDEX": outputs.index,
        "DOCSHELF_INGEST_QUEUE_URL": outputs.ingest_queue_url,
        "DOCSHELF_COMMIT_QUEUE_URL": outputs.commit_queue_url,
        "DOCSHELF_DEAD_LETTER_QUEUE_URL": outputs.dead_letter_queue_url,
        "DOCSHELF_MODEL": environment.model,
        **limits,
        **ocr_variables(environment),
    }
    return [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
