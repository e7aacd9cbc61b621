"""Where the files of a model lie: the cache of fetched models, and installed packages."""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from docshelf.embedding.pinned_file import Download, Patience, Progress, file_sha256
from docshelf.embedding.profiles import ModelFile, ModelProfile, Role
from docshelf.errors import ModelUnavailableError, SettingsError
from docshelf.switches import switched_on

_DEFAULT_HUB = "https://huggingface.co"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model that can be loaded: verified files and how to use them. The hashes are hexadecimal SHA-256."""

    profile: ModelProfile
    model_path: Path
    tokenizer_path: Path
    sha256: str
    tokenizer_sha256: str


def model_hub() -> str:
    """The address that models are fetched from, without a slash at its end (`DOCSHELF_MODEL_HUB`).

    Raises:
        SettingsError: the setting is no HTTP address.
    """
    hub = os.environ.get("DOCSHELF_MODEL_HUB", "").strip() or _DEFAULT_HUB
    if not hub.startswith(("http://", "https://")):
        raise SettingsError(f"DOCSHELF_MODEL_HUB must begin with http:// or https://, not {hub!r}.")
    return hub.rstrip("/")


def is_offline() -> bool:
    """True where `DOCSHELF_OFFLINE` forbids any use of the network.

    Raises:
        SettingsError: it is neither yes nor no.
    """
    return switched_on(os.environ, "DOCSHELF_OFFLINE", default=False)


def model_cache() -> Path:
    """The directory of fetched models: `DOCSHELF_MODEL_CACHE`, else docshelf's part of the person's cache directory."""
    chosen = os.environ.get("DOCSHELF_MODEL_CACHE", "").strip()
    if chosen:
        return Path(chosen).expanduser()
    shared = os.environ.get("XDG_CACHE_HOME", "").strip()
    if shared and Path(shared).is_absolute():
        return Path(shared) / "docshelf" / "models"
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "docshelf" / "models"
    return home / ".cache" / "docshelf" / "models"


def packaged_files(profile: ModelProfile) -> ModelFiles:
    """The files of a profile whose files come with installed packages; the packages are not imported.

    Raises:
        ModelUnavailableError: a package is not installed, or holds other bytes than the pinned ones.
    """
    return _verified(profile, {file.role: _packaged_path(file) for file in profile.files})


def cached_files(profile: ModelProfile, cache: Path) -> ModelFiles | None:
    """The files of a profile from the cache, or None where one is missing or not the pinned one."""
    paths = {file.role: cache / profile.name / file.name for file in profile.files}
    if not all(path.is_file() for path in paths.values()):
        return None
    try:
        return _verified(profile, paths)
    except ModelUnavailableError:
        return None


def fetched_files(
    profile: ModelProfile, cache: Path, progress: Progress | None = None, patience: Patience | None = None
) -> ModelFiles:
    """The files of a profile, fetched into the cache where they are not there. Progress counts all files together.

    Raises:
        ModelUnavailableError: a file cannot be had.
        SettingsError: the address of the hub is wrong.
    """
    # An HTTP client takes a tenth of a second to import, and hardly any start needs one.
    from docshelf.embedding.download import fetch, http_client

    hub = model_hub()
    before = 0
    paths: dict[Role, Path] = {}
    with http_client() as client:
        for file in profile.files:
            url = f"{hub}/{profile.repository}/resolve/{profile.revision}/{file.path}"
            paths[file.role] = cache / profile.name / file.name
            watcher = _part_of(progress, before, profile.size) if progress else None
            fetch(Download(url, paths[file.role], file.size, file.sha256), client, watcher, patience)
            before += file.size
    return _verified(profile, paths)


def _part_of(progress: Progress, before: int, total: int) -> Progress:
    return lambda done, _: progress(before + done, total)


def _packaged_path(file: ModelFile) -> Path:
    found = importlib.util.find_spec(file.package)
    for directory in (found.submodule_search_locations or ()) if found else ():
        path = Path(directory) / file.path
        if path.is_file():
            return path
    raise ModelUnavailableError(
        f"The package {file.package} with the file {file.name} of the built-in model is not installed: set docshelf up "
        "again by removing .venv and starting scripts/local."
    )


def _verified(profile: ModelProfile, paths: dict[Role, Path]) -> ModelFiles:
    """The files, each read once and compared with its pin."""
    for file in profile.files:
        path = paths[file.role]
        try:
            right = path.stat().st_size == file.size and file_sha256(path) == file.sha256
        except OSError as error:
            raise ModelUnavailableError(
                f"The model file {path} cannot be read ({error.strerror or error}): check its permissions."
            ) from error
        if not right:
            raise ModelUnavailableError(
                f"{path} is not the pinned file of {profile.name} (its size or SHA-256 differs): remove it and start "
                "again."
            )
    hashes = {file.role: file.sha256 for file in profile.files}
    return ModelFiles(profile, paths["model"], paths["tokenizer"], hashes["model"], hashes["tokenizer"])
