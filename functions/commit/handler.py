"""Commits prepared documents to the index, and does the chores that must not meet a commit."""

import os
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from docshelf.commit.lane import Lane
from docshelf.remaining_time import remaining_seconds
from docshelf.snapshots import outlive_snapshots

LANE = Lane.from_environment(os.environ)
outlive_snapshots(None, os.environ)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, object]:
    """SQS batch in, the messages to deliver again out."""
    return LANE.handle(event, remaining_seconds(context))
