"""`layers.json`: what was built into a directory, and what it was built from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from infra.layers.errors import LayersMissingError
from infra.layers.places import MANIFEST, Architecture

FORMAT = 1


class Layer(BaseModel):
    """One built layer. Sizes are in bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    sha256: str
    """Of the zip file."""
    content: str
    """Of the names and bytes of the files in it, however they are compressed."""
    zipped: int
    unzipped: int
    inputs: Mapping[str, str]
    """A digest, or the value itself, of each thing that the layer is made from."""
    largest: Mapping[str, int]
    """The largest packages and what they take."""
    unpacked: Mapping[str, int] = {}
    """Bytes that each function unpacks into its temporary directory when it has imported everything."""


class Manifest(BaseModel):
    """Everything in one directory."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int
    architecture: Architecture
    python: str
    layers: Mapping[str, Layer]

    @classmethod
    def read(cls, directory: Path) -> Self | None:
        """The manifest of `directory`; None where there is none, or one of another version of the builder.

        Raises:
            LayersMissingError: it cannot be read.
        """
        path = directory / MANIFEST
        try:
            made = cls.model_validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        except OSError as error:
            raise LayersMissingError(f"{path} cannot be read ({error.strerror}): delete {directory}.") from error
        return made if made.format == FORMAT else None

    def with_layer(self, name: str, layer: Layer) -> Manifest:
        """The same with one layer more, or another one of that name."""
        return self.model_copy(update={"layers": {**self.layers, name: layer}})

    def write(self, directory: Path) -> None:
        """Replace the manifest of `directory` in one step. Raises OSError."""
        new = directory / f"{MANIFEST}.new"
        new.write_text(self.model_dump_json(indent=2) + "\n", "utf-8")
        new.replace(directory / MANIFEST)
