"""The quick sets find as much as was accepted: quality is a number that may only go up.

Parts of three sets, because embedding them takes a minute where no vectors are kept. `scripts/evaluate --quick` prints
the same numbers, and with `--compare --accept` puts them into `baseline.json`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from docshelf.embedding.model_files import ResolvedModel
from scripts.quality.baseline import accepted, falls
from scripts.quality.command import BASELINE, QUICK, ROOT, SHARED, measured, quick_sets
from scripts.quality.vector_cache import CachedEmbedder

DATASETS = SHARED / "datasets"
VECTORS = ROOT / ".docshelf" / "quality" / "vectors"


@pytest.mark.skipif(not DATASETS.is_dir(), reason="the public retrieval sets are not on this machine")
def test_no_measure_of_the_quick_sets_has_fallen(packaged_model: ResolvedModel, tmp_path: Path) -> None:
    sets = quick_sets(DATASETS, tmp_path)
    with CachedEmbedder(packaged_model, VECTORS) as embedder:
        found = measured(sets, tmp_path, embedder, refused=False, arms=False)
    assert falls(accepted(BASELINE, quick=True), found, tuple(QUICK)) == []
