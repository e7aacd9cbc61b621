"""Readers that poll the index all the time, and what they must never see."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from tests.support.chaos_bucket import ChangingBucket
from tests.support.chaos_contents import SENTINELS, sources_of
from tests.support.chaos_stage import Instance, answered

_SECONDS = 1.0

Rows = Sequence[dict[str, Any]]


class Readers:
    """Each of `instances` polls from a thread of its own until the block ends; `problems` has what was wrong."""

    def __init__(self, instances: Sequence[Instance], bucket: ChangingBucket) -> None:
        self.problems: list[str] = []
        self.polls = 0
        self._bucket = bucket
        self._ending = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._poll, args=(one,), daemon=True) for one in instances]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join()

    def _poll(self, instance: Instance) -> None:
        while not self._ending.is_set():
            try:
                answer: dict[str, Any] = answered(instance, {"words": SENTINELS, "seconds": _SECONDS})
            except RuntimeError as error:
                with self._lock:
                    self.problems.append(f"reader: {error}")
                continue
            found = [problem for rows in answer["seen"] for problem in document_problems(self._bucket, rows)]
            with self._lock:
                self.polls += answer["polls"]
                self.problems += [f"reader: {problem}" for problem in [*answer["missed"], *found]]


def document_problems(bucket: ChangingBucket, rows: Rows) -> list[str]:
    """What is wrong with the chunks of one key: they must be of one content that was put, whole, once, by itself."""
    key = rows[0]["key"]
    versions = sorted({row["version"] for row in rows})
    if len(versions) > 1:
        return [f"{key!r} has chunks of several versions: {versions}"]
    content = bucket.content(key, versions[0].split(".")[0])
    if content is None:
        return [f"{key!r} has the version {versions[0]}, which was never put there"]
    wanted = {source: each.text for source, each in sources_of(key, content) if each.text}
    by_source: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: int(row["ordinal"])):
        by_source.setdefault(row["source"], []).append(row)
    if by_source.keys() != wanted.keys():
        return [f"{key!r} at {versions[0]} has the documents {sorted(by_source)} and not {sorted(wanted)}"]
    problems = []
    for source, found in by_source.items():
        ordinals = [row["ordinal"] for row in found]
        if ordinals != list(range(len(found))):
            problems.append(f"{source!r} at {versions[0]} has the ordinals {ordinals}")
        elif wanted[source] != "".join(row["text"] for row in found):
            problems.append(f"{source!r} at {versions[0]} has another text than was put, in {len(found)} chunks")
    return problems
