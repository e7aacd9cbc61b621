"""What binary files and containers are, by their first bytes and parts; those that are not read are named in words."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

from docshelf.documents.media_types import MediaType

# Leading bytes and what a file that starts so is. A signature of letters only could begin a sentence, so it counts
# only where the bytes that follow hold a control character, as those formats always do.
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"BM", "a BMP image"),
    (b"8BPS", "a Photoshop image"),
    (b"\0\0\1\0", "an icon"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\0", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x7fELF", "a program (ELF)"),
    (b"MZ", "a program (Windows)"),
    (b"\xca\xfe\xba\xbe", "a compiled program"),
    (b"\xcf\xfa\xed\xfe", "a program (macOS)"),
    (b"\xce\xfa\xed\xfe", "a program (macOS)"),
    (b"\0asm", "a WebAssembly module"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"PAR1", "a Parquet table"),
    (b"ID3", "an MP3 recording"),
    (b"OggS", "an Ogg recording"),
    (b"fLaC", "a FLAC recording"),
    (b"\x1a\x45\xdf\xa3", "a Matroska video"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"OTTO", "a font"),
    (b"\0\1\0\0\0", "a font"),
    (b"%!PS", "a PostScript document"),
    (b"version https://git-lfs.github.com/spec/", "a Git LFS pointer; the content itself was not fetched"),
)
_TEXT_SIGNATURES = (b"%!PS", b"version https://git-lfs.github.com/spec/")
_RIFF = {b"WEBP": "a WebP image", b"WAVE": "a WAV recording", b"AVI ": "an AVI video"}
_IMAGE_BRANDS = (b"heic", b"heix", b"mif1", b"avif")
_ARCHIVE_MEMBERS = (
    ("xl/workbook.bin", MediaType.XLSB),
    ("xl/workbook", MediaType.XLSX),
    ("xl/worksheets/", MediaType.XLSX),
    ("ppt/presentation", MediaType.PPTX),
    ("ppt/slides/", MediaType.PPTX),
    ("visio/", "a Visio drawing"),
    ("AndroidManifest.xml", "an Android package"),
    ("META-INF/MANIFEST.MF", "a Java archive"),
    ("META-INF/container.xml", MediaType.EPUB),
)
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
_OPEN_DOCUMENT_TYPES = (
    ("text", MediaType.ODT),
    ("spreadsheet", MediaType.ODS),
    ("presentation", MediaType.ODP),
    ("graphics", "an OpenDocument drawing"),
    ("formula", "an OpenDocument formula"),
    ("database", "an OpenDocument database"),
)
# What a ZIP container that cannot be opened was, by the names of its parts.
_TRACES = (
    (b"word/document", MediaType.DOCX),
    (b"xl/workbook.bin", MediaType.XLSB),
    (b"xl/work", MediaType.XLSX),
    (b"ppt/slide", MediaType.PPTX),
    (b"mimetypeapplication/epub+zip", MediaType.EPUB),
    (b"mimetypeapplication/vnd.oasis.opendocument.text", MediaType.ODT),
    (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", MediaType.ODS),
    (b"mimetypeapplication/vnd.oasis.opendocument.presentation", MediaType.ODP),
)
_OLE_STREAMS = (
    ("WordDocument", "a Word 97-2003 document (save it as .docx)"),
    ("PowerPoint Document", "a PowerPoint 97-2003 presentation (save it as .pptx)"),
    ("Workbook", MediaType.XLS),
    ("Book", MediaType.XLS),
    ("__substg1.0_", MediaType.MSG),
)

_OLE_HEADER = 512
_MESSAGE_PARTS = ("__substg1.0_", "__properties_version1.0", "__nameid_version1.0", "__recip_version1.0_")

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""How a ZIP container begins, and one without any part."""

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def binary_kind(data: bytes) -> str | None:
    """What `data` is by its signature, with its article ("a PNG image"), or None. ZIP and OLE are not asked here."""
    head = data[:512]
    has_controls = any(byte < 9 for byte in head)
    if has_controls and head.startswith(b"RIFF"):
        return _RIFF.get(head[8:12], "a RIFF media file")
    if has_controls and head[4:8] == b"ftyp":
        return "a HEIF image" if head[8:12] in _IMAGE_BRANDS else "an MP4 video"
    if has_controls and head[257:262] == b"ustar":
        return "a TAR archive"
    for signature, kind in _SIGNATURES:
        if head.startswith(signature) and (has_controls or signature in _TEXT_SIGNATURES or not signature.isascii()):
            return kind
    return None


def zip_kind(data: bytes) -> MediaType | str:
    """What a ZIP container holds: a format that is read, or in words one that is not."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [name.replace("\\", "/") for name in archive.namelist()]
            declared = _declared_type(archive, names)
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, NotImplementedError, RuntimeError, EOFError):
        # The parser says better what is wrong with a damaged document than the signature could.
        return next((kind for trace, kind in _TRACES if trace in data), MediaType.ZIP)
    if any(name.startswith("word/document") and name.endswith(".xml") for name in names):
        return MediaType.DOCX
    if declared == "application/epub+zip":
        return MediaType.EPUB
    kind = open_document_kind(declared)
    if kind is not None:
        return kind
    for prefix, member_kind in _ARCHIVE_MEMBERS:
        if any(name.startswith(prefix) for name in names):
            return member_kind
    return MediaType.ZIP


def open_document_kind(media_type: str) -> MediaType | str | None:
    """What the OpenDocument type `media_type` (a MIME type) is: one that is read, or words; None for other types."""
    if not media_type.startswith(_OPEN_DOCUMENT):
        return None
    name = media_type.removeprefix(_OPEN_DOCUMENT)
    return next((kind for prefix, kind in _OPEN_DOCUMENT_TYPES if name.startswith(prefix)), "an OpenDocument file")


def _declared_type(archive: zipfile.ZipFile, names: list[str]) -> str:
    """The content of the `mimetype` member by which EPUB and OpenDocument files name themselves."""
    if "mimetype" not in names:
        return ""
    with archive.open("mimetype") as member:
        return member.read(100).decode("ascii", errors="replace").strip()


def _is_outlook_message(data: bytes) -> bool:
    """Whether the container's own directory, not that of a file within it, begins with the parts of a message."""
    if len(data) < _OLE_HEADER:
        return False
    (shift,) = struct.unpack_from("<H", data, 30)
    (sector,) = struct.unpack_from("<I", data, 48)
    size = 1 << min(shift, 12)
    start = (sector + 1) * size
    directory = data[start : start + max(size, 2_048)]
    return any(name.encode("utf-16-le") in directory for name in _MESSAGE_PARTS)


def ole_kind(data: bytes, extension: str) -> MediaType | str | None:
    """What an OLE2 container holds: a format that is read, or words; None when it is an encrypted Office document.

    A document may have others embedded; then a workbook is known by its `extension`.
    """

    def has_stream(name: str) -> bool:
        return name.encode("utf-16-le") in data

    if _is_outlook_message(data):
        return MediaType.MSG
    if has_stream("EncryptedPackage"):
        return None
    kinds = [kind for name, kind in _OLE_STREAMS if has_stream(name)]
    if MediaType.XLS in kinds and extension in ("xls", "xlt"):
        return MediaType.XLS
    return kinds[0] if kinds else "an old Microsoft Office file"
