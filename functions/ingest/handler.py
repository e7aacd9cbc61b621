"""Turns messages about keys of the documents bucket into prepared documents."""

import os
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from docshelf.ingest.function import Ingest
from docshelf.remaining_time import remaining_seconds
from docshelf.snapshots import outlive_snapshots

INGEST = Ingest.from_environment(os.environ)
outlive_snapshots(None, os.environ)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, object]:
    """SQS batch in, the messages to deliver again out."""
    return INGEST.handle(event, remaining_seconds(context))
