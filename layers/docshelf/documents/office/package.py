"""The ZIP package of an Office, OpenDocument or EPUB file, opened within limits; only the parts that are asked for."""

from __future__ import annotations

import io
import lzma
import posixpath
import zipfile
import zlib
from collections.abc import Callable, Iterable
from xml.etree import ElementTree as ET

from docshelf.documents.text.xml_text import parse_xml
from docshelf.errors import DocumentTooLargeError, EncryptedDocumentError, ParseFailedError
from docshelf.settings import Limits

_LARGEST_RATIO = 200
_RATIO_COUNTS_FROM = 10_000_000
_MOST_PARTS = 10_000
_ENCRYPTED = 0x1

DAMAGED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    EOFError,
    OSError,
    ValueError,
)
"""What Python's reader of ZIP files raises when the file, not the program, is at fault."""


class Package:
    """The parts of a package by name; names are told apart without regard to the case of letters."""

    def __init__(self, format_name: str, parts: Iterable[tuple[str, bytes]]) -> None:
        self.format_name = format_name
        self._parts = {_plain_name(name).casefold(): (_plain_name(name), content) for name, content in parts}

    def items(self) -> Iterable[tuple[str, bytes]]:
        """Name and content of each part that was read, in the order of the package."""
        return self._parts.values()

    def part(self, name: str) -> bytes | None:
        """Content of the part `name`, None where there is none."""
        found = self._parts.get(_plain_name(name).casefold())
        return found[1] if found else None

    def tree(self, name: str) -> ET.Element | None:
        """Root element of the XML part `name`, None where there is no such part.

        Raises:
            ParseFailedError: it is not well-formed, or declares entities.
        """
        content = self.part(name)
        return parse_xml(content, self.format_name) if content else None

    def required(self, name: str) -> ET.Element:
        """Root element of a part without which the file cannot be read.

        Raises:
            ParseFailedError: it is missing, not well-formed, or declares entities.
        """
        root = self.tree(name)
        if root is None:
            raise ParseFailedError(f"The {self.format_name} file is damaged: a part that it needs is missing.")
        return root


def open_package(data: bytes, limits: Limits, format_name: str, wanted: Callable[[str], bool]) -> Package:
    """Unpack the parts whose name is `wanted`.

    Raises:
        DocumentTooLargeError: unpacked they would be larger than `limits.max_bytes`, or are packed beyond reason.
        EncryptedDocumentError: one of them is encrypted.
        ParseFailedError: it is not a package or a part is damaged.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if wanted(_plain_name(entry.filename))]
            _check(entries, limits, format_name)
            return Package(format_name, [(entry.filename, archive.read(entry)) for entry in entries])
    except DAMAGED as error:
        raise ParseFailedError(f"The {format_name} file is damaged: its package cannot be opened.") from error


def _check(entries: list[zipfile.ZipInfo], limits: Limits, format_name: str) -> None:
    unpacked, packed = sum(entry.file_size for entry in entries), sum(entry.compress_size for entry in entries)
    if unpacked > limits.max_bytes:
        raise DocumentTooLargeError(
            f"Unpacked, the file is larger than the {limits.max_bytes:,} bytes that DOCSHELF_MAX_BYTES allows."
        )
    if len(entries) > _MOST_PARTS or (unpacked > _RATIO_COUNTS_FROM and unpacked > _LARGEST_RATIO * max(packed, 1)):
        raise DocumentTooLargeError("The file is packed so densely that it cannot be an ordinary document.")
    if any(entry.flag_bits & _ENCRYPTED for entry in entries):
        raise EncryptedDocumentError(
            f"The {format_name} file needs a password; save a copy without one to make it searchable."
        )


def _plain_name(name: str) -> str:
    """`name` as a path within the package, whichever way its writer spelled it."""
    return posixpath.normpath(name.replace("\\", "/")).lstrip("/")
