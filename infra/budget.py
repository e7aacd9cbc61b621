"""A monthly budget of the account, and who hears of it."""

from __future__ import annotations

from typing import Literal

from aws_cdk import aws_budgets as budgets
from constructs import Construct

from infra.settings import Environment

_NOTIFICATIONS: tuple[tuple[Literal["ACTUAL", "FORECASTED"], int], ...] = (
    ("ACTUAL", 80),
    ("ACTUAL", 100),
    ("FORECASTED", 100),
)
"""What is compared with the budget, and from how many percent of it on people are told."""


class Budget(Construct):
    """Tells by e-mail when the month costs 80 and 100 percent of `monthly_usd`, and when it is going to.

    Without a budget in the environment's file there is nothing in it.
    """

    def __init__(self, scope: Construct, construct_id: str, *, environment: Environment) -> None:
        super().__init__(scope, construct_id)
        settings = environment.budget
        if settings is None:
            return
        subscribers = [
            budgets.CfnBudget.SubscriberProperty(subscription_type="EMAIL", address=email) for email in settings.emails
        ]
        budgets.CfnBudget(
            self,
            "Monthly",
            budget=budgets.CfnBudget.BudgetDataProperty(
                budget_name=environment.stack_name,
                budget_type="COST",
                time_unit="MONTHLY",
                budget_limit=budgets.CfnBudget.SpendProperty(amount=settings.monthly_usd, unit="USD"),
            ),
            notifications_with_subscribers=[
                budgets.CfnBudget.NotificationWithSubscribersProperty(
                    notification=budgets.CfnBudget.NotificationProperty(
                        notification_type=kind,
                        comparison_operator="GREATER_THAN",
                        threshold=percent,
                        threshold_type="PERCENTAGE",
                    ),
                    subscribers=subscribers,
                )
                for kind, percent in _NOTIFICATIONS
            ],
        )
