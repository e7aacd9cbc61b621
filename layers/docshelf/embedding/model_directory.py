"""A person's own model: a directory with model.onnx, tokenizer.json and a description of how to use them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from docshelf.embedding.model_store import ModelFiles
from docshelf.embedding.pinned_file import file_sha256
from docshelf.embedding.prepared import Prepared
from docshelf.embedding.profiles import PROFILES, ModelProfile, Pooling
from docshelf.errors import ModelUnavailableError

DESCRIPTION_FILE = "docshelf-model.json"
_LARGEST_DESCRIPTION_BYTES = 100_000


def directory_files(directory: Path) -> ModelFiles:
    """The model in `directory`, identified by the hashes of its two files.

    How it is used is read from `docshelf-model.json` (`pooling`, `dimension`, `max_tokens`; optional `name`,
    `query_prefix`, `passage_prefix`, `languages`). Without that file the directory's name must be that of a profile.
    A prepared model is identified by the model it was made from.

    Raises:
        ModelUnavailableError: a file is missing or cannot be read, or the description is wrong; a prepared model has
            other files than it was made with.
    """
    model, tokenizer = directory / "model.onnx", directory / "tokenizer.json"
    for path in (model, tokenizer):
        if not path.is_file():
            raise ModelUnavailableError(
                f"{path} is missing: the directory of a model holds model.onnx and tokenizer.json."
            )
    description = directory / DESCRIPTION_FILE
    try:
        if not description.is_file():
            profile, prepared = _by_directory_name(directory), None
        else:
            fields = _fields(description)
            profile, prepared = _described(description, fields), Prepared.of(description, fields)
        sha256 = prepared.checked_sha256(directory) if prepared else file_sha256(model)
        return ModelFiles(profile, model, tokenizer, sha256, file_sha256(tokenizer))
    except OSError as error:
        raise ModelUnavailableError(
            f"The model in {directory} cannot be read ({error.strerror or error}): check its permissions."
        ) from error


def _by_directory_name(directory: Path) -> ModelProfile:
    known = PROFILES.get(directory.resolve().name)
    if known is None:
        raise ModelUnavailableError(
            f"{directory} does not say how its model is used: put a {DESCRIPTION_FILE} beside it, such as "
            '{"pooling": "cls", "dimension": 384, "max_tokens": 512, "query_prefix": ""}.'
        )
    return replace(known, files=(), repository="", revision="")


def _fields(path: Path) -> dict[str, object]:
    if path.stat().st_size > _LARGEST_DESCRIPTION_BYTES:
        raise ModelUnavailableError(f"{path} is too large to be the description of a model.")
    try:
        content: object = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ModelUnavailableError(f"{path} is not JSON in UTF-8: correct it.") from error
    return content if isinstance(content, dict) else {}


def _described(path: Path, fields: dict[str, object]) -> ModelProfile:
    return ModelProfile(
        name=_text(path, fields, "name", path.parent.resolve().name),
        pooling=_pooling(path, fields),
        dimension=_number(path, fields, "dimension"),
        max_tokens=_number(path, fields, "max_tokens"),
        query_prefix=_text(path, fields, "query_prefix", ""),
        passage_prefix=_text(path, fields, "passage_prefix", ""),
        languages=_languages(path, fields),
    )


def _pooling(path: Path, fields: dict[str, object]) -> Pooling:
    value = fields.get("pooling")
    if value == "cls":
        return "cls"
    if value == "mean":
        return "mean"
    raise ModelUnavailableError(f'{path} must give "pooling" as "cls" or "mean".')


def _text(path: Path, fields: dict[str, object], key: str, default: str) -> str:
    value = fields.get(key, default)
    if not isinstance(value, str):
        raise ModelUnavailableError(f'{path} must give "{key}" as a string.')
    return value


def _number(path: Path, fields: dict[str, object], key: str) -> int:
    value = fields.get(key)
    # The least that any model takes: two special tokens and something between them.
    if not isinstance(value, int) or isinstance(value, bool) or not 3 <= value <= 100_000:
        raise ModelUnavailableError(f'{path} must give "{key}" as a whole number from 3 to 100000.')
    return value


def _languages(path: Path, fields: dict[str, object]) -> tuple[str, ...]:
    value = fields.get("languages", ["en"])
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        raise ModelUnavailableError(f'{path} must give "languages" as a list such as ["en"], or ["*"] for many.')
    return tuple(value)
