"""What goes into the chunker and what comes out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Tokenizer(Protocol):
    """The model's own tokenizer, as far as the chunker needs it."""

    def offsets(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Start and end character offsets of each token of `text`, in order, without special tokens."""
        ...


@dataclass(frozen=True, slots=True)
class ChunkSizes:
    """Sizes in the model's tokens, except `characters`.

    `text` bounds a chunk's own text. `context` bounds what is put before it for the embedding: title, heading path,
    header row, the end of the text before. Their sum and the two special tokens stay within what the model reads.
    `characters` bounds text that has few tokens for its length (a word of over 100 letters is one unknown token).
    `foreign` takes the place of `text` in documents of a language that the model does not know: it needs two to five
    times the tokens for the same words, only full text finds them, and what the model does not read does no harm.
    """

    text: int = 200
    foreign: int = 450
    context: int = 54
    characters: int = 4_000

    def for_language(self, *, known: bool) -> ChunkSizes:
        """The sizes for a document in a language that the model knows, or does not."""
        return self if known else replace(self, text=self.foreign)


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a document.

    `text` is `document.text[start:end]`. `opening` and `closing` are what a reader needs around it when it was cut out
    of a code block or a table (fence lines, header rows), else empty. `embedded_text` is what the model sees.
    Lines count in `document.text` from 1 and span the visible text; add the document's `first_line - 1` to get lines
    of the file. `tokens` counts `text` alone.
    """

    ordinal: int
    start: int
    end: int
    text: str
    headings: tuple[str, ...]
    page: int | None
    page_label: str | None
    first_line: int
    last_line: int
    opening: str
    closing: str
    embedded_text: str
    tokens: int

    @property
    def shown_text(self) -> str:
        """The text as a reader sees it: a cut code block has its fences, a cut table its header row."""
        text = self.text
        if self.closing and not text.endswith("\n"):
            text += "\n"
        return f"{self.opening}{text}{self.closing}"
