"""The layers as AWS Lambda knows them: one of the dependencies, one of docshelf, one of the model."""

from __future__ import annotations

from pathlib import Path

from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.errors import InfrastructureError
from infra.function_parts import RUNTIME, architecture
from infra.layers.built import BuiltLayers
from infra.layers.places import build_command
from infra.settings import Environment


class FunctionLayers(Construct):
    """What was built, for functions that embed (`with_model`) and for those that do not (`without_model`)."""

    def __init__(self, scope: Construct, construct_id: str, *, environment: Environment, built: BuiltLayers) -> None:
        """Raises InfrastructureError where the environment's model, architecture or Python was not built."""
        super().__init__(scope, construct_id)
        wanted = (environment.architecture, RUNTIME.name.removeprefix("python"))
        if (built.architecture, built.python) != wanted:
            raise InfrastructureError(
                f"The layers in {built.directory} are for {built.architecture} and Python {built.python}, and the "
                f"environment {environment.name} needs {wanted[0]} and Python {wanted[1]}: run "
                f"{build_command(environment.architecture, environment.model, wanted[1])} to build them."
            )
        self._environment = environment
        docshelf = self._layer("Docshelf", built.docshelf)
        dependencies = self._layer("Dependencies", built.dependencies)
        model = self._layer("Model", built.model(environment.model))
        self.without_model = [docshelf, dependencies]
        self.with_model = [docshelf, dependencies, model]

    def _layer(self, name: str, path: Path) -> lambda_.LayerVersion:
        return lambda_.LayerVersion(
            self,
            name,
            description=f"docshelf {self._environment.name}: {name.lower()}",
            code=lambda_.Code.from_asset(str(path)),
            compatible_runtimes=[RUNTIME],
            compatible_architectures=[architecture(self._environment)],
        )
