"""What goes wrong with the layers."""

from __future__ import annotations

from infra.errors import InfrastructureError


class LayerError(InfrastructureError):
    """A layer cannot be built; the sentence says why and what to do."""


class LayerArgumentError(LayerError):
    """An argument cannot be used; the sentence names it."""

    of_usage = True


class LayersMissingError(LayerError):
    """A layer was not built yet, or not from what the repository holds now; the sentence has the command."""


class LayersTooLargeError(LayerError):
    """A function would be larger than Lambda takes."""
