"""What the description of a prepared model says of its files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeGuard

from docshelf.embedding.pinned_file import file_sha256
from docshelf.errors import ModelUnavailableError

FIELD = "prepared"
GRAPH_FILE = "model.onnx"
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Prepared:
    """The model that it was made from, and what it consists of, by name; all as hexadecimal SHA-256."""

    made_from: str
    files: dict[str, str]

    @classmethod
    def of(cls, description: Path, fields: dict[str, object]) -> Self | None:
        """What the fields of a description say; None where its model is not a prepared one.

        Raises:
            ModelUnavailableError: the description is wrong.
        """
        value = fields.get(FIELD)
        if value is None:
            return None
        found = value if isinstance(value, dict) else {}
        made_from, files = found.get("made_from"), found.get("files")
        if _is_sha256(made_from) and _are_files(files):
            return cls(made_from, files)
        raise ModelUnavailableError(f"{description} does not say what its model was made from: prepare it anew.")

    def field(self) -> dict[str, object]:
        """The value of `FIELD` in a description."""
        return {"made_from": self.made_from, "files": self.files}

    def checked_sha256(self, directory: Path) -> str:
        """The hash of the model that it was made from, if `directory` holds what was made.

        Raises:
            ModelUnavailableError: a file is missing or another one.
            OSError: a file cannot be read.
        """
        for name, sha256 in self.files.items():
            path = directory / name
            if not path.is_file() or file_sha256(path) != sha256:
                raise ModelUnavailableError(f"{path} is not the file that was prepared: prepare the model anew.")
        return self.made_from


def _is_sha256(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _are_files(value: object) -> TypeGuard[dict[str, str]]:
    return isinstance(value, dict) and GRAPH_FILE in value and all(map(_is_sha256, value.values()))
