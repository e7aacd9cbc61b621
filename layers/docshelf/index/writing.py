"""Replacing and removing documents."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

import pyarrow as pa
from lancedb.table import Table

from docshelf.background import both
from docshelf.index.engine import engine_errors, is_conflict, see_latest
from docshelf.index.filters import one_of
from docshelf.index.records import PreparedDocument, ReplaceResult, SourceVersion
from docshelf.index.rows import PreparedRows, check_rows, documents_table, prepared_rows
from docshelf.index.schema import chunks_schema, documents_schema
from docshelf.index.versions import Versions

T = TypeVar("T")

_ATTEMPTS = 4
_LONGEST_FIRST_PAUSE = 0.5
_MANY_ROWS = 50_000
"""A merge that may delete reads the key of every row; in a larger table a second commit, by the index, costs less."""

_VAST_ROWS = 1_000_000
"""An upsert that finds its rows by the key's index does not see what another writer inserts at the same time, and
stores new rows twice. So it reads the key of every row instead (about 10 bytes each), up to here."""


class Writing(Versions):
    """The writing half of an index; one thread writes at a time, and one process must."""

    def replace(self, prepared: Sequence[PreparedDocument], removed: Sequence[str] = ()) -> None:
        """As `replace_rows`, for documents that are not yet rows."""
        self.replace_rows([prepared_rows(document, self.identity) for document in prepared], removed)

    def replace_rows(
        self,
        documents: Sequence[PreparedRows],
        removed: Sequence[str] = (),
        *,
        stored: Mapping[str, SourceVersion] | None = None,
        together: bool = False,
    ) -> ReplaceResult:
        """Make the index hold exactly `documents` for their sources, and nothing for the sources in `removed`.

        All chunks of a document change in one commit: a reader sees its old chunks or its new ones, never a mixture and
        never none. The document rows follow in another commit. After an error nothing is lost: what one commit left
        behind without the other is found by `inconsistent_sources` and `stored_versions`, and put right by replacing
        it again.

        `stored` is what `stored_versions` has just said of all these sources, after a refresh; without it, the latest
        commits are asked. With `together` both tables are committed at the same time and not one after the other, which
        nearly halves the time on object storage. What a crash leaves behind is found either way.

        Raises:
            ValueError: a source occurs twice, or a prepared document is not consistent in itself.
            IndexUnavailableError: the disk is full, permission is denied, or another process keeps writing.
            IndexCorruptError: the index cannot be read.
        """
        sources = [document.record.source for document in documents] + list(removed)
        if len(set(sources)) != len(sources):
            raise ValueError("a source occurs twice in one batch")
        metadata = self.identity.to_metadata()
        schema = chunks_schema(metadata, self.identity.dimension)
        for document in documents:
            check_rows(document, schema)
        if not sources:
            return ReplaceResult(0, met_another_writer=False)
        chunk_rows = pa.concat_tables([document.rows for document in documents] or [schema.empty_table()])
        document_rows = documents_table([each.record for each in documents], documents_schema(metadata, self._columns))
        with self._writing:
            known = self._latest_versions(sources) if stored is None else stored
            surplus = _with_surplus_chunks(documents, removed, known)
            gone = [source for source in removed if source in known and known[source].version is not None]
            shrinks = not surplus <= set(removed)
            damaged = sorted(source for source, version in known.items() if not version.consistent)
            chunks = _TableCommit(self._chunks, "chunk_id", chunk_rows, surplus, sources, damaged, one_commit=shrinks)
            rows = _TableCommit(self._documents, "source", document_rows, gone, sources, damaged, cleared=removed)
            with engine_errors(self._place, self._remedy):
                if together:
                    both(chunks.run, rows.run)
                else:
                    chunks.run()
                    rows.run()
        return ReplaceResult(chunks.commits + rows.commits, chunks.met_another_writer or rows.met_another_writer)

    def _latest_versions(self, sources: Sequence[str]) -> Mapping[str, SourceVersion]:
        self.refresh()
        return self.stored_versions(sources)


def _with_surplus_chunks(
    documents: Sequence[PreparedRows], removed: Sequence[str], known: Mapping[str, SourceVersion]
) -> set[str]:
    """The sources of which more chunks are stored than are to be, or perhaps others."""
    wanted = {document.record.source: document.record.chunks for document in documents}
    surplus: set[str] = set()
    for source, version in known.items():
        if version.chunks and (version.chunks > wanted.get(source, 0) or not version.consistent):
            surplus.add(source)
    return surplus & {*wanted, *removed}


class _TableCommit:
    """Rows that take the place of others in one table: `rows` by their key, and nothing else of `surplus`.

    An upsert finds its rows by the key's index; only one that must delete as well reads every key. `one_commit` demands
    that both happen in one commit, since the same document is concerned. Where another writer was met, what was known
    of the table may be wrong: then all of `cleared` (or `sources`) lose what is not in `rows`. Where another writer was
    met, and for the `damaged` sources, rows that are stored twice under one key are reduced to one.
    """

    def __init__(
        self,
        table: Table,
        key: str,
        rows: pa.Table,
        surplus: Collection[str],
        sources: Collection[str],
        damaged: Collection[str],
        *,
        cleared: Collection[str] | None = None,
        one_commit: bool = False,
    ) -> None:
        self._table = table
        self._key = key
        self._rows = rows
        self._surplus = surplus
        self._sources = sources
        self._damaged = damaged
        self._cleared = sources if cleared is None else cleared
        self._one_commit = one_commit
        self.commits = 0
        self.met_another_writer = False

    def run(self) -> None:
        """Commit what there is to commit; raises what LanceDB raises."""
        if self._rows.num_rows and self._surplus and (self._one_commit or self._table.count_rows() < _MANY_ROWS):
            self._commit(lambda: self._merge(self._surplus))
        else:
            if self._rows.num_rows:
                self._commit(lambda: self._merge(()))
            if self._surplus:
                self._commit(lambda: self._delete(self._surplus))
        if self.met_another_writer and self._cleared:
            self._commit(lambda: self._merge(self._cleared))
        doubtful = self._sources if self.met_another_writer else self._damaged
        if doubtful and (extra := _repeated(self._table, self._key, doubtful)):
            self._commit(lambda: self._delete_rows(extra))

    def _merge(self, cleared: Collection[str]) -> tuple[int, int]:
        merge = self._table.merge_insert(self._key).when_matched_update_all().when_not_matched_insert_all()
        merge = merge.use_index(self._table.count_rows() > _VAST_ROWS)
        if cleared:
            merge = merge.when_not_matched_by_source_delete(one_of("source", cleared))
        result = merge.execute(self._rows)
        return result.version, result.num_attempts

    def _delete(self, sources: Collection[str]) -> tuple[int, int]:
        return self._table.delete(one_of("source", sources)).version, 1

    def _delete_rows(self, row_ids: Collection[int]) -> tuple[int, int]:
        return self._table.delete(f"_rowid IN ({', '.join(map(str, row_ids))})").version, 1

    def _commit(self, commit: Callable[[], tuple[int, int]]) -> None:
        before = self._table.version
        version, attempts = committing(commit, look_again=lambda: see_latest(self._table))
        self.commits += 1
        self.met_another_writer |= attempts > 1 or version != before + 1


def _repeated(table: Table, key: str, sources: Collection[str]) -> list[int]:
    """The ids of all rows but the newest under each key: the same for every writer that asks."""
    newest: dict[str, int] = {}
    extra: list[int] = []
    rows = table.search().where(one_of("source", sources)).select([key]).with_row_id(True).limit(None).to_arrow()
    for row in sorted(rows.to_pylist(), key=lambda row: int(row["_rowid"])):
        if row[key] in newest:
            extra.append(newest[row[key]])
        newest[row[key]] = row["_rowid"]
    return extra


def committing(commit: Callable[[], T], *, look_again: Callable[[], object] = lambda: None) -> T:
    """The result of `commit`; where another writer came first, after a pause and `look_again`, at most four times."""
    attempt = 0
    while True:
        try:
            return commit()
        except RuntimeError as error:
            attempt += 1
            if attempt == _ATTEMPTS or not is_conflict(error):
                raise
        time.sleep(random.uniform(0, _LONGEST_FIRST_PAUSE * 2 ** (attempt - 1)))  # noqa: S311  spreads writers
        look_again()
