"""One environment as one stack."""

from __future__ import annotations

import os

import aws_cdk as cdk
from aws_cdk import aws_sns as sns
from constructs import Construct

from infra.acknowledgements import acknowledge_functions, acknowledge_storage
from infra.alarms import Alarms
from infra.budget import Budget
from infra.dashboard import Dashboard
from infra.emptying import bound_emptying
from infra.front_door import FrontDoor
from infra.function_environment import Identity
from infra.function_layers import FunctionLayers
from infra.functions import Functions
from infra.layers.built import BuiltLayers
from infra.outputs import add_outputs
from infra.queues import Queues
from infra.recognition import Recognition
from infra.schedules import Schedules
from infra.sealing_key import SealingKey
from infra.settings import Environment
from infra.storage import Storage
from infra.user_pool import UserPool


class EnvironmentStack(cdk.Stack):
    """Everything of one environment. No resource has a name of its own where the service can give it one."""

    def __init__(self, scope: Construct, *, environment: Environment, built: BuiltLayers) -> None:
        """Raises InfrastructureError where the environment cannot be deployed as it is written."""
        super().__init__(
            scope,
            environment.stack_name,
            description=f"docshelf {environment.name}: documents that coding clients search over MCP",
            env=cdk.Environment(
                account=environment.account or os.environ.get("CDK_DEFAULT_ACCOUNT"), region=environment.region
            ),
            tags={"docshelf:environment": environment.name},
            termination_protection=environment.retain_data,
        )
        self.storage = Storage(self, "Storage", environment=environment)
        self.queues = Queues(self, "Queues", environment=environment, documents=self.storage.documents)
        self.front_door = FrontDoor(self, "FrontDoor", environment=environment)
        self.user_pool = UserPool(self, "UserPool", environment=environment, url=self.front_door.url)
        self.functions = self._functions(environment, built)
        self.front_door.serve(search=self.functions.search.alias, signin=self.functions.signin.alias)
        Schedules(self, "Schedules", environment=environment, commit=self.queues.commit)
        alarm_topic = self._watch(environment)
        add_outputs(self, self._told(alarm_topic))
        bound_emptying(self, environment)
        acknowledge_storage(self.storage)
        acknowledge_functions(self.functions, self.storage, environment)

    def _functions(self, environment: Environment, built: BuiltLayers) -> Functions:
        sealing_key = SealingKey(self, "SealingKey", environment=environment)
        return Functions(
            self,
            "Functions",
            environment=environment,
            storage=self.storage,
            queues=self.queues,
            recognition=Recognition(self, "Recognition", told=self.queues.ingest) if environment.recognises else None,
            layers=FunctionLayers(self, "Layers", environment=environment, built=built),
            identity=Identity(
                url=self.front_door.url,
                issuer=self.user_pool.issuer,
                domain_url=self.user_pool.domain_url,
                client_id=self.user_pool.client_id,
                client_ids=self.user_pool.client_ids,
                sealing_key_arn=sealing_key.secret.secret_arn,
            ),
            sealing_key=sealing_key.secret,
        )

    def _watch(self, environment: Environment) -> sns.ITopic | None:
        """Alarms, dashboard and budget, as far as they are wanted; the topic that alarms go to."""
        functions, queues, front_door = self.functions, self.queues, self.front_door
        if environment.alarms.dashboard:
            Dashboard(
                self, "Dashboard", environment=environment, functions=functions, queues=queues, front_door=front_door
            )
        if environment.budget is not None:
            Budget(self, "Budget", environment=environment)
        if not environment.alarms.enabled:
            return None
        alarms = Alarms(
            self, "Alarms", environment=environment, functions=functions, queues=queues, front_door=front_door
        )
        return alarms.topic

    def _told(self, alarm_topic: sns.ITopic | None) -> dict[str, str]:
        """The outputs."""
        topic = {} if alarm_topic is None else {"AlarmTopic": alarm_topic.topic_arn}
        return {
            "Region": self.region,
            "McpUrl": self.front_door.url,
            "DocumentsBucket": self.storage.documents.bucket_name,
            "IndexAddress": self.storage.index_address,
            "IngestQueueUrl": self.queues.ingest.queue_url,
            "IngestDeadLettersUrl": self.queues.ingest_dead_letters.queue_url,
            "CommitQueueUrl": self.queues.commit.queue_url,
            "UserPoolId": self.user_pool.pool.user_pool_id,
            "CognitoUrl": self.user_pool.domain_url,
            "MachineClientIds": self.to_json_string(dict(self.user_pool.machine_client_ids)),
            **topic,
        }
