"""Choosing the model: by name, by directory, or the best one that can be had."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from docshelf.embedding.model_directory import directory_files
from docshelf.embedding.model_store import (
    ModelFiles,
    cached_files,
    fetched_files,
    is_offline,
    model_cache,
    packaged_files,
)
from docshelf.embedding.pinned_file import HubUnreachableError, Patience, Progress
from docshelf.embedding.profiles import DEFAULT_PROFILE, PACKAGED_PROFILE, PROFILES, ModelProfile, profile_named
from docshelf.errors import ModelUnavailableError

AUTO = "auto"
# Where another model can stand in, one attempt to connect is enough: a person is waiting.
_AUTO_PATIENCE = Patience(attempts=4, connections=1)


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """The model to use, and a sentence for the person that says which it is and why."""

    files: ModelFiles
    note: str

    @property
    def profile(self) -> ModelProfile:
        """How the model is used."""
        return self.files.profile


def resolve_model(
    name: str = AUTO,
    *,
    prefer: str | None = None,
    cache: Path | None = None,
    offline: bool = False,
    progress: Progress | None = None,
) -> ResolvedModel:
    """Find the model's files, fetching them where they are not here yet.

    `name` is `auto`, a profile's name, or the path of a directory that holds a model. With `auto`, `prefer` (the model
    of an existing index: a profile's name or a directory) comes first, then the default model from the cache or the
    hub, then the packaged one. `cache` overrides `DOCSHELF_MODEL_CACHE`; `offline` or `DOCSHELF_OFFLINE=1` forbids the
    network. `progress` is told the bytes of a fetch.

    Raises:
        InvalidArgumentError: there is no such model.
        ModelUnavailableError: its files are not here and cannot be fetched, or are not the pinned ones.
        SettingsError: the address of the hub is wrong.
    """
    finder = _Finder(cache or model_cache(), offline or is_offline(), progress)
    if name == AUTO:
        return finder.automatic(prefer)
    if name not in PROFILES and _looks_like_a_path(name):
        files = directory_files(Path(name).expanduser())
        return ResolvedModel(files, f"Using the model {files.profile.name} from {files.model_path.parent}.")
    return finder.named(profile_named(name), Patience())


def _looks_like_a_path(name: str) -> bool:
    return os.sep in name or name.startswith((".", "~")) or Path(name).is_dir()


@dataclass(frozen=True, slots=True)
class _Finder:
    cache: Path
    offline: bool
    progress: Progress | None

    def automatic(self, prefer: str | None) -> ResolvedModel:
        """The preferred model, else the default one, else the packaged one."""
        preferred = self._preferred(prefer) if prefer else None
        if preferred is not None:
            return preferred
        try:
            return self.named(DEFAULT_PROFILE, _AUTO_PATIENCE)
        except HubUnreachableError:
            reason = "the model hub cannot be reached"
        except ModelUnavailableError as error:
            reason = "the network is switched off (DOCSHELF_OFFLINE)" if self.offline else _as_clause(error.sentence)
        files = packaged_files(PACKAGED_PROFILE)
        return ResolvedModel(
            files,
            f"Using the built-in model {PACKAGED_PROFILE.name}, because {DEFAULT_PROFILE.name}, which finds more, is "
            f"not in {self.cache} and {reason}.",
        )

    def _preferred(self, prefer: str) -> ResolvedModel | None:
        """The model of the existing index, or None where it cannot be had."""
        try:
            if prefer in PROFILES:
                found = self.named(PROFILES[prefer], _AUTO_PATIENCE).files
            elif _looks_like_a_path(prefer):
                found = directory_files(Path(prefer).expanduser())
            else:
                return None
        except ModelUnavailableError:
            return None
        return ResolvedModel(found, f"Using the model {found.profile.name}, which the index was made with.")

    def named(self, profile: ModelProfile, patience: Patience) -> ResolvedModel:
        """Exactly this model: from its package, from the cache, or from the hub."""
        if profile.packaged:
            return ResolvedModel(packaged_files(profile), f"Using the built-in model {profile.name}.")
        files = cached_files(profile, self.cache)
        if files is not None:
            return ResolvedModel(files, f"Using the model {profile.name} from {self.cache}.")
        if self.offline:
            raise ModelUnavailableError(
                f"The model {profile.name} is not in {self.cache} and the network is switched off: start once without "
                f"DOCSHELF_OFFLINE, or use --model {PACKAGED_PROFILE.name}."
            )
        files = fetched_files(profile, self.cache, self.progress, patience)
        return ResolvedModel(files, f"Using the model {profile.name}, fetched into {self.cache}.")


def _as_clause(sentence: str) -> str:
    return sentence.rstrip(".")
