"""Signs people in for MCP clients."""

import os
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from docshelf.signin.function import SigninFunction
from docshelf.snapshots import outlive_snapshots

SIGNIN = SigninFunction.from_environment(os.environ)
outlive_snapshots(SIGNIN, os.environ)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, object]:
    """Event of API Gateway in, its answer out."""
    return SIGNIN.handle(event, context)
