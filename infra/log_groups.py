"""Logs that end when they should: explicit groups, since those that a service makes by itself are kept for ever."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.settings import Environment


def log_group(scope: Construct, construct_id: str, environment: Environment) -> logs.LogGroup:
    """A log whose lines are kept for `log_days`, and which goes with the stack where the data do."""
    return logs.LogGroup(
        scope,
        construct_id,
        retention=_RETENTION[environment.log_days],
        removal_policy=cdk.RemovalPolicy.RETAIN if environment.retain_data else cdk.RemovalPolicy.DESTROY,
    )


_RETENTION = {
    1: logs.RetentionDays.ONE_DAY,
    3: logs.RetentionDays.THREE_DAYS,
    5: logs.RetentionDays.FIVE_DAYS,
    7: logs.RetentionDays.ONE_WEEK,
    14: logs.RetentionDays.TWO_WEEKS,
    30: logs.RetentionDays.ONE_MONTH,
    60: logs.RetentionDays.TWO_MONTHS,
    90: logs.RetentionDays.THREE_MONTHS,
    120: logs.RetentionDays.FOUR_MONTHS,
    150: logs.RetentionDays.FIVE_MONTHS,
    180: logs.RetentionDays.SIX_MONTHS,
    365: logs.RetentionDays.ONE_YEAR,
    400: logs.RetentionDays.THIRTEEN_MONTHS,
    545: logs.RetentionDays.EIGHTEEN_MONTHS,
    731: logs.RetentionDays.TWO_YEARS,
    1096: logs.RetentionDays.THREE_YEARS,
    1827: logs.RetentionDays.FIVE_YEARS,
    2192: logs.RetentionDays.SIX_YEARS,
    2557: logs.RetentionDays.SEVEN_YEARS,
    3653: logs.RetentionDays.TEN_YEARS,
}
