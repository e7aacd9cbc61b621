"""What numbers were measured with: what they may not be compared across, and what may explain a change."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version

from docshelf.chunking import CHUNKER_VERSION
from docshelf.documents import PARSER_VERSION
from docshelf.embedding.embedder import ModelIdentity
from docshelf.errors import InvalidArgumentError
from docshelf.models import SIZES
from docshelf.search.retrieval import CANDIDATES
from scripts.quality.evaluation import PASSAGES

_PACKAGES = ("lancedb", "numpy", "onnxruntime", "tokenizers")


def settings(model: ModelIdentity) -> dict[str, object]:
    """What must be equal for two numbers to mean the same."""
    return {
        "model": model.name,
        "model_sha256": model.sha256,
        "tokenizer_sha256": model.tokenizer_sha256,
        "query_prefix": model.query_prefix,
        "passage_prefix": model.passage_prefix,
        "max_tokens": model.max_tokens,
        "passages": PASSAGES,
    }


def versions() -> dict[str, object]:
    """What may change, and the numbers with it: that is what they are compared for."""
    return {
        "chunker": CHUNKER_VERSION,
        "parser": PARSER_VERSION,
        "chunk_tokens": SIZES.text,
        "candidates": CANDIDATES,
        **{package: version(package) for package in _PACKAGES},
    }


def check_comparable(accepted: dict[str, object], found: dict[str, object], names: Iterable[str] = ()) -> None:
    """Refuse to compare numbers of different settings, or of different questions (`names` are the sets compared).

    Raises:
        InvalidArgumentError: they cannot be compared; the sentence says why.
    """
    if accepted["settings"] != found["settings"]:
        raise InvalidArgumentError(
            f"The numbers were accepted with other settings ({_differing(accepted, found)}): they cannot be compared."
        )
    for name in names:
        before, now = (_set(numbers, name).get("asked") for numbers in (accepted, found))
        if before != now:
            raise InvalidArgumentError(f"The questions of {name} are not those of the accepted numbers.")


def _set(numbers: dict[str, object], name: str) -> dict[str, object]:
    sets = numbers.get("sets")
    found = sets.get(name) if isinstance(sets, dict) else None
    if not isinstance(found, dict):
        raise InvalidArgumentError(f"There are no numbers for {name}.")
    return found


def _differing(accepted: dict[str, object], found: dict[str, object]) -> str:
    before, now = accepted["settings"], found["settings"]
    if not isinstance(before, dict) or not isinstance(now, dict):
        return "none stated"
    return ", ".join(sorted(key for key in {*before, *now} if before.get(key) != now.get(key)))
