"""The drafts of what an archive, mail or PDF holds, and of what these hold in turn, within bounds for all of a key."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from docshelf.content_versions import version_of
from docshelf.documents.archives.members import Member, Members
from docshelf.documents.sandbox.frames import unusable
from docshelf.drafts import Draft, blank_record, with_problem
from docshelf.errors import (
    DocumentError,
    DocumentTooLargeError,
    EmptyDocumentError,
    EncryptedDocumentError,
    StoppedError,
)
from docshelf.index.records import DocumentRecord
from docshelf.settings import Limits
from docshelf.sources import MEMBER_MARK
from docshelf.states import State


class Unpacker(Protocol):
    """Takes archives and mails apart, as `prepare.Parser`."""

    def unpack(self, data: bytes, key: str, start: int) -> Members:
        """Raises DocumentError where it cannot be taken apart."""
        ...


ReadMember = Callable[[DocumentRecord, Member], tuple[Draft, int]]
"""The draft of one member, given a record that names it, and how many members it has itself."""


class MemberDrafts:
    """Everything that one key holds; `read` once.

    A member that cannot be read has a state of its own. What holds more than the bounds allow, or cannot be taken
    apart, is left whole: it has no members, and says why in its state, or in a warning where it has a text of its own.
    """

    def __init__(
        self,
        read_member: ReadMember,
        unpacker: Unpacker,
        limits: Limits,
        record: DocumentRecord,
        has_time: Callable[[], bool],
    ) -> None:
        """`record` names the key and the version of its content."""
        self._read_member = read_member
        self._unpacker = unpacker
        self._limits = limits
        self._record = record
        self._has_time = has_time
        self._drafts: list[Draft] = []
        self._sources: set[str] = {record.source}
        self._members_left = limits.max_members
        self._bytes_left = limits.max_unpacked_bytes
        self._chunks = 0

    def read(self, own: Draft, data: bytes, number: int) -> Draft:
        """`own`, the draft of `data`, with the drafts of the `number` of members that it was said to hold, and theirs.

        Raises:
            StoppedError: the time was up before all of them were read.
        """
        self._chunks = len(own.chunks)
        whole = self._unfolded(own, data, number, depth=1)
        members = tuple(self._drafts)
        return replace(whole, record=replace(whole.record, members=len(members)), members=members)

    def without_real(self, whole: Draft, real_keys: Callable[[str], Iterable[str]]) -> Draft:
        """`whole` without members whose full name is that of a document of the source, which goes first, or within it.

        What is within it may be named so by a nested archive or by a path; the document may have members of its own.
        """
        start = len(whole.record.key) + len(MEMBER_MARK)
        holders = {member.record.source: _holders(member.record.source, start) for member in whole.members}
        taken = set().union(*holders.values()).intersection(real_keys(f"{whole.record.key}{MEMBER_MARK}"))
        if not taken:
            return whole
        kept = tuple(member for member in whole.members if taken.isdisjoint(holders[member.record.source]))
        left_out = len(whole.members) - len(kept)
        warning = f"Left out of it: {_files(left_out)}, as the source itself has documents of these full names."
        record = replace(whole.record, members=len(kept), warnings=(*whole.record.warnings, warning))
        return replace(whole, record=record, members=kept)

    def _unfolded(self, own: Draft, data: bytes, number: int, depth: int) -> Draft:
        """`own` as it is once its members were read, which are added to the others."""
        before = len(self._drafts)
        try:
            for record, member in self._unpacked(own.record, data, number, depth):
                draft, within = self._read_member(record, member)
                self._count_chunks(len(draft.chunks))
                self._drafts.append(self._unfolded(draft, member.data, within, depth + 1) if within else draft)
        except DocumentError as error:
            self._chunks -= sum(len(draft.chunks) for draft in self._drafts[before:])
            del self._drafts[before:]
            return self._left_whole(own, error)
        return self._judged(own, self._drafts[before:])

    def _unpacked(
        self, holder: DocumentRecord, data: bytes, number: int, depth: int
    ) -> Iterator[tuple[DocumentRecord, Member]]:
        """Each member with the record that names it, a slice in memory at a time."""
        self._check(number, depth)
        start = 0
        while start < number:
            self._check_time()
            found = self._unpacker.unpack(data, holder.source, start)
            for member in found.members:
                self._check_time()
                self._bytes_left -= len(member.data)
                if self._bytes_left < 0:
                    raise self._too_many_bytes()
                yield self._named(holder, member), member
            start += len(found.members)
            if not found.members or start > number or found.more != (start < number):
                raise unusable()

    def _check_time(self) -> None:
        """Unpacking may take as long as reading a member: neither begins without the time."""
        if not self._has_time():
            raise StoppedError("The time was up before all members were read.")

    def _check(self, number: int, depth: int) -> None:
        limits = self._limits
        if depth > limits.max_archive_depth:
            raise DocumentTooLargeError(
                f"It lies deeper than the {limits.max_archive_depth:,} archives or mails within each other that "
                "DOCSHELF_MAX_ARCHIVE_DEPTH allows: unpack it and upload its files."
            )
        self._members_left -= number
        if self._members_left < 0:
            self._members_left += number
            raise DocumentTooLargeError(
                f"It holds {_files(number)}, which makes more than the {limits.max_members:,} of DOCSHELF_MAX_MEMBERS: "
                "unpack it and upload its files, or raise the limit."
            )

    def _count_chunks(self, number: int) -> None:
        self._chunks += number
        if self._chunks > self._limits.max_chunks:
            self._chunks -= number
            raise DocumentTooLargeError(
                f"Its files give more than the {self._limits.max_chunks:,} chunks of DOCSHELF_MAX_CHUNKS: unpack it "
                "and upload its files, or raise the limit."
            )

    def _too_many_bytes(self) -> DocumentTooLargeError:
        return DocumentTooLargeError(
            f"Unpacked, its files have more than the {self._limits.max_unpacked_bytes:,} bytes of "
            "DOCSHELF_MAX_UNPACKED_BYTES: unpack it and upload its files, or raise the limit."
        )

    def _named(self, holder: DocumentRecord, member: Member) -> DocumentRecord:
        source = wanted = f"{holder.source}{MEMBER_MARK}{member.name}"
        count = 1
        while source in self._sources:
            count += 1
            stem, extension = posixpath.splitext(wanted)
            source = f"{stem} ({count}){extension}"
        self._sources.add(source)
        modified_at = member.modified_at or self._record.modified_at
        made = blank_record(self._record.key, member.size, modified_at, source)
        return replace(made, version=self._record.version, indexed_at=self._record.indexed_at)

    def _left_whole(self, own: Draft, error: DocumentError) -> Draft:
        """`own` where its members cannot be had."""
        record = own.record
        if own.chunks or record.state is not State.INDEXED:
            warning = f"What is attached to it was left out. {error.sentence}"
            retryable = record.retryable or error.retryable
            return replace(own, record=replace(record, warnings=(*record.warnings, warning), retryable=retryable))
        version = version_of(self._record.version, error.state, self._limits)
        return replace(own, record=with_problem(replace(record, version=version), error))

    def _judged(self, own: Draft, members: list[Draft]) -> Draft:
        """`own` with what its members mean for it: without a text of its own it is as searchable as they are."""
        record = own.record
        states = [member.record.state for member in members]
        lost = len(states) - states.count(State.INDEXED)
        if own.chunks or record.state is not State.INDEXED or lost < len(states):
            if lost:
                are = "is" if lost == 1 else "are"
                warning = f"{lost:,} of the {_files(len(states))} in it {are} not searchable: each has its own reason."
                record = replace(record, warnings=(*record.warnings, warning))
            return replace(own, record=record)
        error: DocumentError = EmptyDocumentError(
            f"None of the {_files(len(states))} in it is searchable: each has its own reason."
        )
        if states.count(State.ENCRYPTED) == len(states):
            error = EncryptedDocumentError("Its files need a password; pack them without one to make them searchable.")
        version = version_of(self._record.version, error.state, self._limits)
        return replace(own, record=with_problem(replace(record, version=version), error))


def _holders(source: str, start: int) -> set[str]:
    """The names behind `start` in `source`, its own too, under which a document could be there that holds it."""
    names = {source}
    while (place := source.find(MEMBER_MARK, start)) >= 0:
        names.add(source[:place])
        start = place + 1
    return names


def _files(number: int) -> str:
    return f"{number:,} file{'' if number == 1 else 's'}"
