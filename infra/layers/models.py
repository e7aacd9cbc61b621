"""The model that a layer holds: one that docshelf knows, by its pins, or a person's own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from docshelf.embedding.model_files import ResolvedModel, resolve_model
from docshelf.embedding.model_store import ModelFiles
from docshelf.embedding.pinned_file import file_sha256
from docshelf.embedding.profiles import DEFAULT_PROFILE, PROFILES, ModelProfile, profile_named
from docshelf.errors import DocshelfError, InvalidArgumentError
from infra.layers.built import DIRECTORY_MODEL
from infra.layers.errors import LayerArgumentError, LayerError
from infra.layers.inputs import profile_input


@dataclass(frozen=True, slots=True)
class WantedModel:
    """The model to prepare; `files` is called for it only where its layer must be built, and raises LayerError."""

    name: str
    source: str
    """What it is made from, as an input of the layer."""
    files: Callable[[], ResolvedModel]


def wanted_model(name: str | None, directory: Path | None) -> WantedModel:
    """The model called `name` (by default, docshelf's own choice), fetched or from `directory`.

    Where `name` is one that docshelf knows, the directory stands for the download: it must hold the pinned files.
    Otherwise it holds a model of a person's own, which says itself how it is used, and its name.

    Raises:
        LayerArgumentError: there is no such model.
        LayerError: the directory holds another one, or none.
    """
    if directory is None or name in PROFILES:
        profile = _profile(name or DEFAULT_PROFILE.name)
        if directory is None:
            return WantedModel(profile.name, profile_input(profile), lambda: _fetched(profile.name))
        pinned = _pinned(profile, directory)
        return WantedModel(profile.name, profile_input(profile), lambda: pinned)
    try:
        found = resolve_model(str(directory.resolve()))
    except DocshelfError as error:
        raise LayerError(error.sentence) from error
    if name not in (None, found.profile.name):
        raise LayerArgumentError(
            f"--model is {name}, but the model in {directory} is called {found.profile.name}: leave --model out, or "
            "give it that name in its docshelf-model.json."
        )
    identity = f"{found.profile} {found.files.sha256} {found.files.tokenizer_sha256}"
    source = DIRECTORY_MODEL + hashlib.sha256(identity.encode()).hexdigest()
    return WantedModel(found.profile.name, source, lambda: found)


def _profile(name: str) -> ModelProfile:
    try:
        return profile_named(name)
    except InvalidArgumentError as error:
        known = ", ".join(PROFILES)
        raise LayerArgumentError(
            f"There is no model {name!r}: use one of {known}, or name the directory of your own by --model-dir."
        ) from error


def _fetched(name: str) -> ResolvedModel:
    try:
        return resolve_model(name)
    except DocshelfError as error:
        raise LayerError(
            f"{error.sentence} On a machine without a way to the hub, name a directory with its files by --model-dir."
        ) from error


def _pinned(profile: ModelProfile, directory: Path) -> ResolvedModel:
    paths = {}
    for file in profile.files:
        path = directory / file.name
        wanted = f"{file.path} of {profile.repository or file.package} {profile.revision}".rstrip()
        try:
            found = file_sha256(path)
        except OSError as error:
            raise LayerError(f"{path} cannot be read ({error.strerror}): put {wanted} there.") from error
        if found != file.sha256:
            raise LayerError(f"{path} is not the pinned file of {profile.name}: put {wanted} there.")
        paths[file.role] = path, file.sha256
    (model, model_sha256), (tokenizer, tokenizer_sha256) = paths["model"], paths["tokenizer"]
    files = ModelFiles(profile, model, tokenizer, model_sha256, tokenizer_sha256)
    return ResolvedModel(files, f"Using the model {profile.name} from {directory}.")
