"""Files that are not read, recognised by their first bytes so that the person is told what they are."""

from __future__ import annotations

import io
import zipfile
import zlib

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
    (b"PK\x05\x06", "an empty ZIP archive"),
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
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "a PostScript document"),
    (b"version https://git-lfs.github.com/spec/", "a Git LFS pointer; the content itself was not fetched"),
)
_TEXT_SIGNATURES = (b"{\\rtf", b"%!PS", b"version https://git-lfs.github.com/spec/")
_RIFF = {b"WEBP": "a WebP image", b"WAVE": "a WAV recording", b"AVI ": "an AVI video"}
_IMAGE_BRANDS = (b"heic", b"heix", b"mif1", b"avif")
_ARCHIVE_MEMBERS = (
    ("xl/", "an Excel workbook"),
    ("ppt/", "a PowerPoint presentation"),
    ("visio/", "a Visio drawing"),
    ("AndroidManifest.xml", "an Android package"),
    ("META-INF/MANIFEST.MF", "a Java archive"),
)
_ARCHIVE_TYPES = {
    "application/epub+zip": "an EPUB book",
    "application/vnd.oasis.opendocument.text": "an OpenDocument text",
    "application/vnd.oasis.opendocument.spreadsheet": "an OpenDocument spreadsheet",
    "application/vnd.oasis.opendocument.presentation": "an OpenDocument presentation",
}
_OLE_STREAMS = (
    ("WordDocument", "a Word 97-2003 document (save it as .docx)"),
    ("Workbook", "an Excel 97-2003 workbook"),
    ("PowerPoint Document", "a PowerPoint 97-2003 presentation"),
    ("__substg1.0_", "an Outlook message"),
)

ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
DOCX = "DOCX"


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


def zip_kind(data: bytes) -> str:
    """What a ZIP container holds: `DOCX`, or a kind that is not read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            declared = _declared_type(archive, names)
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, NotImplementedError, RuntimeError):
        # The parser says better what is wrong with a damaged document than the signature could.
        return DOCX if b"word/document" in data else "a damaged ZIP archive"
    if any(name.startswith("word/document") and name.endswith(".xml") for name in names):
        return DOCX
    if declared in _ARCHIVE_TYPES:
        return _ARCHIVE_TYPES[declared]
    for prefix, kind in _ARCHIVE_MEMBERS:
        if any(name.startswith(prefix) for name in names):
            return kind
    return "a ZIP archive"


def _declared_type(archive: zipfile.ZipFile, names: list[str]) -> str:
    """The content of the `mimetype` member by which EPUB and OpenDocument files name themselves."""
    if "mimetype" not in names:
        return ""
    with archive.open("mimetype") as member:
        return member.read(100).decode("ascii", errors="replace").strip()


def ole_kind(data: bytes) -> str | None:
    """What an OLE2 container holds; None when it is an encrypted Office document."""

    def has_stream(name: str) -> bool:
        return name.encode("utf-16-le") in data

    if has_stream("EncryptedPackage"):
        return None
    return next((kind for name, kind in _OLE_STREAMS if has_stream(name)), "an old Microsoft Office file")
