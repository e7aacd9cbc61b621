"""An index in a bucket."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Self

from docshelf.aws.objects import ObjectStore
from docshelf.errors import PreconditionFailedError
from docshelf.index.location import written_by_another

_CLAIM = "claim"

# Lance asks up to six times by itself: what hangs is not asked again by its client as well.
_BOUNDED = {"client_retry_timeout": "3", "connect_timeout": "3 seconds"}


class S3Location:
    """A prefix of a bucket. Every method raises what ObjectStore raises (StoreUnavailableError, StoreDeniedError …)."""

    def __init__(self, store: ObjectStore, path: str = "") -> None:
        self._store = store
        self._path = path

    @classmethod
    def of(cls, address: str) -> Self:
        """Raises InvalidArgumentError where `address` is not like `s3://BUCKET/PREFIX`."""
        return cls(ObjectStore.from_uri(address))

    def __str__(self) -> str:
        return self.uri

    @property
    def name(self) -> str:
        """The last part of the prefix."""
        return self.uri.rpartition("/")[2]

    @property
    def uri(self) -> str:
        """Like `s3://BUCKET/PREFIX`, without a slash at the end."""
        return f"{self._store.uri.rstrip('/')}/{self._path}".rstrip("/")

    def storage_options(self) -> dict[str, str]:
        """Where the bucket is, how to sign in, and bounds on attempts and time."""
        return self._store.storage_options() | _BOUNDED

    def child(self, name: str) -> S3Location:
        """The prefix `name` within this one."""
        return S3Location(self._store, self._key(name))

    def _key(self, name: str) -> str:
        return f"{self._path}/{name}" if self._path else name

    def read(self, name: str) -> tuple[bytes, str] | None:
        """The tag is the ETag."""
        found = self._store.get(self._key(name))
        return None if found is None else (found.data, found.entry.etag)

    def write(self, name: str, data: bytes, tag: str | None) -> str:
        """A write that passed and whose answer was lost is recognised by its content."""
        try:
            if tag is None:
                return self._store.put(self._key(name), data, if_absent=True)
            return self._store.put(self._key(name), data, if_match=tag)
        except PreconditionFailedError:
            there = self.read(name)
            if there is None or there[0] != data:
                raise written_by_another(self) from None
            return there[1]

    def claim(self, name: str) -> bool:
        """An object with a random content keeps the prefix."""
        try:
            self.child(name).write(_CLAIM, secrets.token_hex(16).encode(), None)
        except PreconditionFailedError:
            return False
        return True

    def children(self, prefix: str) -> list[str]:
        """One request a child, however many objects it holds."""
        names: list[str] = []
        start = self._key("")
        after = ""
        while (entry := next(self._store.list(start + prefix, after), None)) is not None:
            name = entry.key.removeprefix(start).partition("/")[0]
            names.append(name)
            after = f"{start}{name}0"  # "0" follows "/": behind every key below `name/`
        return names

    def files(self) -> Iterator[tuple[str, int]]:
        """A listing, one page in memory."""
        start = self._key("")
        for entry in self._store.list(start):
            yield entry.key.removeprefix(start), entry.size

    def remove(self) -> None:
        """A listing, and deletions of a thousand objects each."""
        self._store.delete(entry.key for entry in self._store.list(self._key("")))
