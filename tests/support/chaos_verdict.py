"""The comparison at the end: the index against the bucket."""

from __future__ import annotations

from collections import Counter
from typing import Any

from docshelf.states import State
from tests.support.chaos_bucket import ChangingBucket
from tests.support.chaos_watch import Rows, document_problems


def differences(bucket: ChangingBucket, answer: dict[str, Any]) -> list[str]:
    """Everything in which the index, `documents` and `chunks` as rows, is not what the bucket holds now."""
    documents: Rows = answer["documents"]
    chunks: Rows = answer["chunks"]
    found = _repeated("document row", (row["source"] for row in documents))
    found += _repeated("chunk", (row["chunk_id"] for row in chunks))
    stored = {row["source"]: row for row in documents}
    by_source: dict[str, list[dict[str, Any]]] = {}
    for row in chunks:
        by_source.setdefault(row["source"], []).append(row)
    expected = {source: (key, token, content) for source, key, token, content in bucket.documents()}
    found += [f"{key!r} is in the bucket and not in the index" for key in expected.keys() - stored.keys()]
    found += [f"{key!r} is in the index and not in the bucket" for key in stored.keys() - expected.keys()]
    found += [f"{key!r} has chunks and no document row" for key in by_source.keys() - stored.keys()]
    for source in expected.keys() & stored.keys():
        key, token, content = expected[source]
        rows = by_source.get(source, [])
        found += [f"{source!r}: {problem}" for problem in _row_problems(stored[source], rows, key, token, content)]
    by_key: dict[str, list[dict[str, Any]]] = {}
    for row in chunks:
        by_key.setdefault(row["key"], []).append(row)
    for rows in by_key.values():
        found += document_problems(bucket, rows)
    return sorted(found)


def _row_problems(row: dict[str, Any], chunks: Rows, key: str, token: str, content: Any) -> list[str]:
    wanted = {
        "key": key,
        "members": len(content.members),
        "version": content.version(token),
        "state": content.state.value,
        "chunks": len(chunks),
        "text": content.text,
        "versions of chunks": {row["version"]} if chunks else set(),
        "bytes": len(content.data),
        "reason": row["reason"] if row["reason"] and content.state is not State.INDEXED else None,
    }
    ordered = sorted(chunks, key=lambda chunk: int(chunk["ordinal"]))
    present = {
        **row,
        "text": "".join(chunk["text"] for chunk in ordered),
        "versions of chunks": {chunk["version"] for chunk in chunks},
    }
    return [
        f"{name} is {_short(present[name])} and must be {_short(value)}"
        + (f" ({row['reason']})" if row["reason"] else "")
        for name, value in wanted.items()
        if present[name] != value
    ]


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:120]}… ({len(text)} characters)"


def _repeated(what: str, names: Any) -> list[str]:
    return [f"{what} {name!r} is there {count} times" for name, count in Counter(names).items() if count > 1]
