"""What ends a build, a synthesis or a deployment: one sentence for the person."""

from __future__ import annotations


class InfrastructureError(Exception):
    """Something that a person must act on; the message says what happened and what to do."""


class EnvironmentFileError(InfrastructureError):
    """A file in `environments/` cannot be used; the message names the setting."""
