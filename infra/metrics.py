"""What is watched: the metrics that the functions emit, and how long their starts take."""

from __future__ import annotations

from collections.abc import Mapping

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_logs as logs
from constructs import Construct

from docshelf.observability import NAMESPACE, Metric
from infra.function_parts import DocshelfFunction
from infra.functions import Functions
from infra.settings import Environment

FIVE_MINUTES = cdk.Duration.minutes(5)
OF_SIGNIN = {"Function": "signin"}
"""The dimension of what the sign-in function emits besides its own metrics; what search emits has none."""

START_DURATION = "StartDuration"
"""Milliseconds that an instance took before it could answer: its initialisation, or its restore from a snapshot."""

_REPORT = "REPORT RequestId: * Duration: * ms Billed Duration: * ms Memory Size: * MB Max Memory Used: * MB"
# AWS Lambda's own lines of a function's log, in the text format. `*` is any word, `#` the one that is the value; the
# last word of a pattern stands for the rest of the line.
_STARTS = {
    "Init": f"{_REPORT} Init Duration: # *",
    "Timeout": "INIT_REPORT Init Duration: # ms Phase: init Status: timeout",
    "Restore": f"{_REPORT} Restore Duration: # *",
}


def emitted(
    environment: Environment,
    metric: Metric,
    *,
    statistic: str = "Sum",
    period: cdk.Duration = FIVE_MINUTES,
    label: str | None = None,
    dimensions: Mapping[str, str] | None = None,
) -> cloudwatch.Metric:
    """A metric that the functions of `environment` emit, with the `dimensions` that `observability.emit` gives it."""
    return cloudwatch.Metric(
        namespace=NAMESPACE,
        metric_name=metric.value,
        dimensions_map={"service": environment.stack_name, **(dimensions or {})},
        statistic=statistic,
        period=period,
        label=label,
    )


def emitted_by_tools(environment: Environment, metric: Metric) -> cloudwatch.MathExpression:
    """The sum over all tools of a metric that is emitted for each of them alone."""
    found = f'{{{NAMESPACE},Tool,service}} service="{environment.stack_name}" MetricName="{metric.value}"'
    seconds = FIVE_MINUTES.to_seconds()
    return cloudwatch.MathExpression(
        expression=f"SUM(SEARCH('{found}', 'Sum', {seconds:.0f}))", period=FIVE_MINUTES, label=metric.value
    )


def start_duration(environment: Environment) -> cloudwatch.Metric:
    """The longest start of any function, in milliseconds."""
    return cloudwatch.Metric(
        namespace=_own_namespace(environment), metric_name=START_DURATION, statistic="Maximum", period=FIVE_MINUTES
    )


def measure_starts(scope: Construct, environment: Environment, functions: Functions) -> None:
    """Have the starts of `functions` counted from their logs, as one metric for all: each would cost on its own."""
    for function in every_function(functions):
        for name, line in _STARTS.items():
            logs.MetricFilter(
                scope,
                f"{function.node.id}{name}",
                log_group=function.log_group,
                filter_pattern=logs.FilterPattern.literal(_pattern(line)),
                metric_namespace=_own_namespace(environment),
                metric_name=START_DURATION,
                metric_value="$milliseconds",
            )


def every_function(functions: Functions) -> tuple[DocshelfFunction, ...]:
    """The functions in the order in which a document and a request meet them."""
    return functions.ingest, functions.commit, functions.search, functions.signin


def _own_namespace(environment: Environment) -> str:
    """Metrics of a log have no dimension that could tell environments apart."""
    return f"{NAMESPACE}/{environment.name}"


def _pattern(line: str) -> str:
    fields = []
    for number, word in enumerate(line.split()):
        if word == "#":
            fields.append("milliseconds")
        else:
            fields.append(f"w{number}" if word == "*" else f'w{number}="{word}"')
    return f"[{', '.join(fields)}]"
