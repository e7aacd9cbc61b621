"""When somebody is told that something is wrong, and how."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct

from docshelf.observability import Metric
from docshelf.states import State
from infra.front_door import FrontDoor
from infra.functions import Functions
from infra.metrics import FIVE_MINUTES, OF_SIGNIN, emitted, every_function, measure_starts, start_duration
from infra.queues import Queues
from infra.settings import Environment

_NOT_BREACHING = cloudwatch.TreatMissingData.NOT_BREACHING


class Alarms(Construct):
    """Each alarm is called `docshelf-ENVIRONMENT-NAME`; docs/operations.md, Alarms, says of each NAME what to do.

    `topic` is what they are published to.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        environment: Environment,
        functions: Functions,
        queues: Queues,
        front_door: FrontDoor,
    ) -> None:
        super().__init__(scope, construct_id)
        self._environment = environment
        self.topic = self._topic()
        self._watch_queues(queues)
        self._watch_documents()
        self._watch_functions(functions)
        self._watch_answers(functions, front_door)

    def _topic(self) -> sns.Topic:
        # Without a key: alarms may not publish by AWS's own one, and their texts hold names and numbers only.
        topic = sns.Topic(self, "Topic", display_name=self._environment.stack_name, enforce_ssl=True)
        stack = cdk.Stack.of(self)
        alarms = stack.format_arn(
            service="cloudwatch",
            resource="alarm",
            resource_name=f"{self._environment.stack_name}-*",
            arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME,
        )
        # A policy of its own takes the place of the one by which everything of the account may publish.
        topic.add_to_resource_policy(
            iam.PolicyStatement(
                sid="AlarmsPublish",
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                actions=["sns:Publish"],
                resources=[topic.topic_arn],
                conditions={"StringEquals": {"aws:SourceAccount": stack.account}, "ArnLike": {"aws:SourceArn": alarms}},
            )
        )
        for email in self._environment.alarms.emails:
            topic.add_subscription(subscriptions.EmailSubscription(email))
        return topic

    def _watch_queues(self, queues: Queues) -> None:
        rounds = cdk.Duration.minutes(self._environment.commit.maintain_minutes)
        self._alarm(
            "ingest-dead-letters",
            queues.ingest_dead_letters.metric_approximate_number_of_messages_visible(
                statistic="Minimum", period=rounds
            ),
            says="Messages stay in the dead letter queue of ingest, although maintenance ran twice.",
            periods=2,
        )
        self._alarm(
            "commit-dead-letters",
            queues.commit_dead_letters.metric_approximate_number_of_messages_visible(
                statistic="Maximum", period=FIVE_MINUTES
            ),
            says="Documents could not be written to the index for a long time.",
        )
        minutes = self._environment.alarms.oldest_message_minutes
        for name, queue in (("ingest", queues.ingest), ("commit", queues.commit)):
            self._alarm(
                f"{name}-backlog",
                queue.metric_approximate_age_of_oldest_message(statistic="Maximum", period=FIVE_MINUTES),
                threshold=minutes * 60,
                says=f"A message has waited in the {name} queue for {minutes} minutes.",
            )

    def _watch_documents(self) -> None:
        environment = self._environment
        self._alarm(
            "failed-documents",
            emitted(
                environment,
                Metric.DOCUMENTS,
                statistic="Maximum",
                period=cdk.Duration.minutes(environment.commit.maintain_minutes),
                dimensions={"State": State.FAILED.value},
            ),
            threshold=environment.alarms.failed_documents,
            says=f"Documents could not be read: {environment.alarms.failed_documents} or more are in state failed.",
            # Between two rounds of maintenance nothing is known, and nothing has changed.
            missing=cloudwatch.TreatMissingData.IGNORE,
        )
        for name, metric, says in (
            ("given-up-documents", Metric.DEAD_LETTERS, "Ingest gave documents up after its last attempt."),
            ("failed-chores", Metric.FAILED_CHORES, "A sweep or maintenance was given up until its next time."),
            ("other-writers", Metric.OTHER_WRITERS, "Something besides the commit function writes to the index."),
        ):
            self._alarm(name, emitted(environment, metric), says=says)

    def _watch_functions(self, functions: Functions) -> None:
        for each in every_function(functions):
            name = each.node.id.lower()
            self._alarm(
                f"{name}-errors",
                each.function.metric_errors(period=FIVE_MINUTES),
                says=f"The {name} function ended with an error.",
            )
            self._alarm(
                f"{name}-throttles",
                each.function.metric_throttles(period=FIVE_MINUTES),
                says=f"AWS Lambda held calls of the {name} function back, for want of concurrency.",
            )
        measure_starts(self, self._environment, functions)
        self._alarm(
            "slow-start",
            start_duration(self._environment),
            threshold=self._environment.alarms.init_ms,
            says=f"A function took {self._environment.alarms.init_ms} ms or more to start; at 10 s it is ended.",
        )

    def _watch_answers(self, functions: Functions, front_door: FrontDoor) -> None:
        environment = self._environment
        self._alarm("search-5xx", emitted(environment, Metric.ERRORS), says="The search function could not answer.")
        self._alarm(
            "signin-5xx",
            emitted(environment, Metric.ERRORS, dimensions=OF_SIGNIN),
            says="The sign-in function could not answer.",
        )
        self._alarm(
            "api-5xx",
            front_door.api.metric_server_error(period=FIVE_MINUTES),
            says="Requests were answered with an error of the server, by a function or by API Gateway itself.",
        )
        limit = environment.alarms.search_p95_ms
        self._alarm(
            "slow-search",
            functions.search.alias.metric_duration(statistic="p95", period=FIVE_MINUTES),
            threshold=limit,
            says=f"For a quarter of an hour, 5 % of the requests to the search function took {limit} ms or more.",
            periods=3,
            percentile=True,
        )

    def _alarm(
        self,
        name: str,
        metric: cloudwatch.IMetric,
        *,
        says: str,
        threshold: float = 1,
        periods: int = 1,
        missing: cloudwatch.TreatMissingData = _NOT_BREACHING,
        percentile: bool = False,
    ) -> None:
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_name=f"{self._environment.stack_name}-{name}",
            alarm_description=f"{says} What to do: docs/operations.md, section Alarms, {name}.",
            metric=metric,
            threshold=threshold,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            evaluation_periods=periods,
            treat_missing_data=missing,
            # A percentile of a few requests says nothing.
            evaluate_low_sample_count_percentile="ignore" if percentile else None,
        )
        alarm.add_alarm_action(actions.SnsAction(self.topic))
