"""Replacing and removing documents."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from docshelf.index.engine import Tables, engine_errors, is_conflict, see_latest
from docshelf.index.filters import one_of
from docshelf.index.records import ChunkRecord, PreparedDocument
from docshelf.index.rows import chunks_table, documents_table
from docshelf.index.schema import chunks_schema, documents_schema
from docshelf.states import State

_ATTEMPTS = 4
_LONGEST_FIRST_PAUSE = 0.5


class Writing(Tables):
    """The writing half of an index; one thread writes at a time, and one process must."""

    def replace(self, prepared: Sequence[PreparedDocument], removed: Sequence[str] = ()) -> None:
        """Make the index hold exactly `prepared` for their sources, and nothing for the sources in `removed`.

        All chunks change in one commit, then all document rows in another: a reader sees a document's old chunks or
        its new ones, never a mixture and never none. After an error nothing is lost: what the first commit left behind
        without the second is found by `inconsistent_sources` and put right by replacing it again.

        Raises:
            ValueError: a source occurs twice, or a prepared document is not consistent in itself.
            IndexUnavailableError: the disk is full, permission is denied, or another process keeps writing.
            IndexCorruptError: the index cannot be read.
        """
        sources = [document.record.source for document in prepared] + list(removed)
        if len(set(sources)) != len(sources):
            raise ValueError("a source occurs twice in one batch")
        for document in prepared:
            _check(document)
        if not sources:
            return
        metadata = self.identity.to_metadata()
        chunks: list[ChunkRecord] = [chunk for document in prepared for chunk in document.chunks]
        chunk_rows = chunks_table(chunks, chunks_schema(metadata, self.identity.dimension), self.identity.dimension)
        document_rows = documents_table([document.record for document in prepared], documents_schema(metadata))
        of_sources = one_of("source", sources)

        def write_chunks() -> None:
            see_latest(self._chunks)
            if chunk_rows.num_rows == 0 and self._chunks.count_rows(of_sources) == 0:
                return
            merge = self._chunks.merge_insert("chunk_id").when_matched_update_all().when_not_matched_insert_all()
            merge.when_not_matched_by_source_delete(of_sources).execute(chunk_rows)

        def write_documents() -> None:
            see_latest(self._documents)
            merge = self._documents.merge_insert("source").when_matched_update_all().when_not_matched_insert_all()
            if removed:
                merge = merge.when_not_matched_by_source_delete(one_of("source", removed))
            merge.execute(document_rows)

        with self._writing, engine_errors(self._place, self._remedy):
            committing(write_chunks)
            committing(write_documents)


def committing(commit: Callable[[], None]) -> None:
    """Run `commit`, again after a pause where another writer came first, at most four times in all."""
    for attempt in range(_ATTEMPTS):
        try:
            commit()
        except RuntimeError as error:
            if attempt == _ATTEMPTS - 1 or not is_conflict(error):
                raise
            time.sleep(random.uniform(0, _LONGEST_FIRST_PAUSE * 2**attempt))  # noqa: S311  spreads writers, no secret
        else:
            return


def _check(document: PreparedDocument) -> None:
    record = document.record
    record.source.encode()  # a lone surrogate raises UnicodeEncodeError, a ValueError
    if not record.source:
        raise ValueError("a source has no name")
    if record.chunks != len(document.chunks):
        raise ValueError(f"a document says it has {record.chunks} chunks and comes with {len(document.chunks)}")
    if document.chunks and record.state is not State.INDEXED:
        raise ValueError(f"a document with chunks is {record.state.value!r}")
    for ordinal, chunk in enumerate(document.chunks):
        if chunk.ordinal != ordinal:
            raise ValueError(f"chunk {chunk.ordinal} stands at place {ordinal}")
        if (chunk.source, chunk.collection, chunk.version) != (record.source, record.collection, record.version):
            raise ValueError("a chunk names another source, collection or version than its document")
