"""The files of a TAR archive, packed or not."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial

from docshelf.documents.archives.entries import MOST_ENTRIES, Entry, is_document_name, too_many_entries
from docshelf.errors import ParseFailedError, ParseTimeoutError

_BLOCK = 512
_MAGIC = slice(257, 262)
_PACKED = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\0", lzma.open))
_LAST_SECOND = 4_102_444_800  # the year 2100: what lies beyond is no date of a file

_DAMAGED = (
    *(tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError),
    *(struct.error, IndexError, KeyError, OverflowError, TypeError),
)


def is_tar(data: bytes) -> bool:
    """Whether `data` is a TAR archive, or one packed with gzip, bzip2 or xz."""
    head = data[:_BLOCK]
    for signature, opened in _PACKED:
        if head.startswith(signature):
            try:
                with opened(io.BytesIO(data)) as stream:
                    head = stream.read(_BLOCK)
            except _DAMAGED:
                return False
            break
    return len(head) == _BLOCK and head[_MAGIC] == b"ustar" and any(byte < 9 for byte in head)


@contextmanager
def opened_tar(data: bytes) -> Iterator[tuple[Iterator[Entry], list[str]]]:
    """The files of the archive in their order, to be read as they come, and links and devices as they are passed.

    Going through the files raises:
        ParseFailedError: it is damaged or cut off.
        DocumentTooLargeError: it has too many entries.
    """
    try:
        archive = tarfile.open(  # noqa: SIM115  closed below
            fileobj=io.BytesIO(data), mode="r:*", encoding="utf-8", errors="surrogateescape"
        )
    except _DAMAGED as error:
        raise _damaged() from error
    with archive:
        passed: list[str] = []
        yield _entries(archive, passed), passed


def _entries(archive: tarfile.TarFile, passed: list[str]) -> Iterator[Entry]:
    count = 0
    while (info := _next(archive)) is not None:
        count += 1
        if count > MOST_ENTRIES:
            raise too_many_entries()
        archive.members = []  # type: ignore[attr-defined]  # which would hold every header to the end
        if info.size < 0:  # which leads back into what was read
            raise _damaged()
        if info.isdir() or not is_document_name(info.name):
            continue
        if info.isreg():
            yield Entry(info.name, info.size, partial(_content, archive, info), _modified_at(info))
        else:
            passed.append(info.name)
    if not _ends_well(archive):
        raise _damaged()


def _next(archive: tarfile.TarFile) -> tarfile.TarInfo | None:
    try:
        return archive.next()
    except _DAMAGED as error:
        raise _damaged() from error


def _ends_well(archive: tarfile.TarFile) -> bool:
    """Whether the archive ends where its reader stopped: behind a damaged header it stops as if that were the end."""
    try:
        archive.fileobj.seek(archive.offset)
        return not any(archive.fileobj.read(_BLOCK))
    except _DAMAGED:
        return False


def _content(archive: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    try:
        file = archive.extractfile(info)
        content = file.read() if file else b""
    except MemoryError as error:
        raise ParseTimeoutError("Unpacking the file needs more memory than DOCSHELF_PARSE_MEMORY_MB allows.") from error
    except _DAMAGED as error:
        raise _damaged() from error
    if len(content) != info.size:
        raise _damaged()
    return content


def _modified_at(info: tarfile.TarInfo) -> datetime | None:
    seconds = info.mtime
    return datetime.fromtimestamp(int(seconds), UTC) if 0 < seconds < _LAST_SECOND else None


def _damaged() -> ParseFailedError:
    return ParseFailedError("The TAR archive is damaged or cut off: not all of it can be read; upload it again.")
