"""Graphs of every shape that exporters make, as networks of a few numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from docshelf.embedding.onnx_model import OnnxModel
from docshelf.embedding.profiles import Pooling
from docshelf.errors import ModelUnavailableError
from tests.unit.embedding.tiny_graph import graph

TABLE = [[3.0, 4.0], [0.0, 2.0], [0.0, 0.0], [float("nan"), 1.0]]
ALL_INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


def load(tmp_path: Path, content: bytes, pooling: Pooling) -> OnnxModel:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    return OnnxModel(path, pooling)


@pytest.mark.parametrize("inputs", [ALL_INPUTS, ALL_INPUTS[:2], ALL_INPUTS[:1]])
def test_only_the_inputs_that_the_graph_declares_are_fed(inputs: list[str], tmp_path: Path) -> None:
    model = load(tmp_path, graph(TABLE, inputs, "last_hidden_state"), "cls")
    np.testing.assert_allclose(model.embed([0, 1]), [0.6, 0.8], rtol=1e-6)


@pytest.mark.parametrize("output", ["last_hidden_state", "token_embeddings", "output_0"])
def test_rows_of_tokens_are_pooled_as_the_profile_says(output: str, tmp_path: Path) -> None:
    content = graph(TABLE, ALL_INPUTS, output)
    first = load(tmp_path, content, "cls").embed([0, 1])
    mean = load(tmp_path, content, "mean").embed([0, 1])
    np.testing.assert_allclose(first, [0.6, 0.8], rtol=1e-6)
    np.testing.assert_allclose(mean, np.array([1.5, 3.0]) / np.hypot(1.5, 3.0), rtol=1e-6)


def test_a_graph_that_pools_inside_is_taken_as_it_is(tmp_path: Path) -> None:
    model = load(tmp_path, graph(TABLE, ALL_INPUTS, "sentence_embedding", pooled=True), "cls")
    vector = model.embed([0, 1])
    np.testing.assert_allclose(vector, np.array([1.5, 3.0]) / np.hypot(1.5, 3.0), rtol=1e-6)
    assert vector.dtype == np.float32


@pytest.mark.parametrize("token", [2, 3])
def test_a_vector_without_a_direction_is_an_error(token: int, tmp_path: Path) -> None:
    model = load(tmp_path, graph(TABLE, ALL_INPUTS, "last_hidden_state"), "cls")
    with pytest.raises(ModelUnavailableError, match="not numbers or zero"):
        model.embed([token])


def test_a_graph_that_takes_something_else_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="it takes pixels instead"):
        load(tmp_path, graph(TABLE, ["pixels"], "last_hidden_state"), "cls")
