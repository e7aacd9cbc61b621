"""Answers MCP clients from the index."""

import os
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from docshelf.serving.function import SearchFunction
from docshelf.snapshots import outlive_snapshots

SEARCH = SearchFunction.from_environment(os.environ)
outlive_snapshots(SEARCH, os.environ)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, object]:
    """Event of API Gateway in, its answer out."""
    return SEARCH.handle(event, context)
