"""Choosing a model and finding its files."""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from docshelf.embedding import model_files, model_store
from docshelf.embedding.model_files import ResolvedModel, resolve_model
from docshelf.embedding.profiles import DEFAULT_PROFILE, PROFILES, ModelFile, ModelProfile
from docshelf.errors import InvalidArgumentError, ModelUnavailableError, SettingsError
from tests.unit.embedding.hub import serving, status, whole

MODEL = b"made-up weights"
TOKENIZER = b'{"made": "up"}'


def _file(role: str, content: bytes) -> ModelFile:
    sha256 = hashlib.sha256(content).hexdigest()
    if role == "model":
        return ModelFile("model", "onnx/model_quantized.onnx", len(content), sha256)
    return ModelFile("tokenizer", "tokenizer.json", len(content), sha256)


@pytest.fixture
def small_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModelProfile:
    """The default profile with two tiny files in place of the real ones, an empty cache, and the network allowed."""
    profile = replace(DEFAULT_PROFILE, files=(_file("tokenizer", TOKENIZER), _file("model", MODEL)))
    monkeypatch.setitem(PROFILES, profile.name, profile)
    monkeypatch.setattr(model_files, "DEFAULT_PROFILE", profile)
    monkeypatch.setenv("DOCSHELF_MODEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("DOCSHELF_OFFLINE")
    return profile


@pytest.fixture
def closed_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub at an address where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as unused:
        monkeypatch.setenv("DOCSHELF_MODEL_HUB", f"http://127.0.0.1:{unused.getsockname()[1]}")


def fill_cache(profile: ModelProfile, tmp_path: Path, model: bytes = MODEL) -> Path:
    directory = tmp_path / "cache" / profile.name
    directory.mkdir(parents=True)
    (directory / "model.onnx").write_bytes(model)
    (directory / "tokenizer.json").write_bytes(TOKENIZER)
    return directory


def model_directory(packaged: ResolvedModel, directory: Path, description: object = None) -> Path:
    """The packaged model's files in a directory of a person's own."""
    directory.mkdir()
    (directory / "model.onnx").symlink_to(packaged.files.model_path)
    (directory / "tokenizer.json").symlink_to(packaged.files.tokenizer_path)
    if description is not None:
        (directory / "docshelf-model.json").write_text(json.dumps(description), "utf-8")
    return directory


def test_the_packaged_model_is_found_and_verified_without_any_network() -> None:
    found = resolve_model("all-minilm-l6-v2")
    assert found.profile.name == "all-minilm-l6-v2"
    assert found.files.model_path.stat().st_size == 22_928_619
    assert found.files.sha256 == hashlib.sha256(found.files.model_path.read_bytes()).hexdigest()
    assert found.files.tokenizer_sha256 == hashlib.sha256(found.files.tokenizer_path.read_bytes()).hexdigest()
    assert "all-minilm-l6-v2" in found.note


def test_auto_offline_uses_the_packaged_model_and_says_why(tmp_path: Path) -> None:
    found = resolve_model(cache=tmp_path, offline=True)
    assert found.profile.name == "all-minilm-l6-v2"
    assert "bge-small-en-v1.5" in found.note
    assert "DOCSHELF_OFFLINE" in found.note


@pytest.mark.usefixtures("small_default", "closed_hub")
def test_auto_without_a_hub_uses_the_packaged_model_and_says_why() -> None:
    found = resolve_model()
    assert found.profile.name == "all-minilm-l6-v2"
    assert "the model hub cannot be reached" in found.note


@pytest.mark.usefixtures("small_default")
def test_auto_with_a_hub_that_lacks_the_file_uses_the_packaged_model(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(status(404)) as hub:
        monkeypatch.setenv("DOCSHELF_MODEL_HUB", hub.address)
        found = resolve_model()
    assert found.profile.name == "all-minilm-l6-v2"
    assert "status 404" in found.note


def test_auto_fetches_the_default_once_and_needs_no_network_after_that(
    small_default: ModelProfile, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[tuple[int, int]] = []
    with serving(whole(TOKENIZER), whole(MODEL)) as hub:
        monkeypatch.setenv("DOCSHELF_MODEL_HUB", hub.address + "/")
        first = resolve_model(progress=lambda done, total: seen.append((done, total)))
    revision = f"/{small_default.repository}/resolve/{small_default.revision}"
    assert hub.requests == [(f"{revision}/tokenizer.json", None), (f"{revision}/onnx/model_quantized.onnx", None)]
    assert first.files.model_path == tmp_path / "cache" / small_default.name / "model.onnx"
    assert "fetched" in first.note
    assert seen[0] == (0, small_default.size)
    assert seen[-1] == (small_default.size, small_default.size)
    assert seen == sorted(seen)
    again = resolve_model(offline=True)
    assert again.files == first.files
    assert len(hub.requests) == 2


def test_a_cached_file_with_other_bytes_is_not_used(small_default: ModelProfile, tmp_path: Path) -> None:
    fill_cache(small_default, tmp_path, model=b"x" * len(MODEL))
    with pytest.raises(ModelUnavailableError, match="network is switched off"):
        resolve_model(small_default.name, offline=True)


def test_a_cached_file_with_other_bytes_is_fetched_anew(
    small_default: ModelProfile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_cache(small_default, tmp_path, model=b"x" * len(MODEL))
    with serving(whole(MODEL)) as hub:
        monkeypatch.setenv("DOCSHELF_MODEL_HUB", hub.address)
        found = resolve_model(small_default.name)
    assert found.files.model_path.read_bytes() == MODEL
    assert len(hub.requests) == 1


@pytest.mark.usefixtures("small_default")
def test_a_model_chosen_by_name_is_never_replaced_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(status(404)) as hub:
        monkeypatch.setenv("DOCSHELF_MODEL_HUB", hub.address)
        with pytest.raises(ModelUnavailableError, match="status 404"):
            resolve_model(DEFAULT_PROFILE.name)


def test_auto_prefers_the_model_of_the_index(small_default: ModelProfile, tmp_path: Path) -> None:
    fill_cache(small_default, tmp_path)
    assert resolve_model(offline=True).profile.name == small_default.name
    found = resolve_model(prefer="all-minilm-l6-v2", offline=True)
    assert found.profile.name == "all-minilm-l6-v2"
    assert "the index was made with" in found.note


@pytest.mark.parametrize("prefer", ["bge-base-en-v1.5", "a-model-of-the-past", "./no/such/directory"])
def test_auto_goes_on_without_a_preferred_model_that_cannot_be_had(
    prefer: str, small_default: ModelProfile, tmp_path: Path
) -> None:
    fill_cache(small_default, tmp_path)
    assert resolve_model(prefer=prefer, offline=True).profile.name == small_default.name


def test_auto_prefers_a_directory_that_the_index_was_made_with(packaged_model: ResolvedModel, tmp_path: Path) -> None:
    directory = model_directory(packaged_model, tmp_path / "all-minilm-l6-v2")
    found = resolve_model(prefer=str(directory), offline=True)
    assert found.files.model_path == directory / "model.onnx"


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="no model 'nonsense'"):
        resolve_model("nonsense")


def test_a_directory_with_a_description_is_a_model(packaged_model: ResolvedModel, tmp_path: Path) -> None:
    description = {
        "pooling": "mean",
        "dimension": 384,
        "max_tokens": 128,
        "query_prefix": "ask: ",
        "passage_prefix": "text: ",
        "languages": ["*"],
    }
    found = resolve_model(str(model_directory(packaged_model, tmp_path / "own", description)))
    assert found.profile == ModelProfile(
        name="own",
        pooling="mean",
        dimension=384,
        max_tokens=128,
        query_prefix="ask: ",
        passage_prefix="text: ",
        languages=("*",),
    )
    assert found.files.sha256 == packaged_model.files.sha256
    assert "own" in found.note


def test_a_description_with_only_what_must_be_there_is_enough(packaged_model: ResolvedModel, tmp_path: Path) -> None:
    description = {"pooling": "cls", "dimension": 384, "max_tokens": 128, "name": "mine"}
    found = resolve_model(str(model_directory(packaged_model, tmp_path / "own", description)))
    assert (found.profile.name, found.profile.pooling, found.profile.languages) == ("mine", "cls", ("en",))


def test_a_directory_named_like_a_profile_needs_no_description(packaged_model: ResolvedModel, tmp_path: Path) -> None:
    found = resolve_model(str(model_directory(packaged_model, tmp_path / "all-minilm-l6-v2")))
    assert found.profile.pooling == "mean"
    assert found.profile.files == ()


@pytest.mark.parametrize(
    ("description", "complaint"),
    [
        (None, "docshelf-model.json"),
        ([], '"pooling"'),
        ({"pooling": "max", "dimension": 384, "max_tokens": 128}, '"pooling"'),
        ({"pooling": "cls", "max_tokens": 128}, '"dimension"'),
        ({"pooling": "cls", "dimension": True, "max_tokens": 128}, '"dimension"'),
        ({"pooling": "cls", "dimension": 384, "max_tokens": 2}, '"max_tokens"'),
        ({"pooling": "cls", "dimension": 384, "max_tokens": 128, "query_prefix": 1}, '"query_prefix"'),
        ({"pooling": "cls", "dimension": 384, "max_tokens": 128, "languages": []}, '"languages"'),
        ({"pooling": "cls", "dimension": 384, "max_tokens": 128, "languages": [1]}, '"languages"'),
        ({"pooling": "cls", "name": "x" * 200_000}, "too large"),
    ],
)
def test_a_wrong_description_is_told_by_file_and_field(
    description: object, complaint: str, packaged_model: ResolvedModel, tmp_path: Path
) -> None:
    directory = model_directory(packaged_model, tmp_path / "own", description)
    with pytest.raises(ModelUnavailableError) as caught:
        resolve_model(str(directory))
    assert complaint in caught.value.sentence
    assert "own" in caught.value.sentence


def test_a_description_that_is_not_json_is_told(packaged_model: ResolvedModel, tmp_path: Path) -> None:
    directory = model_directory(packaged_model, tmp_path / "own")
    (directory / "docshelf-model.json").write_bytes(b"\xff{")
    with pytest.raises(ModelUnavailableError, match="not JSON"):
        resolve_model(str(directory))


def test_a_directory_without_the_two_files_is_told_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match=r"model\.onnx is missing"):
        resolve_model(str(tmp_path))


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    packaged = PROFILES["all-minilm-l6-v2"]
    missing = tuple(replace(file, package="no_such_package_here") for file in packaged.files)
    monkeypatch.setitem(PROFILES, packaged.name, replace(packaged, files=missing))
    with pytest.raises(ModelUnavailableError, match="no_such_package_here"):
        resolve_model(packaged.name)


def test_a_packaged_file_with_another_hash_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    packaged = PROFILES["all-minilm-l6-v2"]
    other = tuple(replace(file, sha256="0" * 64) for file in packaged.files)
    monkeypatch.setitem(PROFILES, packaged.name, replace(packaged, files=other))
    with pytest.raises(ModelUnavailableError, match="not the pinned file"):
        resolve_model(packaged.name)


@pytest.mark.usefixtures("small_default")
def test_a_wrong_address_of_the_hub_is_a_settings_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCSHELF_MODEL_HUB", "ftp://models.example")
    with pytest.raises(SettingsError, match="DOCSHELF_MODEL_HUB"):
        resolve_model()


def test_the_cache_is_where_the_settings_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCSHELF_MODEL_CACHE", str(tmp_path))
    assert model_store.model_cache() == tmp_path
    monkeypatch.delenv("DOCSHELF_MODEL_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert model_store.model_cache() == tmp_path / "xdg" / "docshelf" / "models"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.platform", "linux")
    assert model_store.model_cache() == tmp_path / "home" / ".cache" / "docshelf" / "models"
    monkeypatch.setattr("sys.platform", "darwin")
    assert model_store.model_cache() == tmp_path / "home" / "Library" / "Caches" / "docshelf" / "models"


@pytest.mark.parametrize(("text", "offline"), [("1", True), ("true", True), ("0", False), ("", False), ("no", False)])
def test_offline_is_read_from_the_environment(text: str, offline: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCSHELF_OFFLINE", text)
    assert model_store.is_offline() is offline


def test_a_file_that_vanishes_from_the_cache_is_only_missing(small_default: ModelProfile, tmp_path: Path) -> None:
    shutil.rmtree(fill_cache(small_default, tmp_path))
    assert model_store.cached_files(small_default, tmp_path / "cache") is None


def test_offline_is_yes_or_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCSHELF_OFFLINE", "banana")
    with pytest.raises(SettingsError, match="DOCSHELF_OFFLINE must be 1 or 0"):
        model_store.is_offline()
