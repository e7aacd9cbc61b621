"""How long an invocation of a function may still run."""

from __future__ import annotations

from collections.abc import Callable

from aws_lambda_powertools.utilities.typing import LambdaContext

RemainingSeconds = Callable[[], float]
"""How long the function may still run."""


def remaining_seconds(context: LambdaContext) -> RemainingSeconds:
    """The clock of an invocation."""
    return lambda: context.get_remaining_time_in_millis() / 1000
