"""The chores of the commit lane: messages to its queue, at their times."""

from __future__ import annotations

import json

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.settings import Environment

GROUP = "index"
"""The message group of everything that writes the index."""

_LATEST_SECONDS = 300
"""A chore that could not be queued for so long waits for its next time."""


class Schedules(Construct):
    """Maintenance every few minutes and the sweep once a night (UTC)."""

    def __init__(self, scope: Construct, construct_id: str, *, environment: Environment, commit: sqs.IQueue) -> None:
        super().__init__(scope, construct_id)
        self._queue = commit
        self._role = self._may_send()
        minutes, hour = environment.commit.maintain_minutes, environment.commit.sweep_at_hour
        self._schedule("Maintain", f"rate({minutes} minutes)", {"docshelf": "maintain"})
        self._schedule("Sweep", f"cron(0 {hour} * * ? *)", {"docshelf": "sweep"})

    def _may_send(self) -> iam.Role:
        mine = {"StringEquals": {"aws:SourceAccount": cdk.Stack.of(self).account}}
        statement = iam.PolicyStatement(actions=["sqs:SendMessage"], resources=[self._queue.queue_arn])
        return iam.Role(
            self,
            "Role",
            description="Sends the chores to the commit queue of docshelf",
            assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com", conditions=mine),
            inline_policies={"send": iam.PolicyDocument(statements=[statement])},
        )

    def _schedule(self, name: str, expression: str, message: dict[str, str]) -> None:
        scheduler.CfnSchedule(
            self,
            name,
            description=f"{name} the index of docshelf",
            schedule_expression=expression,
            schedule_expression_timezone="UTC",
            flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
            target=scheduler.CfnSchedule.TargetProperty(
                arn=self._queue.queue_arn,
                role_arn=self._role.role_arn,
                input=json.dumps(message),
                sqs_parameters=scheduler.CfnSchedule.SqsParametersProperty(message_group_id=GROUP),
                retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(maximum_event_age_in_seconds=_LATEST_SECONDS),
            ),
        )
