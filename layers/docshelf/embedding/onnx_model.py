"""The model's network in onnxruntime; the only module that touches it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as onnx_errors

from docshelf.embedding.profiles import Pooling
from docshelf.errors import ModelUnavailableError

_LOAD_ERRORS = (
    onnx_errors.Fail,
    onnx_errors.InvalidArgument,
    onnx_errors.InvalidGraph,
    onnx_errors.InvalidProtobuf,
    onnx_errors.NoModel,
    onnx_errors.NoSuchFile,
    onnx_errors.NotImplemented,
    onnx_errors.RuntimeException,
)
_KNOWN_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
# By preference: a graph that pools inside, then the usual names of the last layer.
_OUTPUTS = ("sentence_embedding", "last_hidden_state", "token_embeddings")
_FATAL_ONLY = 4
WEIGHTS_FILE = "model.weights"
_SMALLEST_WEIGHTS_BYTES = 1_024


def _session_options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    # One text on one thread is the fastest a chunk can be had; more cores are used by more texts at once.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The arena keeps the largest input's memory for good, for nothing at batch 1.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = _FATAL_ONLY
    return options


def save_optimised(path: Path, saved: Path) -> None:
    """Write the graph at `path` to `saved` as this module would run it, and its weights beside it as `WEIGHTS_FILE`.

    What holds on one kind of processor only is left to loading. Raises ModelUnavailableError where it cannot be loaded.
    """
    options = _session_options()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(saved)
    options.add_session_config_entry("session.optimized_model_external_initializers_file_name", WEIGHTS_FILE)
    options.add_session_config_entry(
        "session.optimized_model_external_initializers_min_size_in_bytes", str(_SMALLEST_WEIGHTS_BYTES)
    )
    _loaded(path, options)


def _loaded(path: Path, options: onnxruntime.SessionOptions) -> onnxruntime.InferenceSession:
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except _LOAD_ERRORS as error:
        raise ModelUnavailableError(
            f"{path} is not a model that onnxruntime can load: replace it by the ONNX file of the model."
        ) from error


class OnnxModel:
    """Token ids in, one unit vector out. Any number of threads may call it at once."""

    def __init__(self, path: Path, pooling: Pooling) -> None:
        """Load the graph. Raises ModelUnavailableError where the file is no such graph or cannot be read."""
        self._pooling = pooling
        session = _loaded(path, _session_options())
        self._session = session
        self._inputs = {item.name for item in session.get_inputs()}
        outputs = [item.name for item in session.get_outputs()]
        if "input_ids" not in self._inputs or not self._inputs <= _KNOWN_INPUTS:
            raise ModelUnavailableError(
                f"{path} is no text embedding model: it takes {', '.join(sorted(self._inputs))} instead of token ids."
            )
        self._output = next((name for name in _OUTPUTS if name in outputs), outputs[0])

    def embed(self, ids: list[int]) -> npt.NDArray[np.float32]:
        """The L2-normalised vector (float32, one dimension) of one text's token ids, special tokens included.

        Raises:
            ModelUnavailableError: the model gives no usable vector.
        """
        tokens = np.asarray([ids], dtype=np.int64)
        feeds = {"input_ids": tokens}
        if "attention_mask" in self._inputs:
            feeds["attention_mask"] = np.ones_like(tokens)
        if "token_type_ids" in self._inputs:
            feeds["token_type_ids"] = np.zeros_like(tokens)
        try:
            output = np.asarray(self._session.run([self._output], feeds)[0], dtype=np.float32)
        except _LOAD_ERRORS as error:
            raise ModelUnavailableError("The model cannot embed a text: its files do not fit together.") from error
        return _unit(self._pool(output[0]))

    def _pool(self, output: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        if output.ndim == 1:
            return output
        # Batch 1 has no padding, so the mean needs no mask.
        pooled = output[0] if self._pooling == "cls" else output.mean(axis=0)
        return np.asarray(pooled, dtype=np.float32)


def _unit(vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0.0:
        raise ModelUnavailableError("The model gives vectors that are not numbers or zero: choose another model.")
    return np.asarray(vector / np.float32(length), dtype=np.float32)
