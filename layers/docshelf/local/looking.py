"""Looking at the files of a folder: what became of each since it was stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count, islice
from threading import Event

from docshelf.content_versions import holds_content
from docshelf.drafts import Draft, problem_draft
from docshelf.errors import DocumentError, SourceVanishedError, StoppedError
from docshelf.index.records import SourceVersion
from docshelf.local.activity import Change
from docshelf.prepare import Around, Preparer
from docshelf.settings import Limits
from docshelf.sources import Source, SourceContent, SourceEntry

READ_AHEAD = 6
"""Files that are read and parsed while the chunks of those before are embedded."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What became of one key: a draft to commit, a removal, or (neither) nothing to do.

    `number` was drawn before the file was read: of two looks at a file, the one with the higher number is newer.
    """

    key: str
    change: Change
    number: int
    size: int = 0
    draft: Draft | None = None
    removes: tuple[str, ...] = ()


class Looker:
    """Reads files and compares them with what is stored. Any thread may use it; each needs a preparer of its own."""

    def __init__(self, source: Source, limits: Limits, stop: Event) -> None:
        self._source = source
        self._limits = limits
        self._stop = stop
        self._numbers = count(1)

    def next_number(self) -> int:
        """A number that is higher than those of all looks so far."""
        return next(self._numbers)

    def looks(
        self,
        entries: Sequence[SourceEntry],
        stored: Mapping[str, SourceVersion],
        renamed: Mapping[str, str],
        preparer: Preparer,
    ) -> Iterator[Looked]:
        """Look at each entry in order, a few ahead of what is asked for; `renamed` gives new key → old key."""

        def look(entry: SourceEntry) -> Looked:
            found = self.look(entry.key, stored.get(entry.key), preparer, renamed.get(entry.key))
            return replace(found, size=entry.size)

        waiting = iter(entries)
        with ThreadPoolExecutor(1, thread_name_prefix="docshelf-parse") as reader:
            ahead: list[Future[Looked]] = [reader.submit(look, entry) for entry in islice(waiting, READ_AHEAD)]
            while ahead and not self._stop.is_set():
                yield ahead.pop(0).result()
                ahead.extend(reader.submit(look, entry) for entry in islice(waiting, 1))
            for future in ahead:
                future.cancel()

    def look(self, key: str, stored: SourceVersion | None, preparer: Preparer, old_key: str | None = None) -> Looked:
        """Look at one file; `old_key` is where the same content was stored before it moved here."""
        number = next(self._numbers)
        content = self.read(key)
        removes = (old_key,) if old_key else ()
        change = Change.RENAMED if old_key else Change.CHANGED if stored else Change.ADDED
        if content is None:
            removes = (key, *removes) if stored else removes
            return Looked(key, Change.REMOVED if removes else Change.UNCHANGED, number, removes=removes)
        draft: Draft | None
        if isinstance(content, DocumentError):
            draft = self._problem(key, content)
            known = stored is not None and stored.consistent and stored.version == draft.record.version
        else:
            known = stored is not None and self._is_known(stored, content.sha256)
            draft = None if known else self._draft(key, content, preparer)
            known = known or draft is None  # it was asked to stop: the next look finds it
        return Looked(key, Change.UNCHANGED, number) if known else Looked(key, change, number, 0, draft, removes)

    def _is_known(self, stored: SourceVersion, content_sha256: str) -> bool:
        """Whether looking at this content again would end as it did."""
        same = stored.content_sha256 == content_sha256 and holds_content(stored, content_sha256, self._limits)
        return same and not stored.retryable

    def _draft(self, key: str, content: SourceContent, preparer: Preparer) -> Draft | None:
        """The draft of a file with all that it holds; None where it was asked to stop meanwhile."""
        try:
            return preparer.draft(key, content, around=Around(lambda: not self._stop.is_set(), self._real_keys))
        except StoppedError:
            return None

    def _real_keys(self, prefix: str) -> Iterator[str]:
        return (entry.key for entry in self._source.list(prefix))

    def _problem(self, key: str, error: DocumentError) -> Draft:
        entry = self.entry(key)
        size, modified_at = (entry.size, entry.modified_at) if entry else (0, None)
        return problem_draft(key, error, size=size, modified_at=modified_at)

    def entry(self, key: str) -> SourceEntry | None:
        """What the source says of the file without reading it; None where there is none or it cannot be told."""
        try:
            return self._source.stat(key)
        except DocumentError:
            return None

    def read(self, key: str) -> SourceContent | DocumentError | None:
        """The content, the error that is this file's state, or None when there is no such file."""
        try:
            return self._source.read(key, self._limits.max_bytes)
        except SourceVanishedError:
            return None
        except DocumentError as error:
            return error
