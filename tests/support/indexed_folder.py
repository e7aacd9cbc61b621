"""A folder and an index of it, with the real model, tables and parsers, in this process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from docshelf.documents import parse
from docshelf.documents.archives.members import Members
from docshelf.documents.archives.unpacking import unpack
from docshelf.documents.model import Document
from docshelf.embedding.embedder import Embedder
from docshelf.errors import DocumentError
from docshelf.index.store import Index
from docshelf.local.activity import Activity, Snapshot
from docshelf.local.indexer import Indexer
from docshelf.models import SIZES, identity_of
from docshelf.prepare import Preparer
from docshelf.search.shelf import IndexShelf
from docshelf.search.shelves import Shelves
from docshelf.settings import Limits
from docshelf.sources import Source
from docshelf.sources.folder import FolderSource
from docshelf.states import State


@dataclass(frozen=True, slots=True)
class DirectParser:
    """Parses in this process: saves the second that a child takes to start."""

    limits: Limits

    def parse(self, data: bytes, key: str) -> Document:
        return parse(data, key, self.limits)

    def unpack(self, data: bytes, key: str, start: int) -> Members:
        return unpack(data, key, self.limits, start)


@dataclass(slots=True)
class IndexedFolder:
    """`folder` and the index of it at `root`."""

    folder: Path
    root: Path
    embedder: Embedder
    index: Index
    source: Source
    activity: Activity
    indexer: Indexer

    @property
    def shelf(self) -> IndexShelf:
        return Shelves(self.latest, self.embedder).for_caller()

    def latest(self) -> Index:
        """The index with all commits made so far."""
        self.index.refresh()
        return self.index

    def scan(self) -> Snapshot:
        """Scan the folder once; what was done."""
        self.indexer.scan()
        return self.activity.snapshot()

    def restarted(self, source: Source | None = None, limits: Limits | None = None) -> IndexedFolder:
        """The same folder and index as a new process sees them."""
        return opened(self.folder, self.root, self.embedder, Index.open(self.root), source, limits)

    def write(self, key: str, text: str | bytes) -> Path:
        """Put a file into the folder."""
        path = self.folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


def opened(
    folder: Path,
    root: Path,
    embedder: Embedder,
    index: Index,
    source: Source | None = None,
    limits: Limits | None = None,
) -> IndexedFolder:
    """Put an indexer over an index that is open."""
    limits = limits or Limits()
    source = source or FolderSource(folder)
    activity = Activity()

    def preparer() -> Preparer:
        return Preparer(DirectParser(limits), embedder.tokenizer, embedder.identity.sha256, SIZES, limits)

    indexer = Indexer(source, index, embedder, (preparer(), preparer()), activity, limits)
    return IndexedFolder(folder, root, embedder, index, source, activity, indexer)


def new_index(place: Path, embedder: Embedder, files: dict[str, str] | None = None) -> IndexedFolder:
    """A folder below `place` that holds `files`, and an empty index."""
    folder, root = place / "folder", place / "index"
    folder.mkdir(parents=True)
    made = opened(folder, root, embedder, Index.create(root, identity_of(embedder)))
    for key, text in (files or {}).items():
        made.write(key, text)
    return made


def stored(index: Index) -> dict[str, tuple[State, str]]:
    """State and joined text of every document of the index, which must be consistent in itself."""
    index.refresh()
    assert index.inconsistent_keys() == set()
    return {
        document.source: (document.state, "".join(chunk.text for chunk in index.chunks_of(document.source)))
        for document in index.all_documents()
    }


def expected(folder: Path, limits: Limits | None = None) -> dict[str, tuple[State, str]]:
    """What `stored` must give for a folder, told without the indexer."""
    found: dict[str, tuple[State, str]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            key = path.relative_to(folder).as_posix()
            try:
                found[key] = (State.INDEXED, parse(path.read_bytes(), key, limits or Limits()).text)
            except DocumentError as error:
                found[key] = (error.state, "")
    return found
