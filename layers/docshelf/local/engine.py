"""Putting the parts together: model, index, parsers, indexer, shelf."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shlex import quote

from docshelf.cloud.places import reindex_command
from docshelf.documents.sandbox.process import ParserProcess
from docshelf.embedding.embedder import Embedder
from docshelf.embedding.model_files import AUTO, resolve_model
from docshelf.embedding.pinned_file import Progress as DownloadProgress
from docshelf.errors import IndexCorruptError, IndexMismatchError, IndexMissingError
from docshelf.index.location import is_address
from docshelf.index.pointer import Pointer, generations, read_pointer, remove_generation, tag_of_pointer, write_pointer
from docshelf.index.store import Index
from docshelf.local.activity import Activity
from docshelf.local.indexer import Indexer
from docshelf.mcp_server.shelf import Progress
from docshelf.models import SIZES, identity_of
from docshelf.prepare import Preparer
from docshelf.search.shelves import Shelves
from docshelf.settings import Limits
from docshelf.sources.folder import FolderSource


@dataclass(frozen=True, slots=True)
class Engine:
    """Everything that runs over one folder and one index; `note` says which model it is and why."""

    index: Index
    embedder: Embedder
    indexer: Indexer
    shelves: Shelves
    note: str
    finish_rebuild: str | None = None


def rebuild_command(folder: Path | None, root: Path | str) -> str:
    """The command that makes the index at `root`, a directory or an address, anew."""
    if is_address(root):
        return reindex_command(root)
    named = quote(str(folder)) if folder else "FOLDER"
    return f"./scripts/local {named} --index {quote(str(root))} --rebuild"


def rebuild_remedy(command: str) -> str:
    """The clause that ends the sentence of an index that cannot be read."""
    return f"to make it anew, run: {command}"


def open_reader(root: Path | str, model: str = AUTO) -> tuple[Index, Embedder]:
    """The index at `root`, a directory or an address, and the model that it was made with, for searching.

    Raises:
        IndexMissingError, IndexCorruptError, IndexUnavailableError: the index cannot be opened.
        StoreUnavailableError, StoreDeniedError, StoreRefusedError: its bucket cannot be read.
        IndexMismatchError: the model, or this version of docshelf, is not what the index was made with.
        ModelUnavailableError: the model cannot be had.
    """
    rebuild = rebuild_command(None, root)
    index = Index.open(root, remedy=rebuild_remedy(rebuild))
    embedder = Embedder(resolve_model(model, prefer=index.identity.model), threads=1)
    index.identity.check(identity_of(embedder), rebuild)
    return index, embedder


def build_engine(
    stack: ExitStack,
    source: FolderSource,
    root: Path,
    *,
    model: str,
    rebuild: bool,
    limits: Limits,
    activity: Activity,
    on_download: DownloadProgress | None = None,
) -> Engine:
    """Open the index at `root` or make it, with the model asked for; `stack` closes what was opened.

    The caller holds the index's writer lock.

    Raises:
        DocshelfError: as `open_reader`, and IndexUnavailableError where the index cannot be made.
    """
    command = rebuild_command(source.root, root)
    index = _existing(root, command, rebuild=rebuild)
    resolved = resolve_model(model, prefer=index.identity.model if index else None, progress=on_download)
    embedder = stack.enter_context(Embedder(resolved))
    identity = identity_of(embedder)
    unfinished = None
    if index:
        index.identity.check(identity, command)
    else:
        index = Index.create(root, identity, activate=not rebuild, remedy=rebuild_remedy(command))
        unfinished = index.generation if rebuild else None

    def preparer() -> Preparer:
        parser = stack.enter_context(ParserProcess(limits))
        return Preparer(parser, embedder.tokenizer, identity.model_sha256, SIZES, limits)

    indexer = Indexer(source, index, embedder, (preparer(), preparer()), activity, limits)
    shelves = Shelves(partial(_refreshed, index), embedder, partial(_progress, activity))
    return Engine(index, embedder, indexer, shelves, resolved.note, unfinished)


def finish_rebuild(root: Path, generation: str) -> None:
    """Make the generation that a rebuild has filled the one in use, and remove the others."""
    write_pointer(root, Pointer(generation, tag=tag_of_pointer(root)))
    for other in generations(root):
        if other != generation:
            remove_generation(root, other, "")


def _existing(root: Path, command: str, *, rebuild: bool) -> Index | None:
    """The index at `root`, or None where one is to be made; what an unfinished rebuild left is removed."""
    remedy = rebuild_remedy(command)
    try:
        in_use = read_pointer(root, remedy).generation
        for other in generations(root):
            if other != in_use:
                remove_generation(root, other, remedy)
        return None if rebuild else Index.open(root, remedy=remedy)
    except IndexMissingError:
        return None
    except (IndexCorruptError, IndexMismatchError):
        if rebuild:
            return None
        raise


def _refreshed(index: Index) -> Index:
    index.refresh()
    return index


def _progress(activity: Activity) -> Progress | None:
    counts = activity.snapshot()
    if activity.problem:
        return Progress(counts.done, counts.total, f"changes are not followed now: {activity.problem}")
    if not counts.running:
        return None
    return Progress(counts.done, counts.total, "" if counts.total else "the folder is being listed")
