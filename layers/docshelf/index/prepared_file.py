"""Prepared files: documents ready to be committed, as one Arrow file with a digest before it.

    b"docshelf prepared file 2" padded to 32 bytes · SHA-256 of the rest · Arrow IPC file (zstd)

The rows are those of `chunks`, entry after entry, in each those of the key and then of its members; the identity and
the entries stand in the schema's metadata.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import cast

import pyarrow as pa

from docshelf.index.identity import IndexIdentity
from docshelf.index.records import DocumentRecord, PreparedDocument
from docshelf.index.row_checks import check_required, check_rows, prepared_rows
from docshelf.index.rows import DOCUMENT_COLUMNS, PreparedRows, document_of
from docshelf.index.schema import chunks_schema, documents_schema

_MAGIC = b"docshelf prepared file 2".ljust(32, b"\n")
_HEADER_BYTES = 64
_ENTRIES = b"docshelf:entries"
_TIMES = ("modified_at", "indexed_at")


@dataclass(frozen=True, slots=True)
class PreparedEntry:
    """One key. `object_version` names the object it was made from, None: there was none.

    `document` None: the index is to hold nothing for this key.
    """

    key: str
    object_version: str | None
    document: PreparedRows | None


@dataclass(frozen=True, slots=True)
class PreparedFile:
    """What `identity`'s index is to hold for some keys, each of which occurs once."""

    identity: IndexIdentity
    entries: tuple[PreparedEntry, ...]


def prepared_file_bytes(
    identity: IndexIdentity, entries: Sequence[tuple[str, str | None, PreparedDocument | None]]
) -> bytes:
    """A prepared file of entries (key, version of the object or None, document or None).

    Raises:
        ValueError: a key occurs twice, or a document is not consistent in itself or not of its key.
    """
    made = [
        PreparedEntry(key, version, None if document is None else prepared_rows(document, identity))
        for key, version, document in entries
    ]
    _check_entries(made)
    told = [_told(entry) for entry in made]
    schema = chunks_schema(identity.to_metadata(), identity.dimension)
    tables = [entry.document.rows for entry in made if entry.document] or [schema.empty_table()]
    rows = pa.concat_tables(tables).combine_chunks()
    rows = rows.replace_schema_metadata({**identity.to_metadata(), _ENTRIES: json.dumps(told).encode()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, rows.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(rows)
    body = sink.getvalue()
    return b"".join((_MAGIC, hashlib.sha256(body).digest(), body))


def read_prepared_file(data: bytes) -> PreparedFile:
    """Read what `prepared_file_bytes` made.

    Raises:
        ValueError: it is anything else, damaged, or of another form.
    """
    body = memoryview(data)[_HEADER_BYTES:]
    if data[:_HEADER_BYTES] != _MAGIC + hashlib.sha256(body).digest():
        raise ValueError("this is not a prepared file, or it is damaged")
    try:
        rows = pa.ipc.open_file(pa.py_buffer(body)).read_all()
        rows.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise ValueError("a prepared file cannot be read") from error
    metadata = rows.schema.metadata or {}
    identity = IndexIdentity.from_metadata(metadata)
    schema = chunks_schema(identity.to_metadata(), identity.dimension)
    if not rows.schema.equals(schema):
        raise ValueError("a prepared file has other columns")
    entries = _entries(json.loads(metadata.get(_ENTRIES, b"null")), rows.replace_schema_metadata(schema.metadata))
    _check_entries(entries)
    return PreparedFile(identity, entries)


def _told(entry: PreparedEntry) -> dict[str, object]:
    records = None if entry.document is None else [_told_record(record) for record in entry.document.records]
    return {"key": entry.key, "object_version": entry.object_version, "documents": records}


def _told_record(record: DocumentRecord) -> dict[str, object]:
    values = asdict(record)
    times = {name: moment.isoformat() for name in _TIMES if (moment := values[name]) is not None}
    return {**values, **times, "quality": record.quality.text() if record.quality else None}


def _entries(told: object, rows: pa.Table) -> tuple[PreparedEntry, ...]:
    """The entries as the metadata tells of them, each with its part of `rows`."""
    fields = [_entry_fields(entry) for entry in told] if isinstance(told, list) else None
    if fields is None:
        raise ValueError("a prepared file has no entries")
    records = iter(_records([document for _, _, documents in fields for document in documents or ()]))
    made: list[PreparedEntry] = []
    start = 0
    for key, version, documents in fields:
        if documents is None:
            made.append(PreparedEntry(key, version, None))
            continue
        record, *members = (next(records) for _ in documents)
        number = max(sum(each.chunks for each in (record, *members)), 0)
        part = PreparedRows(record, rows.slice(start, number), tuple(members))
        check_rows(part, rows.schema)
        start += number
        made.append(PreparedEntry(key, version, part))
    if start != rows.num_rows:
        raise ValueError("a prepared file has rows of no entry")
    return tuple(made)


def _entry_fields(entry: object) -> tuple[str, str | None, list[Mapping[str, object]] | None]:
    if not isinstance(entry, dict) or entry.keys() != {"key", "object_version", "documents"}:
        raise ValueError("an entry of a prepared file has other fields")
    key, version, documents = entry["key"], entry["object_version"], entry["documents"]
    if isinstance(key, str) and isinstance(version, str | None):
        if documents is None:
            return key, version, None
        if isinstance(documents, list) and documents and all(isinstance(each, dict) for each in documents):
            return key, version, documents
    raise ValueError("an entry of a prepared file has values of other types")


def _records(told: list[Mapping[str, object]]) -> list[DocumentRecord]:
    """Records whose values were checked by making Arrow columns of them."""
    for record in told:
        if record.keys() != set(DOCUMENT_COLUMNS):
            raise ValueError("a document of a prepared file has other fields")
    try:
        rows = [{**record, **{name: _moment(record[name]) for name in _TIMES}} for record in told]
        table = pa.Table.from_pylist(rows, schema=_record_schema())
    except (pa.ArrowException, TypeError, OverflowError) as error:
        raise ValueError("a document of a prepared file has values of other types") from error
    check_required(table)
    return [document_of(row) for row in table.to_pylist()]


def _record_schema() -> pa.Schema:
    """The columns of `documents` that a record has; the others are made of these."""
    schema = documents_schema({})
    return pa.schema([schema.field(name) for name in schema.names if name in DOCUMENT_COLUMNS])


def _moment(told: object) -> datetime | None:
    return None if told is None else datetime.fromisoformat(cast("str", told))


def _check_entries(entries: Sequence[PreparedEntry]) -> None:
    for entry in entries:
        entry.key.encode()  # a lone surrogate raises UnicodeEncodeError, a ValueError
        if entry.document is not None and entry.document.record.source != entry.key:
            raise ValueError("a document of a prepared file is not that of its key")
    if len({entry.key for entry in entries}) != len(entries):
        raise ValueError("a key occurs twice in a prepared file")
