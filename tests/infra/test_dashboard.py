"""The page of an environment."""

from __future__ import annotations

import json
from typing import Any

import pytest

from docshelf.observability import NAMESPACE, Metric
from docshelf.states import State
from infra.settings import Environment
from tests.support.template import Template

DASHBOARD = "AWS::CloudWatch::Dashboard"

WITH_DASHBOARD = ["everything", "prod"]
WIDTH = 24


def widgets(template: Template) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(template.one(DASHBOARD, "Dashboard")["DashboardBody"])["widgets"]
    return found


def shown(template: Template) -> list[tuple[str, ...]]:
    """Namespace, name and dimensions of each metric."""
    rows = [row for widget in widgets(template) for row in widget["properties"].get("metrics", ())]
    return [tuple(part for part in row if isinstance(part, str)) for row in rows]


def test_there_is_one_where_the_setting_asks_for_it(template: Template, environment: Environment) -> None:
    assert bool(template.ids(DASHBOARD)) is environment.alarms.dashboard


@pytest.mark.parametrize("name", WITH_DASHBOARD)
def test_it_is_called_as_the_stack_is_and_shows_what_that_emits_alone(template: Template) -> None:
    assert template.one(DASHBOARD, "Dashboard")["DashboardName"] == template.stack
    for metric in shown(template):
        if metric[:1] == (NAMESPACE,):
            assert template.stack in metric
            assert metric[1] in set(Metric)


@pytest.mark.parametrize("name", WITH_DASHBOARD)
def test_it_shows_every_state_queue_and_function(template: Template) -> None:
    everything = {part for metric in shown(template) for part in metric}
    assert {state.value for state in State} - {"queued"} <= everything
    for function in ("Ingest", "Commit", "Search", "Signin"):
        assert template.id("AWS::Lambda::Function", f"Functions/{function}") in everything
    assert {f"{queue}.QueueName" for queue in template.ids("AWS::SQS::Queue")} <= everything
    assert template.id("AWS::ApiGatewayV2::Api", "FrontDoor") in everything


@pytest.mark.parametrize("name", WITH_DASHBOARD)
def test_what_tools_emit_is_added_up_over_them(template: Template) -> None:
    expressions = [
        part["expression"]
        for widget in widgets(template)
        for row in widget["properties"].get("metrics", ())
        for part in row
        if isinstance(part, dict) and "expression" in part
    ]
    for metric in (Metric.CALLS, Metric.FAILED_CALLS):
        wanted = f'{{docshelf,Tool,service}} service="{template.stack}" MetricName="{metric.value}"'
        assert f"SUM(SEARCH('{wanted}', 'Sum', 300))" in expressions


@pytest.mark.parametrize("name", WITH_DASHBOARD)
def test_the_graphs_of_a_row_fill_it(template: Template) -> None:
    rows: dict[int, int] = {}
    for widget in widgets(template):
        rows[widget["y"]] = rows.get(widget["y"], 0) + widget["width"]
    assert set(rows.values()) == {WIDTH}
