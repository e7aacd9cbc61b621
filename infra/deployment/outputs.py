"""What a deployed stack tells, by the names that `infra/stack.py` gives its outputs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from infra.errors import InfrastructureError

_NAMES = {
    "mcp_url": "McpUrl",
    "documents_bucket": "DocumentsBucket",
    "index": "IndexAddress",
    "ingest_queue_url": "IngestQueueUrl",
    "commit_queue_url": "CommitQueueUrl",
    "dead_letter_queue_url": "IngestDeadLettersUrl",
    "user_pool_id": "UserPoolId",
    "user_pool_url": "CognitoUrl",
}
_MACHINES = "MachineClientIds"
_ALARM_TOPIC, _DOMAIN_TARGET = "AlarmTopic", "DomainTarget"


class OutputsError(InfrastructureError):
    """A stack does not say what it should: it was deployed by another version."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """Of one environment, what deploying and testing need. `machines` has the ids of their app clients by name.

    `domain_target` is what a name of your own must point to, where the deployment did not make its record.
    """

    mcp_url: str
    documents_bucket: str
    index: str
    ingest_queue_url: str
    commit_queue_url: str
    dead_letter_queue_url: str
    user_pool_id: str
    user_pool_url: str
    machines: Mapping[str, str]
    alarm_topic_arn: str | None
    domain_target: str | None

    @classmethod
    def of(cls, stack: str, values: Mapping[str, str]) -> Self:
        """The outputs of `stack`. Raises OutputsError where one is missing or cannot be read."""
        texts = {field: value for field, name in _NAMES.items() if (value := values.get(name))}
        missing = [name for field, name in _NAMES.items() if field not in texts]
        machines = _machines(values.get(_MACHINES, ""))
        if missing or machines is None:
            raise OutputsError(
                f"The stack {stack} does not tell {', '.join([*missing, *([_MACHINES] if machines is None else [])])}: "
                "deploy it with this version of docshelf."
            )
        return cls(
            **texts,
            machines=machines,
            alarm_topic_arn=values.get(_ALARM_TOPIC),
            domain_target=values.get(_DOMAIN_TARGET),
        )


def _machines(text: str) -> dict[str, str] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return {str(name): str(client_id) for name, client_id in found.items()} if isinstance(found, dict) else None
