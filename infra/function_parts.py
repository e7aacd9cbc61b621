"""What one function is made of: its role, its log, its code and layers, and for those that answer requests an alias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.function_environment import check_size
from infra.function_rights import role_of
from infra.log_groups import log_group
from infra.settings import Environment

RUNTIME = lambda_.Runtime.PYTHON_3_13
"""The layers are built for its minor version."""

FUNCTIONS = Path(__file__).resolve().parents[1] / "functions"

ALIAS = "live"

_ARCHITECTURES = {"arm64": lambda_.Architecture.ARM_64, "x86_64": lambda_.Architecture.X86_64}


@dataclass(frozen=True, slots=True)
class Size:
    """Of a function: memory and temporary files in MiB, and how long it may take, in seconds."""

    memory_mb: int
    timeout_seconds: int
    temporary_mb: int = 512
    reserved_concurrency: int | None = None
    snap_start: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """What one function is told, may do and brings along."""

    variables: Mapping[str, str]
    rights: Sequence[iam.PolicyStatement]
    layers: Sequence[lambda_.ILayerVersion]
    size: Size


class DocshelfFunction(Construct):
    """One function of `functions/NAME`: `function`, and its `log_group`, which nobody else writes."""

    def __init__(
        self, scope: Construct, construct_id: str, *, environment: Environment, definition: Definition
    ) -> None:
        """`construct_id` is the function's name with a capital. Raises InfrastructureError for too many variables."""
        super().__init__(scope, construct_id)
        name, size = construct_id.lower(), definition.size
        check_size(name, definition.variables)
        self.log_group = log_group(self, "Log", environment)
        self.function = lambda_.Function(
            self,
            "Function",
            description=f"docshelf {environment.name}: {name}",
            runtime=RUNTIME,
            architecture=architecture(environment),
            code=lambda_.Code.from_asset(str(FUNCTIONS / name), exclude=["*", "!handler.py"]),
            handler="handler.handler",
            layers=list(definition.layers),
            role=role_of(name, self, definition.rights, self.log_group),
            log_group=self.log_group,
            logging_format=lambda_.LoggingFormat.TEXT,
            environment=dict(definition.variables),
            memory_size=size.memory_mb,
            timeout=cdk.Duration.seconds(size.timeout_seconds),
            ephemeral_storage_size=cdk.Size.mebibytes(size.temporary_mb),
            reserved_concurrent_executions=size.reserved_concurrency,
            snap_start=lambda_.SnapStartConf.ON_PUBLISHED_VERSIONS if size.snap_start else None,
        )


class ServedFunction(DocshelfFunction):
    """A function that answers requests: through `alias`, which is of the version that was published last."""

    def __init__(
        self, scope: Construct, construct_id: str, *, environment: Environment, definition: Definition
    ) -> None:
        super().__init__(scope, construct_id, environment=environment, definition=definition)
        self.alias = lambda_.Alias(self, "Alias", alias_name=ALIAS, version=self.function.current_version)


def architecture(environment: Environment) -> lambda_.Architecture:
    """The processor that the functions of `environment` run on."""
    return _ARCHITECTURES[environment.architecture]
