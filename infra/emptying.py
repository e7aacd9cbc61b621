"""The CDK's own function that empties buckets before they are deleted: it leaves no log behind, and may do little."""

from __future__ import annotations

import aws_cdk as cdk

from infra.log_groups import log_group
from infra.settings import Environment

_PROVIDER = "Custom::S3AutoDeleteObjectsCustomResourceProvider"


def bound_emptying(stack: cdk.Stack, environment: Environment) -> None:
    """Give the function that empties the buckets of `stack`, where there is one, a log of ours and rights of its own.

    By itself it would log into a group that nobody deletes, and might make any group.
    """
    provider = stack.node.try_find_child(_PROVIDER)
    if provider is None:
        return
    log = log_group(stack, "EmptyingLog", environment)
    handler, role = provider.node.find_child("Handler"), provider.node.find_child("Role")
    assert isinstance(handler, cdk.CfnResource)
    assert isinstance(role, cdk.CfnResource)
    handler.add_property_override("LoggingConfig", {"LogGroup": log.log_group_name})
    role.add_property_deletion_override("ManagedPolicyArns")
    statement = {
        "Effect": "Allow",
        "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
        "Resource": log.log_group_arn,
    }
    document = {"Version": "2012-10-17", "Statement": [statement]}
    role.add_property_override("Policies", [{"PolicyName": "log", "PolicyDocument": document}])
