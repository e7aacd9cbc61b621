"""What ends a build, a synthesis or a deployment: one sentence for the person."""

from __future__ import annotations

from typing import ClassVar


class InfrastructureError(Exception):
    """Something that a person must act on; the message says what happened and what to do."""

    of_usage: ClassVar[bool] = False
    """Whether it is about what the person wrote, in a file or in the command."""


class EnvironmentFileError(InfrastructureError):
    """A file in `environments/` cannot be used; the message names the setting."""

    of_usage = True
