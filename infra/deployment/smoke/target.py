"""What is asked: an environment's address, bucket and machine client, from its stack or as they were given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from docshelf.access.caller import Caller
from docshelf.access.policy import AccessPolicy
from infra.deployment.aws import Account
from infra.deployment.outputs import Outputs
from infra.errors import InfrastructureError
from infra.settings import Environment

COLLECTION = "docshelf-smoke"
"""The folder of the markers."""

SCOPE = "docs:read"
_MACHINE = "smoke"


class TargetError(InfrastructureError):
    """There is nothing that can be asked."""


@dataclass(frozen=True, slots=True)
class Target:
    """`url` is that of the MCP endpoint, `pool_url` that of the pool's domain, both without a slash at the end.

    `secret` fetches the machine client's secret. `sees_marker` says whether machines see the markers' collection;
    where they do not, `index` is where to look instead.
    """

    url: str
    bucket: str
    index: str | None
    pool_url: str
    client_id: str
    secret: Callable[[], str]
    sees_marker: bool

    @property
    def origin(self) -> str:
        """The address of the server, without the path of its endpoint."""
        return self.url.rpartition("/")[0]


def deployed_target(environment: Environment, account: Account) -> Target:
    """What the environment's stack says.

    Raises:
        InfrastructureError: there is no such stack, it has no machine client, or it cannot be asked.
    """
    stack = account.stack(environment.stack_name)
    if stack is None:
        raise TargetError(
            f"There is no stack {environment.stack_name} in {environment.region}: run ./scripts/deploy "
            f"{environment.name} first, or take the credentials of its account (AWS_PROFILE)."
        )
    outputs = Outputs.of(stack.name, stack.outputs)
    client_id = outputs.machines.get(_MACHINE) or next(iter(outputs.machines.values()), None)
    if client_id is None:
        raise TargetError(
            f'{stack.name} has no machine that could ask: set machines = ["{_MACHINE}"] in '
            f"infra/environments/{environment.name}.toml and deploy it."
        )
    return Target(
        url=outputs.mcp_url,
        bucket=outputs.documents_bucket,
        index=outputs.index,
        pool_url=outputs.user_pool_url,
        client_id=client_id,
        secret=lambda: account.client_secret(outputs.user_pool_id, client_id),
        sees_marker=machines_see_marker(environment),
    )


def machines_see_marker(environment: Environment) -> bool:
    """Whether `access` opens the markers' collection to callers that are in no group."""
    machine = Caller(subject=_MACHINE, client_id=_MACHINE, groups=(), scopes=frozenset())
    opened = AccessPolicy.parse(environment.access_text).collections_for(machine)
    return opened is None or COLLECTION in opened
