"""Preparing a document: what depends on its language."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from docshelf.embedding.embedder import Embedder
from docshelf.models import SIZES
from docshelf.prepare import Preparer
from docshelf.settings import Limits
from docshelf.sources import SourceContent
from tests.support.indexed_folder import DirectParser

ENGLISH = "The contract is not terminated before the end of the year, and the deposit is returned to the tenant. "
GERMAN = "Der Vertrag wird nicht vor dem Ende des Jahres gekündigt, und die Kaution wird dem Mieter zurückgegeben. "


@pytest.mark.parametrize(("sentence", "most"), [(ENGLISH, SIZES.text), (GERMAN, SIZES.foreign)])
def test_chunks_are_larger_in_a_language_that_the_model_does_not_know(
    sentence: str, most: int, embedder: Embedder
) -> None:
    limits = Limits()
    preparer = Preparer(DirectParser(limits), embedder.tokenizer, embedder.identity.sha256, SIZES, limits)
    data = (sentence * 60).encode()
    draft = preparer.draft("a.txt", SourceContent(data, "hash", len(data), datetime.now(UTC)))
    assert most * 3 / 4 < max(chunk.tokens for chunk in draft.chunks) <= most
    assert "".join(chunk.text for chunk in draft.chunks) == sentence * 60
