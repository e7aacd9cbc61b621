"""One page that shows how an environment does: what people get, the path of the documents, and what it runs on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from docshelf.observability import Metric
from docshelf.states import State
from infra.front_door import FrontDoor
from infra.functions import Functions
from infra.metrics import FIVE_MINUTES, OF_SIGNIN, emitted, emitted_by_tools, every_function, start_duration
from infra.queues import Queues
from infra.settings import Environment

_COLUMNS = 24
"""Of a page, which the graphs of a row share."""

_Graphs: TypeAlias = Mapping[str, Sequence[cloudwatch.IMetric]]
"""The graphs of a row by their titles."""


class Dashboard(Construct):
    """The page, called as the stack is. Each row of it answers the question that stands above it."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        environment: Environment,
        functions: Functions,
        queues: Queues,
        front_door: FrontDoor,
    ) -> None:
        super().__init__(scope, construct_id)
        self._environment = environment
        page = cloudwatch.Dashboard(
            self, "Page", dashboard_name=environment.stack_name, default_interval=cdk.Duration.days(1)
        )
        for question, graphs in (
            ("Do searches get an answer?", self._search(front_door)),
            ("Do people get in?", self._signin()),
            ("Does the index follow the bucket?", self._documents() | self._waiting(queues)),
            ("Are the functions well?", self._running(functions)),
            ("How large is the index?", self._index()),
        ):
            page.add_widgets(cloudwatch.TextWidget(markdown=f"## {question}", width=_COLUMNS, height=1))
            page.add_widgets(*(_graph(title, metrics, _COLUMNS // len(graphs)) for title, metrics in graphs.items()))

    def _search(self, front_door: FrontDoor) -> _Graphs:
        api = front_door.api
        return {
            "Answers of the search function": self._emitted(Metric.REQUESTS, Metric.ERRORS, Metric.UNAUTHORIZED),
            "Calls of tools": [emitted_by_tools(self._environment, one) for one in (Metric.CALLS, Metric.FAILED_CALLS)],
            "Time of an answer (ms)": [
                emitted(self._environment, Metric.DURATION, statistic=statistic, label=statistic)
                for statistic in ("p50", "p95", "p99")
            ],
            "What API Gateway saw": [
                api.metric_count(period=FIVE_MINUTES, label="requests"),
                api.metric_client_error(period=FIVE_MINUTES, label="4xx"),
                api.metric_server_error(period=FIVE_MINUTES, label="5xx"),
            ],
        }

    def _signin(self) -> _Graphs:
        duration = emitted(self._environment, Metric.DURATION, statistic="p95", label="p95", dimensions=OF_SIGNIN)
        return {
            "Answers of the sign-in function": self._emitted(
                Metric.REQUESTS, Metric.ERRORS, Metric.REFUSALS, dimensions=OF_SIGNIN
            ),
            "What people got": self._emitted(Metric.REGISTRATIONS, Metric.SIGN_INS, Metric.REFRESHES),
            "Time of an answer (ms)": [duration],
        }

    def _documents(self) -> dict[str, Sequence[cloudwatch.IMetric]]:
        states = [
            emitted(
                self._environment,
                Metric.DOCUMENTS,
                statistic="Maximum",
                label=state.value,
                dimensions={"State": state.value},
            )
            for state in State
            if state is not State.QUEUED
        ]
        return {
            "Documents by state": states,
            "What the sweep found": self._emitted(Metric.DIFFERENCES, Metric.POSTPONED),
        }

    def _waiting(self, queues: Queues) -> dict[str, Sequence[cloudwatch.IMetric]]:
        both = {"ingest": queues.ingest, "commit": queues.commit}
        dead = {"ingest, dead": queues.ingest_dead_letters, "commit, dead": queues.commit_dead_letters}
        return {
            "Messages that wait": [
                queue.metric_approximate_number_of_messages_visible(
                    statistic="Maximum", period=FIVE_MINUTES, label=name
                )
                for name, queue in (both | dead).items()
            ],
            "Age of the oldest message (s)": [
                queue.metric_approximate_age_of_oldest_message(statistic="Maximum", period=FIVE_MINUTES, label=name)
                for name, queue in both.items()
            ],
        }

    def _running(self, functions: Functions) -> _Graphs:
        everyone = {each.node.id.lower(): each.function for each in every_function(functions)}
        return {
            "Errors": [each.metric_errors(period=FIVE_MINUTES, label=name) for name, each in everyone.items()],
            "Held back": [each.metric_throttles(period=FIVE_MINUTES, label=name) for name, each in everyone.items()],
            "At once": [
                each.metric("ConcurrentExecutions", statistic="Maximum", period=FIVE_MINUTES, label=name)
                for name, each in everyone.items()
            ],
            "Longest start (ms)": [start_duration(self._environment)],
        }

    def _index(self) -> _Graphs:
        return {
            "Chunks": self._emitted(Metric.CHUNKS, Metric.UNINDEXED, statistic="Maximum"),
            "Bytes": self._emitted(Metric.BYTES, statistic="Maximum"),
            "Parts of its files": self._emitted(Metric.FRAGMENTS, Metric.VERSIONS, statistic="Maximum"),
        }

    def _emitted(
        self, *metrics: Metric, statistic: str = "Sum", dimensions: Mapping[str, str] | None = None
    ) -> list[cloudwatch.IMetric]:
        return [
            emitted(self._environment, metric, statistic=statistic, label=metric.value, dimensions=dimensions)
            for metric in metrics
        ]


def _graph(title: str, metrics: Sequence[cloudwatch.IMetric], width: int) -> cloudwatch.GraphWidget:
    scale = cloudwatch.YAxisProps(min=0, show_units=False)
    return cloudwatch.GraphWidget(title=title, left=list(metrics), left_y_axis=scale, width=width)
