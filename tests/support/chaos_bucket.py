"""A bucket that changes at random, and what is known of every content that was ever in it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from urllib.parse import unquote_plus

from tests.support.chaos_contents import (
    NOT_DOCUMENTS,
    REPLACED,
    SENTINELS,
    Content,
    any_content,
    choose_keys,
    sources_of,
    text_of,
)
from tests.support.chaos_events import Delivery
from tests.support.cloud import Cloud

_LONG = 16


class ChangingBucket:
    """Carries out operations, tells of each, and remembers contents by key and ETag before they can be seen."""

    def __init__(self, cloud: Cloud, delivery: Delivery, rng: random.Random) -> None:
        self.operations = 0
        self.kinds: Counter[str] = Counter()
        self.known: dict[tuple[str, str], Content] = {}
        self._cloud, self._delivery, self._rng = cloud, delivery, rng
        self.keys = choose_keys(rng)
        self._history: dict[str, list[Content]] = {}
        self._present: set[str] = set()
        self._markers: dict[str, str] = {}
        self._kinds: dict[Callable[[], None], int] = {
            self._put: 34,
            self._replace_sentinel: 10,
            self._delete: 14,
            self._rename: 8,
            self._restore: 10,
            self._twin: 6,
            self._delete_while_embedded: 8,
            self._burst: 6,
            self._no_document: 4,
        }

    def begin(self) -> None:
        """Put the sentinels and some documents; every event arrives."""
        for key, word in SENTINELS.items():
            self._store(key, text_of(self._rng, 3, word), surely=True)
        for key in self.keys[: len(self.keys) // 2]:
            self._store(key, any_content(self._rng), surely=True)

    def change(self) -> None:
        """Carry out one operation, chosen by chance."""
        (operation,) = self._rng.choices(list(self._kinds), list(self._kinds.values()))
        operation()
        self.operations += 1
        self.kinds[operation.__name__.strip("_")] += 1

    def content(self, key: str, etag: str) -> Content | None:
        """What was put under `key` with this ETag, None where nothing was."""
        return self.known.get((key, etag))

    def documents(self) -> Iterator[tuple[str, str, str, Content]]:
        """Source, key, version token and content of every document that the index must hold now."""
        for key, token, content in self.listed():
            for source, each in sources_of(key, content):
                yield source, key, token, each

    def listed(self) -> Iterator[tuple[str, str, Content]]:
        """Key, version token and content of every document that is in the bucket now."""
        pages = self._cloud.s3.get_paginator("list_objects_v2").paginate(Bucket=self._cloud.bucket, EncodingType="url")
        for page in pages:
            for item in page.get("Contents", []):
                key, etag = unquote_plus(item["Key"]), item["ETag"].strip('"')
                if key not in NOT_DOCUMENTS:
                    yield key, f"{etag}.{int(item['LastModified'].timestamp())}", self.known[key, etag]

    def _store(self, key: str, content: Content, *, surely: bool = False) -> None:
        self.known[key, content.etag] = content
        self._history.setdefault(key, []).append(content)
        self._cloud.put(key, content.data)
        self._present.add(key)
        self._markers.pop(key, None)
        self._delivery.tell(key, removed=False, surely=surely)

    def _remove(self, key: str) -> None:
        answer = self._cloud.s3.delete_object(Bucket=self._cloud.bucket, Key=key)
        if key in self._present and answer.get("DeleteMarker"):
            self._markers[key] = answer["VersionId"]
        self._present.discard(key)
        self._delivery.tell(key, removed=True)

    def _any_present(self) -> str | None:
        present = sorted(self._present - SENTINELS.keys())
        return self._rng.choice(present) if present else None

    def _put(self) -> None:
        self._store(self._rng.choice(self.keys), any_content(self._rng))

    def _replace_sentinel(self) -> None:
        self._store(REPLACED, text_of(self._rng, self._rng.randint(1, 6), SENTINELS[REPLACED]))

    def _delete(self) -> None:
        if key := self._any_present():
            self._remove(key)

    def _rename(self) -> None:
        old, new = self._any_present(), self._rng.choice(self.keys)
        if old and old != new:
            self._store(new, self._history[old][-1])
            self._remove(old)

    def _restore(self) -> None:
        """Put back what was there before, or take the delete marker away."""
        if self._markers and self._rng.random() < 0.7:
            self._take_delete_marker_away(self._rng.choice(sorted(self._markers)))
        else:
            key = self._rng.choice(sorted(self._history.keys() - SENTINELS.keys()))
            self._store(key, self._rng.choice(self._history[key]))

    def _take_delete_marker_away(self, key: str) -> None:
        self._cloud.s3.delete_object(Bucket=self._cloud.bucket, Key=key, VersionId=self._markers.pop(key))
        self._present.add(key)
        self._delivery.tell(key, removed=True)

    def _twin(self) -> None:
        content = text_of(self._rng, self._rng.randint(1, 4))
        for key in self._rng.sample(self.keys, 2):
            self._store(key, content)

    def _delete_while_embedded(self) -> None:
        key = self._rng.choice(self.keys)
        self._store(key, text_of(self._rng, _LONG), surely=True)
        self._remove(key)

    def _burst(self) -> None:
        """Several contents under one key faster than they can be looked at."""
        key = self._rng.choice(self.keys)
        for _ in range(self._rng.randint(3, 6)):
            self._store(key, any_content(self._rng))

    def _no_document(self) -> None:
        key = self._rng.choice(NOT_DOCUMENTS)
        self._cloud.put(key, b"" if key.endswith("/") else b"no document")
        self._delivery.tell(key, removed=False)
