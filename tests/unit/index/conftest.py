"""An index for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from docshelf.index.identity import IndexIdentity
from docshelf.index.store import Index
from tests.unit.index.made_up import DIMENSION


@pytest.fixture(scope="session")
def identity() -> IndexIdentity:
    """What the made-up index was made with."""
    return IndexIdentity("small-model", "a" * 64, "b" * 64, DIMENSION, "cls", "find: ", "", 512, 256, "1", "2")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where the index of the test is."""
    return tmp_path / "index"


@pytest.fixture
def index(root: Path, identity: IndexIdentity) -> Index:
    """An empty index at `root`."""
    return Index.create(root, identity)
