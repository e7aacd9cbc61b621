"""Replacing and removing documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from docshelf.background import both
from docshelf.index.engine import engine_errors
from docshelf.index.records import PreparedDocument, ReplaceResult, SourceVersion
from docshelf.index.row_checks import check_rows, prepared_rows
from docshelf.index.rows import PreparedRows, documents_table
from docshelf.index.schema import chunks_schema, documents_schema
from docshelf.index.table_commit import TableCommit
from docshelf.index.versions import Versions


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
        """Make the index hold exactly `documents`, with their members, for their keys, and nothing for those `removed`.

        All chunks of a key change in one commit: a reader sees its old chunks or its new ones, never a mixture and
        never none; so do its rows, which follow in another commit. After an error nothing is lost: what one commit left
        behind without the other is found by `stored_versions` and `ordered_versions`, and put right by replacing it
        again.

        `stored` is what `stored_versions` has just said of all these keys, after a refresh; without it, the latest
        commits are asked. With `together` both tables are committed at the same time and not one after the other, which
        nearly halves the time on object storage. What a crash leaves behind is found either way.

        Raises:
            ValueError: a key or source occurs twice, or a prepared document is not consistent in itself.
            IndexUnavailableError: the disk is full, permission is denied, or another process keeps writing.
            IndexCorruptError: the index cannot be read.
        """
        keys = [document.record.key for document in documents] + list(removed)
        if len(set(keys)) != len(keys):
            raise ValueError("a key occurs twice in one batch")
        document_rows, chunk_rows = self._checked_rows(documents)
        if not keys:
            return ReplaceResult(0, met_another_writer=False)
        with self._writing:
            known = self._latest_versions(keys) if stored is None else stored
            surplus, spare = _with_surplus_chunks(documents, removed, known), _with_surplus_rows(removed, known)
            damaged = sorted(key for key, version in known.items() if not version.consistent)
            chunks = TableCommit(
                self._chunks, "chunk_id", chunk_rows, surplus, keys, damaged, one_commit=not surplus <= set(removed)
            )
            rows = TableCommit(
                self._documents, "source", document_rows, spare, keys, damaged, one_commit=not spare <= set(removed)
            )
            with engine_errors(self._place, self._remedy):
                if together:
                    both(chunks.run, rows.run)
                else:
                    chunks.run()
                    rows.run()
        return ReplaceResult(chunks.commits + rows.commits, chunks.met_another_writer or rows.met_another_writer)

    def _checked_rows(self, documents: Sequence[PreparedRows]) -> tuple[pa.Table, pa.Table]:
        """The rows of both tables; raises ValueError where they are not consistent."""
        records = [record for document in documents for record in document.records]
        if len({record.source for record in records}) != len(records):
            raise ValueError("a source occurs twice in one batch")
        metadata = self.identity.to_metadata()
        schema = chunks_schema(metadata, self.identity.dimension)
        for document in documents:
            check_rows(document, schema)
        chunk_rows = pa.concat_tables([document.rows for document in documents] or [schema.empty_table()])
        return documents_table(records, documents_schema(metadata)), chunk_rows

    def _latest_versions(self, keys: Sequence[str]) -> Mapping[str, SourceVersion]:
        self.refresh()
        return self.stored_versions(keys)


def _with_surplus_chunks(
    documents: Sequence[PreparedRows], removed: Sequence[str], known: Mapping[str, SourceVersion]
) -> set[str]:
    """The keys of which more chunks are stored than are to be, or perhaps others."""
    wanted = {document.record.key: document for document in documents}
    surplus: set[str] = set()
    for key, version in known.items():
        document = wanted.get(key)
        several = bool(version.members or (document and document.members))
        number = document.rows.num_rows if document else 0
        if version.chunks and (version.chunks > number or several or not version.consistent):
            surplus.add(key)
    return surplus & {*wanted, *removed}


def _with_surplus_rows(removed: Sequence[str], known: Mapping[str, SourceVersion]) -> set[str]:
    """The keys that have rows and are to have none, or have members, which may be others from now on."""
    gone = {key for key in removed if key in known and (known[key].version is not None or known[key].members)}
    return gone | {key for key, version in known.items() if version.members}
