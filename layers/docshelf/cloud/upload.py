"""Making a bucket hold what a folder holds."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import BinaryIO

from docshelf.aws.objects import MAX_KEY_BYTES, ObjectEntry, ObjectStore
from docshelf.aws.sending import noted_metadata, send
from docshelf.cloud.content_types import content_type_of
from docshelf.cloud.fingerprint import PART_BYTES, SHA256_METADATA, Fingerprint, fingerprint
from docshelf.cloud.local_file import opened, same_moment
from docshelf.cloud.tally import Outcome, Tally
from docshelf.errors import (
    DocshelfError,
    InvalidArgumentError,
    StoppedError,
    StoreUnavailableError,
)
from docshelf.sources.bucket import is_document_key
from docshelf.sources.folder import FolderSource
from docshelf.sources.naming import is_ignored, path_of

WORKERS = 8
FAILURES_IN_A_ROW = 20
"""After so many without one success in between, something else is wrong than the files."""

_ATTEMPTS = 3
_OF_AN_INDEX = re.compile(r"(?:.*/)?[a-z]+\.lance/(?:_versions|_transactions|data)/", re.DOTALL)


class Upload:
    """One run over one folder and one bucket. `say` takes a line for each change where nothing is to be done."""

    def __init__(self, source: FolderSource, store: ObjectStore, tally: Tally, say: Callable[[str, str], None]) -> None:
        self._source = source
        self._store = store
        self._tally = tally
        self._say = say
        self._stop = threading.Event()
        self._meets_an_index = False

    def run(self, *, delete: bool = False, dry_run: bool = False, allow_empty: bool = False) -> None:
        """Upload what the bucket does not hold as it is, then delete what the folder does not hold, if asked for.

        Nothing is deleted unless all else went well.

        Raises:
            SourceError: the folder cannot be read; nothing was changed.
            InvalidArgumentError: the folder is empty and everything would be deleted, or an index of docshelf would.
            StoreUnavailableError: the bucket cannot be listed, or fails for one file after the other.
            StoreDeniedError, StoreRefusedError: the bucket cannot be listed.
        """
        files = self._files()
        if delete and not files and not self._tally.failures and not allow_empty:
            raise InvalidArgumentError(
                f"{self._source.root} holds no documents, so --delete would delete everything below {self._store.uri}: "
                "add --allow-empty if that is meant."
            )
        self._send_all(files, dry_run=dry_run)
        if delete and not self._tally.failures:
            if self._meets_an_index:
                raise InvalidArgumentError(
                    f"Nothing was deleted: an index of docshelf lies below {self._store.uri}, and --delete would "
                    "delete it. Choose another address."
                )
            self._delete(files, dry_run=dry_run)

    def _files(self) -> dict[str, Path]:
        files: dict[str, Path] = {}
        for entry in self._source.list():
            path = path_of(entry.key) or entry.key
            try:
                key = os.fsencode(path).decode()
            except UnicodeDecodeError:
                self._tally.failed(entry.key, "The name is not valid UTF-8, which a key must be: rename the file.")
                continue
            if len(self._full_key(key)) > MAX_KEY_BYTES:
                self._tally.failed(key, f"With its folders the name has more than {MAX_KEY_BYTES:,} bytes: shorten it.")
                continue
            files[key] = self._source.root / path
        for prefix, sentence in self._source.unreadable:
            self._tally.failed(prefix, sentence)
        self._tally.failures_in_a_row = 0
        self._tally.total = len(files) + len(self._tally.failures)
        return files

    def _full_key(self, key: str) -> bytes:
        return f"{self._store.prefix}{key}".encode()

    def _send_all(self, files: dict[str, Path], *, dry_run: bool) -> None:
        with ThreadPoolExecutor(WORKERS, "docshelf-upload") as pool:
            running: set[Future[None]] = set()
            try:
                for key, there in self._pairs(files):
                    running.add(pool.submit(self._handle, key, files[key], there, dry_run))
                    if len(running) >= 2 * WORKERS:
                        running = self._drained(running)
                while running:
                    running = self._drained(running)
            except BaseException:
                self._stop.set()  # before the pool waits for its threads
                raise

    def _pairs(self, files: dict[str, Path]) -> Iterator[tuple[str, ObjectEntry | None]]:
        """Each file's key with the object under it, if there is one."""
        absent = set(files)
        for entry in self._store.list():
            if entry.key not in files and is_document_key(entry.key) and _OF_AN_INDEX.match(entry.key):
                self._meets_an_index = True
            if entry.key in absent:
                absent.discard(entry.key)
                yield entry.key, entry
        for key in sorted(absent):
            yield key, None

    def _drained(self, running: set[Future[None]]) -> set[Future[None]]:
        done, pending = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            future.result()
        if self._tally.failures_in_a_row >= FAILURES_IN_A_ROW:
            _, sentence = self._tally.failures[-1]
            raise StoreUnavailableError(
                f"{FAILURES_IN_A_ROW} files failed one after the other, the last so: {sentence}"
            )
        return pending

    def _handle(self, key: str, path: Path, there: ObjectEntry | None, dry_run: bool) -> None:
        try:
            self._check()
            for _ in range(_ATTEMPTS):
                outcome = self._agree(key, path, there, dry_run)
                if outcome is not None:
                    self._tally.finished(outcome)
                    return
            self._tally.failed(key, "The file is being written all the time: try again later.")
        except StoppedError:
            return
        except DocshelfError as error:
            self._tally.failed(key, error.sentence)

    def _agree(self, key: str, path: Path, there: ObjectEntry | None, dry_run: bool) -> Outcome | None:
        """Make the object hold what the file holds; None where the file changed meanwhile."""
        with opened(path) as file:
            before = os.fstat(file.fileno())
            wanted = None
            if there is not None and there.size == before.st_size:
                wanted = fingerprint(file, self._check)
                if self._holds(key, wanted, there):
                    return Outcome.UNCHANGED
            outcome = Outcome.NEW if there is None else Outcome.CHANGED
            if dry_run:
                self._say("would upload", key)
                return outcome
            try:
                self._send(key, file, wanted or fingerprint(file, self._check))
            except StoreUnavailableError:
                if same_moment(before, os.fstat(file.fileno())):
                    raise
                return None  # its length was no longer the one announced
            return outcome if same_moment(before, os.fstat(file.fileno())) else None

    def _holds(self, key: str, wanted: Fingerprint, there: ObjectEntry) -> bool:
        return wanted.is_etag(there.etag) or noted_metadata(self._store, key).get(SHA256_METADATA) == wanted.sha256

    def _send(self, key: str, file: BinaryIO, content: Fingerprint) -> None:
        metadata = {SHA256_METADATA: content.sha256}
        send(self._store, key, file, content_type_of(key), metadata, part_bytes=PART_BYTES, on_bytes=self._on_bytes)

    def _on_bytes(self, number: int) -> None:
        self._check()
        self._tally.sent(number)

    def _check(self) -> None:
        if self._stop.is_set():
            raise StoppedError("Stopped.")

    def _delete(self, files: dict[str, Path], *, dry_run: bool) -> None:
        passed_over = (*self._source.ignored_directories(), *self._source.links_outside())

        def gone() -> Iterator[str]:
            for entry in self._store.list():
                if entry.key not in files and self._is_gone(entry.key, passed_over):
                    self._tally.deleted += 1
                    yield entry.key

        if dry_run:
            for key in gone():
                self._say("would delete", key)
        else:
            self._store.delete(gone())

    def _is_gone(self, key: str, passed_over: tuple[str, ...]) -> bool:
        """Whether no file is there; what was passed over may be, and what is no document never came from here."""
        if not is_document_key(key) or is_ignored(key) or any(_lies_in(key, place) for place in passed_over):
            return False
        if any(part in {"", ".", ".."} for part in key.split("/")):
            return True  # no file can have this key, though its path may lead to one
        return not os.path.lexists(self._source.root / key)


def _lies_in(key: str, place: str) -> bool:
    return key == place or key.startswith(place if place.endswith("/") else f"{place}/")
