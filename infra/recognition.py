"""How the end of a job of Amazon Textract reaches ingest: a topic, and the role by which Textract publishes to it."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from constructs import Construct

TEXTRACT = "textract.amazonaws.com"


class Recognition(Construct):
    """`topic` gets a message when a job has ended, which names its document, and passes it on to the queue `told`.

    `role` may publish to it, and only Textract may take it, for jobs of this account.
    """

    def __init__(self, scope: Construct, construct_id: str, *, told: sqs.IQueue) -> None:
        super().__init__(scope, construct_id)
        # By AWS's own key everything of the account may publish that may publish at all: the role is of the account.
        key = kms.Alias.from_alias_name(self, "Key", "alias/aws/sns")
        self.topic = sns.Topic(self, "Topic", master_key=key, enforce_ssl=True)
        self.topic.add_subscription(subscriptions.SqsSubscription(told, raw_message_delivery=True))
        account = cdk.Stack.of(self).account
        jobs = f"arn:{cdk.Aws.PARTITION}:textract:*:{account}:*"
        mine = {"StringEquals": {"aws:SourceAccount": account}, "ArnLike": {"aws:SourceArn": jobs}}
        publish = iam.PolicyStatement(actions=["sns:Publish"], resources=[self.topic.topic_arn])
        self.role = iam.Role(
            self,
            "Role",
            description="Tells docshelf that the text of a scan was recognised",
            assumed_by=iam.ServicePrincipal(TEXTRACT, conditions=mine),
            inline_policies={"publish": iam.PolicyDocument(statements=[publish])},
        )
