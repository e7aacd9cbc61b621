"""What an index was made with; vectors and chunks made otherwise cannot be mixed with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from docshelf.errors import IndexMismatchError

_METADATA_KEY = b"docshelf:identity"

_WORDS = {
    "model": "the model",
    "model_sha256": "the model file with sha256",
    "tokenizer_sha256": "the tokenizer with sha256",
    "dimension": "vectors of dimension",
    "pooling": "pooling",
    "query_prefix": "the query prefix",
    "passage_prefix": "the passage prefix",
    "max_tokens": "a token limit of",
    "chunk_tokens": "a chunk size of",
    "chunker_version": "chunker version",
    "parser_version": "parser version",
}


@dataclass(frozen=True, slots=True)
class IndexIdentity:
    """Model, sizes and versions that every chunk of an index shares; stored with both tables."""

    model: str
    model_sha256: str
    tokenizer_sha256: str
    dimension: int
    pooling: str
    query_prefix: str
    passage_prefix: str
    max_tokens: int
    chunk_tokens: int
    chunker_version: str
    parser_version: str

    def to_metadata(self) -> dict[bytes, bytes]:
        """Schema metadata for an Arrow schema."""
        return {_METADATA_KEY: json.dumps(asdict(self), sort_keys=True).encode()}

    @classmethod
    def from_metadata(cls, metadata: Mapping[bytes, bytes] | None) -> IndexIdentity:
        """Read what `to_metadata` wrote.

        Raises:
            ValueError: the metadata holds no identity, or not one of this form.
        """
        values = json.loads((metadata or {}).get(_METADATA_KEY, b"null"))
        if not isinstance(values, dict) or values.keys() != {item.name for item in fields(cls)}:
            raise ValueError("the tables carry no identity of this format")
        if any(isinstance(values[item.name], int) != (item.type == "int") for item in fields(cls)):
            raise ValueError("the tables carry an identity with values of other types")
        return cls(**values)

    def check(self, expected: IndexIdentity, rebuild: str) -> None:
        """Refuse to use an index that was made otherwise than `expected`.

        `rebuild` is the command that makes the index anew; it ends the sentence.

        Raises:
            IndexMismatchError: a field differs; the sentence names the first that does.
        """
        for item in fields(self):
            have, want = getattr(self, item.name), getattr(expected, item.name)
            if have != want:
                words = _WORDS[item.name]
                raise IndexMismatchError(
                    f"This index was made with {words} {_shown(have)}, and {_shown(want)} is asked for; "
                    f"to rebuild it, run: {rebuild}"
                )


def _shown(value: str | int) -> str:
    text = str(value)
    return text[:12] if len(text) == 64 else text or '""'
