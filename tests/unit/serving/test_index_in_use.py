"""The index in use and its model, across a switch to an index that another model made."""

from __future__ import annotations

import json
import logging
import os
import queue
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from docshelf.embedding.embedder import Embedder
from docshelf.embedding.model_files import ResolvedModel, resolve_model
from docshelf.errors import (
    IndexMismatchError,
    IndexMissingError,
    IndexUnavailableError,
    InvalidArgumentError,
    ModelUnavailableError,
)
from docshelf.index.pointer import remove_generation
from docshelf.index.store import Index
from docshelf.models import identity_of
from docshelf.serving.index_in_use import MOST_WAITING, IndexInUse
from docshelf.serving.models import QueryModels

PACKAGED = "all-minilm-l6-v2"
Vector = NDArray[np.float32]


@pytest.fixture
def models() -> Iterator[QueryModels]:
    made = QueryModels(PACKAGED, "./rebuild")
    yield made
    made.close()


@pytest.fixture
def other_model(packaged_model: ResolvedModel, tmp_path: Path) -> Path:
    """A directory with the packaged model, used in another way."""
    directory = tmp_path / "other"
    directory.mkdir()
    (directory / "model.onnx").symlink_to(packaged_model.files.model_path)
    (directory / "tokenizer.json").symlink_to(packaged_model.files.tokenizer_path)
    description = {"pooling": "mean", "dimension": 384, "max_tokens": 128, "query_prefix": "Find this: "}
    (directory / "docshelf-model.json").write_text(json.dumps(description))
    return directory


def test_the_model_at_hand_is_used_however_documents_were_parsed_and_cut(
    models: QueryModels, embedder: Embedder
) -> None:
    identity = identity_of(embedder)
    found = models.of(identity)
    older = replace(identity, parser_version="0", chunker_version="0", chunk_tokens=7, passage_prefix="x")
    assert models.of(older) is found
    assert found.identity == embedder.identity


@pytest.mark.parametrize("changed", [{"model_sha256": "0" * 64}, {"dimension": 3}, {"query_prefix": "Find: "}])
def test_another_model_of_the_same_name_is_refused_with_the_command(
    models: QueryModels, embedder: Embedder, changed: dict[str, object]
) -> None:
    with pytest.raises(IndexMismatchError, match=r"\./rebuild"):
        models.of(replace(identity_of(embedder), **changed))  # type: ignore[arg-type]


def test_a_model_that_cannot_be_had_is_tried_again_each_time(models: QueryModels, embedder: Embedder) -> None:
    identity = identity_of(embedder)
    for _ in range(2):
        with pytest.raises(InvalidArgumentError):
            models.of(replace(identity, model="no-such-model"))
    with pytest.raises(ModelUnavailableError):
        models.of(replace(identity, model="multilingual-e5-small"))
    assert models.of(identity).identity == embedder.identity


def test_each_request_embeds_by_the_model_of_the_index_it_opened(
    embedder: Embedder, other_model: Path, tmp_path: Path
) -> None:
    place = tmp_path / "index"
    old = Index.create(place, identity_of(embedder))
    in_use = IndexInUse(str(place), str(other_model))
    opened, switched = threading.Event(), threading.Event()
    vectors: list[Vector] = []

    def earlier_request() -> None:
        in_use.open()
        opened.set()
        switched.wait(30)
        vectors.append(in_use.embed_query("release token"))

    thread = threading.Thread(target=earlier_request)
    thread.start()
    assert opened.wait(30)
    with Embedder(resolve_model(str(other_model))) as other:
        new = Index.create(place, identity_of(other))
        remove_generation(place, old.generation, "")
        assert in_use.open().generation == new.generation
        assert np.array_equal(in_use.embed_query("release token"), other.embed_query("release token"))
    switched.set()
    thread.join(30)
    in_use.close()
    assert np.array_equal(vectors[0], embedder.embed_query("release token"))


def test_an_index_that_is_not_there_yet_is_found_by_the_next_request(embedder: Embedder, tmp_path: Path) -> None:
    in_use = IndexInUse(str(tmp_path / "index"), PACKAGED)
    with pytest.raises(IndexMissingError):
        in_use.open()
    Index.create(tmp_path / "index", identity_of(embedder))
    assert in_use.open().state_counts() == {}
    in_use.close()


def test_while_many_requests_wait_for_the_index_one_more_is_soon_refused(embedder: Embedder, tmp_path: Path) -> None:
    Index.create(tmp_path / "index", identity_of(embedder))
    pointer = tmp_path / "index" / "current.json"
    content = pointer.read_bytes()
    pointer.unlink()
    os.mkfifo(pointer)  # whoever reads it waits for somebody who writes
    in_use = IndexInUse(str(tmp_path / "index"), PACKAGED, turn_seconds=0.1)
    outcomes: queue.SimpleQueue[object] = queue.SimpleQueue()

    def request() -> None:
        try:
            outcomes.put(in_use.open().generation)
        except IndexUnavailableError as error:
            outcomes.put(error.code)

    threads = [threading.Thread(target=request) for _ in range(MOST_WAITING + 1)]
    for thread in threads:
        thread.start()
    assert outcomes.get(timeout=30) == "index_unavailable"
    pointer.write_bytes(content)
    assert [outcomes.get(timeout=30) for _ in range(MOST_WAITING)] == ["g0001"] * MOST_WAITING
    for thread in threads:
        thread.join(30)
    assert in_use.open().generation == "g0001"
    in_use.close()


def test_the_index_is_open_and_warm_before_the_first_request(
    embedder: Embedder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Index.create(tmp_path / "index", identity_of(embedder))
    in_use = IndexInUse(str(tmp_path / "index"), PACKAGED)
    with caplog.at_level(logging.INFO):
        in_use.open_ahead(30)
    assert caplog.messages == ["The index was opened ahead."]
    assert not in_use.open().warm()
    in_use.close()


def test_what_cannot_be_opened_ahead_is_said_and_left_to_the_requests(
    embedder: Embedder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    in_use = IndexInUse(str(tmp_path / "index"), PACKAGED)
    in_use.open_ahead(30)
    assert caplog.messages == ["The index could not be opened ahead."]
    Index.create(tmp_path / "index", identity_of(embedder))
    assert in_use.open().state_counts() == {}
    in_use.close()


def test_an_index_that_does_not_answer_does_not_hold_up_the_start(embedder: Embedder, tmp_path: Path) -> None:
    Index.create(tmp_path / "index", identity_of(embedder))
    pointer = tmp_path / "index" / "current.json"
    content = pointer.read_bytes()
    pointer.unlink()
    os.mkfifo(pointer)
    in_use = IndexInUse(str(tmp_path / "index"), PACKAGED)
    in_use.open_ahead(0.01)
    pointer.write_bytes(content)
    assert in_use.open().generation == "g0001"
    in_use.close()
