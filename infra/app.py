"""The CDK app: `cdk synth` and `cdk deploy` run it, from this directory.

Context: `environment` is the one environment that is made (all of them without it), `environments` the directory that
their files are in (default: beside this file), `layers` the directory that the layers were built into (default: as
scripts/build_layers has it, one for each architecture).
"""

from __future__ import annotations

import sys
from pathlib import Path

import aws_cdk as cdk
import cdk_nag

from infra.command_line import INTERRUPTED
from infra.errors import InfrastructureError
from infra.layers.built import BuiltLayers
from infra.layers.places import OUTPUT
from infra.settings import DIRECTORY, Environment, environment_names, read_environment
from infra.stack import EnvironmentStack

_AGAINST_RULES = "ValidationFailed"


def make_app() -> cdk.App:
    """The app of what the context asks for, checked by cdk-nag when it is synthesized.

    Raises:
        InfrastructureError: a file or a layer cannot be used.
    """
    app = cdk.App(analytics_reporting=False)
    cdk.Validations.of(app).add_plugins(cdk_nag.AwsSolutionsChecks(app))
    for environment in _environments(app):
        EnvironmentStack(app, environment=environment, built=_built(app, environment))
    return app


def _environments(app: cdk.App) -> list[Environment]:
    directory = Path(_context(app, "environments") or DIRECTORY)
    wanted = _context(app, "environment")
    names = [wanted] if wanted else environment_names(directory)
    if not names:
        raise InfrastructureError(f"There is no environment in {directory}: write a file NAME.toml.")
    return [read_environment(name, directory) for name in names]


def _built(app: cdk.App, environment: Environment) -> BuiltLayers:
    return BuiltLayers.load(Path(_context(app, "layers") or OUTPUT / environment.architecture))


def _context(app: cdk.App, name: str) -> str | None:
    value: object = app.node.try_get_context(name)
    return value if isinstance(value, str) and value else None


def main() -> int:
    """Write the cloud assembly; 1 with a sentence where that cannot be done."""
    try:
        make_app().synth()
    except InfrastructureError as error:
        print(error, file=sys.stderr)
        return 1
    except RuntimeError as error:  # whatever the CDK raises in its own language
        if not str(error).startswith(_AGAINST_RULES):
            raise
        print("The stacks are not as the rules above want them: mend what they name, and start again.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
