"""The embedder with the real packaged model."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from docshelf.embedding.embedder import Embedder, available_cores
from docshelf.embedding.model_files import ResolvedModel
from docshelf.embedding.onnx_model import OnnxModel
from docshelf.errors import ModelUnavailableError

TEXTS = [
    "A man is eating a piece of bread.",
    "The stock market fell sharply on Monday.",
    "Click 'forgot password' to recover your credential.",
    "Mix flour, sugar and eggs, then bake the cake for forty minutes. " * 8,
    "",
    "漢字 😀",
]


def changed(packaged: ResolvedModel, **changes: object) -> ResolvedModel:
    """The packaged model with another profile."""
    profile = replace(packaged.profile, **changes)  # type: ignore[arg-type]
    return replace(packaged, files=replace(packaged.files, profile=profile))


def test_what_means_the_same_lies_closer(embedder: Embedder) -> None:
    bread, market, credential, cake, *_ = embedder.embed_passages(TEXTS)
    eating = embedder.embed_query("A man is eating food")
    assert eating @ bread > 0.5 > 0.2 > eating @ market
    reset = embedder.embed_query("reset password")
    assert reset @ credential > reset @ cake


def test_vectors_are_unit_float32_rows_in_the_order_of_the_texts(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    np.testing.assert_array_equal(vectors[2], embedder.embed_passages([TEXTS[2]])[0])


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed_passages([]).shape == (0, 384)


def test_a_vector_depends_on_its_text_alone(embedder: Embedder) -> None:
    together = embedder.embed_passages(TEXTS * 3)
    alone = np.stack([embedder.embed_passages([text])[0] for text in TEXTS])
    np.testing.assert_array_equal(together, np.concatenate([alone] * 3))


def test_the_number_of_threads_changes_nothing(packaged_model: ResolvedModel, embedder: Embedder) -> None:
    with Embedder(packaged_model, threads=1) as single, Embedder(packaged_model, threads=5) as several:
        np.testing.assert_array_equal(single.embed_passages(TEXTS), embedder.embed_passages(TEXTS))
        np.testing.assert_array_equal(several.embed_passages(TEXTS), embedder.embed_passages(TEXTS))


def test_threads_default_to_the_cores_of_this_process(packaged_model: ResolvedModel) -> None:
    with Embedder(packaged_model) as made:
        assert made.threads == available_cores() >= 1


def test_a_query_does_not_wait_for_a_batch_of_passages(packaged_model: ResolvedModel) -> None:
    with Embedder(packaged_model, threads=1) as made, ThreadPoolExecutor(1) as other:
        begun, stop = threading.Event(), threading.Event()

        def endless() -> int:
            done = 0
            while not stop.is_set():
                made.embed_passages(["a passage"] * 20)
                done += 1
                begun.set()
            return done

        batches = other.submit(endless)
        assert begun.wait(30)
        for _ in range(5):
            assert made.embed_query("a question").shape == (384,)
        assert not batches.done()
        stop.set()
        assert batches.result(30) >= 1


def test_prefixes_go_before_queries_and_passages(packaged_model: ResolvedModel, embedder: Embedder) -> None:
    with Embedder(changed(packaged_model, query_prefix="query: ", passage_prefix="passage: ")) as made:
        np.testing.assert_array_equal(made.embed_query("bread"), embedder.embed_query("query: bread"))
        np.testing.assert_array_equal(made.embed_passages(["bread"]), embedder.embed_passages(["passage: bread"]))
        assert not np.array_equal(made.embed_query("bread"), embedder.embed_query("bread"))


def test_pooling_follows_the_profile(packaged_model: ResolvedModel, embedder: Embedder) -> None:
    with Embedder(changed(packaged_model, pooling="cls")) as made:
        assert not np.allclose(made.embed_query("bread"), embedder.embed_query("bread"))


def test_a_text_beyond_the_limit_is_cut_there(packaged_model: ResolvedModel) -> None:
    with Embedder(changed(packaged_model, max_tokens=16)) as made:
        short, long = made.embed_passages(["bread " * 14, "bread " * 5000])
        np.testing.assert_array_equal(short, long)


def test_a_query_of_100_kilobytes_is_answered(embedder: Embedder) -> None:
    assert np.isfinite(embedder.embed_query("q" * 100_000 + "\x00\ufffe" + "😀" * 1000)).all()


def test_the_identity_names_model_files_and_use(packaged_model: ResolvedModel, embedder: Embedder) -> None:
    identity = embedder.identity
    assert identity.name == "all-minilm-l6-v2"
    assert identity.sha256 == packaged_model.files.sha256
    assert identity.tokenizer_sha256 == packaged_model.files.tokenizer_sha256
    assert (identity.dimension, identity.pooling, identity.max_tokens) == (384, "mean", 256)
    assert (identity.query_prefix, identity.passage_prefix) == ("", "")


def test_a_closed_embedder_takes_no_more_passages(packaged_model: ResolvedModel) -> None:
    made = Embedder(packaged_model)
    made.close()
    made.close()
    with pytest.raises(RuntimeError, match="shutdown"):
        made.embed_passages(["late"])


def test_another_dimension_than_the_profiles_is_refused(packaged_model: ResolvedModel) -> None:
    with pytest.raises(ModelUnavailableError, match="384 numbers instead of 768"):
        Embedder(changed(packaged_model, dimension=768))


@pytest.mark.parametrize("content", [b"", b"not a model", b"version https://git-lfs.github.com/spec/v1\n"])
def test_a_file_that_is_no_graph_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(ModelUnavailableError, match="onnxruntime can load"):
        OnnxModel(path, "cls")


def test_a_missing_graph_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="onnxruntime can load"):
        OnnxModel(tmp_path / "model.onnx", "cls")


def test_token_ids_that_the_model_does_not_know_are_an_error_not_a_vector(packaged_model: ResolvedModel) -> None:
    model = OnnxModel(packaged_model.files.model_path, "mean")
    with pytest.raises(ModelUnavailableError, match="do not fit together"):
        model.embed([10_000_000])
