"""What a deployed stack tells whoever deploys and tests it, by fixed names."""

from __future__ import annotations

from collections.abc import Mapping

import aws_cdk as cdk


def add_outputs(stack: cdk.Stack, values: Mapping[str, str]) -> None:
    """Give `stack` an output of each name, exactly so called."""
    for name, value in values.items():
        cdk.CfnOutput(stack, name, value=value).override_logical_id(name)
