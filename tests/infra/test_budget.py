"""The monthly budget."""

from __future__ import annotations

from typing import Any

import pytest

from infra.settings import Environment
from tests.support.assembly import NAMES, Assembly
from tests.support.template import Template

BUDGET = "AWS::Budgets::Budget"

WITH_BUDGET = ["everything"]
WITHOUT_BUDGET = sorted(set(NAMES) - set(WITH_BUDGET))


@pytest.mark.parametrize("name", WITHOUT_BUDGET)
def test_without_the_setting_there_is_none(template: Template) -> None:
    assert template.ids(BUDGET) == []


@pytest.mark.parametrize("name", WITH_BUDGET)
def test_it_is_of_a_month_and_as_high_as_the_setting(template: Template, environment: Environment) -> None:
    assert environment.budget is not None
    budget = template.one(BUDGET, "Budget")["Budget"]
    assert (budget["BudgetType"], budget["TimeUnit"]) == ("COST", "MONTHLY")
    assert budget["BudgetLimit"] == {"Amount": environment.budget.monthly_usd, "Unit": "USD"}
    assert budget["BudgetName"] == environment.stack_name
    assert not {"CostFilters", "FilterExpression"} & budget.keys(), "it is of the whole account"


@pytest.mark.parametrize("name", WITH_BUDGET)
def test_everybody_is_told_at_80_and_100_percent_and_when_100_are_ahead(assembly: Assembly, name: str) -> None:
    settings = assembly.environment(name).budget
    assert settings is not None
    notifications = assembly.template(name).one(BUDGET, "Budget")["NotificationsWithSubscribers"]
    assert {_when(one["Notification"]) for one in notifications} == {
        ("ACTUAL", 80, "PERCENTAGE", "GREATER_THAN"),
        ("ACTUAL", 100, "PERCENTAGE", "GREATER_THAN"),
        ("FORECASTED", 100, "PERCENTAGE", "GREATER_THAN"),
    }
    for one in notifications:
        told = [(subscriber["SubscriptionType"], subscriber["Address"]) for subscriber in one["Subscribers"]]
        assert told == [("EMAIL", email) for email in settings.emails]


def _when(notification: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(notification[key] for key in ("NotificationType", "Threshold", "ThresholdType", "ComparisonOperator"))
