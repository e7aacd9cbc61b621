"""Settings of an environment: typed, validated, read from `environments/NAME.toml`."""

from infra.settings.environment import Environment
from infra.settings.reading import DIRECTORY, environment_names, read_environment

__all__ = ["DIRECTORY", "Environment", "environment_names", "read_environment"]
