"""The files of a ZIP archive."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial

from docshelf.documents.archives.entries import MOST_ENTRIES, Entry, is_document_name, too_many_entries
from docshelf.errors import DocumentError, EncryptedDocumentError, ParseFailedError, ParseTimeoutError

_ENCRYPTED = 0x1
_UTF_8 = 0x800
_SYMBOLIC_LINK = 0o120000
_FILE_TYPE = 0o170000
_UNIX = 3
_TIMES = 0x5455
_NO_DATE = (1980, 1, 1, 0, 0, 0)

_DAMAGED = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError),
    *(struct.error, IndexError, OverflowError, RuntimeError),
)


@contextmanager
def opened_zip(data: bytes) -> Iterator[tuple[list[Entry], list[str]]]:
    """The files in the archive, whose content can be read within the block, and the names of the links among them.

    Raises:
        ParseFailedError: its list of files cannot be read.
        DocumentTooLargeError: it has too many entries.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (*_DAMAGED, NotImplementedError) as error:
        raise ParseFailedError(
            "The ZIP archive is damaged or cut off: its list of files cannot be read; upload it again."
        ) from error
    with archive:
        infos = archive.infolist()
        if len(infos) > MOST_ENTRIES:
            raise too_many_entries()
        wanted = [info for info in infos if is_document_name(_name(info))]
        links = [_name(info) for info in wanted if _is_link(info)]
        yield [_entry(archive, info) for info in wanted if not _is_link(info)], links


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Entry:
    error: DocumentError | None = None
    if info.flag_bits & _ENCRYPTED:
        error = EncryptedDocumentError(
            "The file is encrypted in its archive; pack it without a password to make it searchable."
        )
    return Entry(_name(info), info.file_size, partial(_content, archive, info), _modified_at(info), error)


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(info) as file:
            content = file.read(info.file_size + 1)
    except NotImplementedError as error:
        raise ParseFailedError(
            "The file is packed in a way that is not read; pack it with an ordinary ZIP program."
        ) from error
    except MemoryError as error:
        raise ParseTimeoutError("Unpacking the file needs more memory than DOCSHELF_PARSE_MEMORY_MB allows.") from error
    except _DAMAGED as error:
        raise ParseFailedError("The file is damaged in its archive: it cannot be unpacked.") from error
    if len(content) != info.file_size:
        raise ParseFailedError("The file is damaged in its archive: it has another length than the archive says.")
    return content


def _name(info: zipfile.ZipInfo) -> str:
    """The name; many programs write UTF-8 without saying so."""
    if info.flag_bits & _UTF_8 or info.filename.isascii():
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _is_link(info: zipfile.ZipInfo) -> bool:
    return info.create_system == _UNIX and (info.external_attr >> 16) & _FILE_TYPE == _SYMBOLIC_LINK


def _modified_at(info: zipfile.ZipInfo) -> datetime | None:
    """The time in UTC where the archive has it, else the one without a zone, taken for UTC."""
    extra = info.extra
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<HH", extra)
        if kind == _TIMES and length >= 5 and len(extra) >= 9 and extra[4] & 1:
            return datetime.fromtimestamp(struct.unpack_from("<i", extra, 5)[0], UTC) if extra[8] < 0x80 else None
        extra = extra[4 + length :]
    if info.date_time <= _NO_DATE:
        return None
    try:
        return datetime(*info.date_time, tzinfo=UTC)
    except ValueError:
        return None
