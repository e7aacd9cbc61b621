"""Archives and mails with files in them, made in memory."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from email.message import EmailMessage

import pypdf

from docshelf.documents.archives.members import Member
from docshelf.documents.archives.unpacking import unpack
from docshelf.settings import Limits
from tests.support.made_pdfs import pdf_of, show

MOMENT = (2024, 3, 1, 10, 20, 30)


def zip_of(files: Mapping[str, bytes], *, stored: bool = False, utf8: bool = True) -> bytes:
    """A ZIP archive of names and contents; without `utf8` its names are UTF-8 and the archive does not say so."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            shown = name if utf8 else name.encode().decode("cp437")
            archive.writestr(zipfile.ZipInfo(shown, MOMENT), content, archive.compression)
    data = buffer.getvalue()
    return data if utf8 else _without_utf8_flag(data)


def _without_utf8_flag(data: bytes) -> bytes:
    """The archive with its names' bytes read back from UTF-8 to the ones they were made of."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for info in old.infolist():
            plain = zipfile.ZipInfo("x" * len(info.filename.encode("cp437")), info.date_time)
            new.writestr(plain, old.read(info))
    written = buffer.getvalue()
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        for info in old.infolist():
            raw = info.filename.encode("cp437")
            written = written.replace(b"x" * len(raw), raw, 2)
    return written


def encrypted_zip(name: str, content: bytes = b"x" * 12) -> bytes:
    """A ZIP archive whose only file says that it is encrypted."""
    data = bytearray(zip_of({name: content}, stored=True))
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + place] |= 1
    return bytes(data)


def tar_of(files: Mapping[str, bytes], mode: str = "w", others: Sequence[tarfile.TarInfo] = ()) -> bytes:
    """A TAR archive of names and contents, and of `others` without any."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), 1_709_288_430
            archive.addfile(info, io.BytesIO(content))
        for info in others:
            archive.addfile(info)
    return buffer.getvalue()


def mail_of(text: str, files: Mapping[str, bytes]) -> bytes:
    """A mail with a text and attachments."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ann@example.com", "bob@example.com", "The files"
    message["Date"], message["Message-ID"] = "Fri, 01 Mar 2024 10:20:30 +0000", "<1@example.com>"
    message.set_content(text)
    for name, content in files.items():
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return bytes(message)


def pdf_with(text: str, files: Mapping[str, bytes]) -> bytes:
    """A PDF of one page, blank where there is no `text`, with attached files."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf_of([show(text, 72, 700)] if text else [""])))
    for name, content in files.items():
        writer.add_attachment(name, content)
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def all_members(data: bytes, key: str, limits: Limits) -> list[Member]:
    """Every member of `data`, slice after slice."""
    members: list[Member] = []
    more = True
    while more:
        found = unpack(data, key, limits, len(members))
        members += found.members
        more = found.more
    return members
