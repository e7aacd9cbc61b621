"""The parts of a MIME message that hold something: text for the body, files, what is sealed."""

from __future__ import annotations

import quopri
import re
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32
from functools import partial

from docshelf.documents.mail.body import html_body, is_encrypted_text, joined_lines, paragraphs
from docshelf.documents.mail.headers import decoded_bytes, header_text, lenient_base64, unescaped
from docshelf.documents.mail.model import Attachment, Mail, attachment_name
from docshelf.errors import UnsupportedDocumentError

_HTML = ("text/html", "application/xhtml+xml")
_BODIES = ("text/plain", "text/enriched", "text/rfc822-headers", *_HTML)
_SEALED = ("application/pkcs7-mime", "application/x-pkcs7-mime", "application/x-microsoft-rpmsg-message")
_SIGNED_DATA = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"  # OID 1.2.840.113549.1.7.2
_NAMED_WITHIN = 64
_LONGEST_PARAMETERS = 4_000
_BASE64_LINES = re.compile(rb"(?:[A-Za-z0-9+/=]*+[ \t]*+\r?\n)*+(?:[A-Za-z0-9+/=]++[ \t]*+\Z)?")
# The line before the headers of a part, where the header does not say which lines part them.
_UNDECLARED = re.compile(
    rb"^--([^\s\"\\][^\r\n\"\\]{0,99}?)[ \t\r]*\n(?=content-[\w-]{1,40}:)", re.MULTILINE | re.IGNORECASE
)


class Part(Message):
    """A mail or a part of one, with its content as it was sent."""

    _payload: object

    def raw(self) -> bytes:
        """The content before any decoding; empty for a part that consists of others."""
        payload = self._payload
        return payload.encode("utf-8", errors="surrogateescape") if isinstance(payload, str) else b""

    def children(self) -> list[Part]:
        """The parts that this one consists of."""
        payload = self._payload
        return [child for child in payload if isinstance(child, Part)] if isinstance(payload, list) else []


class _Policy(Compat32):
    """Headers as text, whatever bytes they hold."""

    def header_fetch_parse(self, name: str, value: str) -> str:
        # Python's reader of parameters needs time by the square of their number.
        return unescaped(value[:_LONGEST_PARAMETERS] if name.casefold().startswith("content-") else value)


_PARSER = BytesParser(Part, policy=_Policy())


def parsed(data: bytes) -> Part:
    """The structure of the mail `data`."""
    part = _PARSER.parsebytes(data)
    assert isinstance(part, Part)
    return part


def children_of(part: Part) -> list[Part]:
    """The parts of `part`; where the line that parts them is not the declared one, it is told from the content."""
    children = part.children()
    if children or part.get_content_maintype() != "multipart":
        return children
    found = _UNDECLARED.search(part.raw())
    if found is None:
        return []
    return parsed(b'Content-Type: multipart/mixed; boundary="' + found[1] + b'"\n\n' + part.raw()).children()


def header_lines(part: Part) -> str:
    """The header lines of a part of a report, as text."""
    return "\n".join(f"{header_text(name)}: {header_text(value)}" for name, value in part.items())


def add_leaf(mail: Mail, part: Part, *, is_whole: bool) -> None:
    """Add what `part`, which has no parts of its own, holds; `is_whole` where it is the whole mail."""
    kind = part.get_content_type()
    disposition = str(part.get("Content-Disposition", "")).partition(";")[0].strip().casefold()
    name = _parameter(part, "filename", "Content-Disposition") or _parameter(part, "name", "Content-Type")
    if kind in _SEALED:
        if _is_signed(part):
            mail.warnings.append("The text of the mail is inside its signature, which is not read.")
        else:
            mail.is_encrypted = True
        return
    is_body = kind in _BODIES or kind.startswith("multipart/")
    if is_whole and kind.startswith("text/"):
        is_body = True
    elif is_body:
        is_body = not name and disposition != "attachment"
    if is_body:
        _add_body(mail, part, kind)
    elif not (kind.startswith("image/") and disposition != "attachment" and part.get("Content-ID")):
        number = len(mail.attachments) + 1
        read = partial(content_of, part)
        mail.attachments.append(Attachment(attachment_name(name, number), header_text(kind)[:100], len(read()), read))


def content_of(part: Part) -> bytes:
    """The content of a part, its transfer encoding taken off as far as it holds."""
    children = part.children()
    if children:
        return b"".join(child.as_bytes() for child in children)
    raw = part.raw()
    encoding = str(part.get("Content-Transfer-Encoding", "")).strip(" \t\"'").casefold()
    if encoding == "base64":
        return _from_base64(raw)
    if encoding == "quoted-printable":
        return quopri.decodestring(raw)
    decoded = part.get_payload(decode=True) if encoding.startswith(("x-uu", "uu")) else raw
    return decoded if isinstance(decoded, bytes) else raw


def _from_base64(raw: bytes) -> bytes:
    """The leading lines of Base64, behind which programs append their own; `raw` itself where there are none."""
    lines = _BASE64_LINES.match(raw)
    kept = b"".join(lines[0].split()) if lines else b""
    is_followed = lines is not None and lines.end() < len(raw)
    return raw if not kept or (is_followed and len(kept) % 4) else lenient_base64(kept)


def _add_body(mail: Mail, part: Part, kind: str) -> None:
    try:
        text, lost = decoded_bytes(content_of(part), _parameter(part, "charset", "Content-Type"))
    except UnsupportedDocumentError:
        mail.warnings.append("A part of the mail says that it is text and is not; it was left out.")
        return
    mail.warnings += lost
    if kind in _HTML:
        pieces = html_body(text)
        if pieces:
            mail.bodies.append(pieces)
        return
    if is_encrypted_text(text):
        mail.is_encrypted = True
        return
    if _parameter(part, "format", "Content-Type").casefold() == "flowed":
        text = joined_lines(text, without_space=_parameter(part, "delsp", "Content-Type").casefold() == "yes")
    text = paragraphs(text)
    if text:
        mail.bodies.append(text)


def _is_signed(part: Part) -> bool:
    """Whether a part of S/MIME is only signed: anybody could read it, though not here."""
    return (
        _parameter(part, "smime-type", "Content-Type").casefold() in ("signed-data", "certs-only")
        or _SIGNED_DATA in content_of(part)[:_NAMED_WITHIN]
    )


def _parameter(part: Part, name: str, header: str) -> str:
    """A parameter of a header as text; empty where it is missing or cannot be told."""
    try:
        value = part.get_param(name, "", header)
        if isinstance(value, tuple):
            charset, _, encoded = value
            return header_text(decoded_bytes(encoded.encode("latin-1", errors="replace"), charset or "")[0])
    except (ValueError, TypeError, LookupError, UnsupportedDocumentError):
        return ""
    return header_text(unescaped(str(value)))
