"""What a person reads when an environment was deployed."""

from __future__ import annotations

from infra.deployment.outputs import Outputs
from infra.settings import Environment


def deployed_lines(environment: Environment, outputs: Outputs) -> list[str]:
    """Where the environment is, and what to do with it."""
    connect = f"claude mcp add --transport http docshelf {outputs.mcp_url}"
    return [
        "",
        f"MCP URL      {outputs.mcp_url}",
        f"documents    s3://{outputs.documents_bucket}",
        f"index        {outputs.index}",
        f"alarms       {_alarms(environment, outputs)}",
        *_record(environment, outputs),
        "",
        "Next:",
        f"  ./scripts/upload FOLDER s3://{outputs.documents_bucket}",
        f"  {_first_person(environment, outputs)}",
        f"  {connect}",
        "",
        f"Does it work? ./scripts/smoke {environment.name}",
        f'For scripts/status and scripts/reindex: eval "$(./scripts/deploy {environment.name} --variables)"',
        "What else there is to set and to do: docs/deploy.md, docs/operations.md.",
    ]


def _first_person(environment: Environment, outputs: Outputs) -> str:
    provider = environment.identity_provider
    if provider is not None and not provider.local_people:
        return f"(people sign in at {provider.name}: nobody has to be added)"
    return (
        f"aws cognito-idp admin-create-user --region {environment.region} --user-pool-id {outputs.user_pool_id} "
        "--username PERSON@EXAMPLE.COM --user-attributes Name=email,Value=PERSON@EXAMPLE.COM Name=email_verified,"
        "Value=true"
    )


def _record(environment: Environment, outputs: Outputs) -> list[str]:
    if outputs.domain_target is None or environment.domain is None:
        return []
    return [f"DNS          {environment.domain.name} must be a CNAME of {outputs.domain_target}: make that record now"]


def _alarms(environment: Environment, outputs: Outputs) -> str:
    if outputs.alarm_topic_arn is None:
        return "none (alarms.enabled is false)"
    if environment.alarms.emails:
        people = ", ".join(environment.alarms.emails)
        return f"to {people}, once each has confirmed the subscription that AWS has sent"
    return f"to nobody yet: set alarms.emails, or subscribe to {outputs.alarm_topic_arn}"
