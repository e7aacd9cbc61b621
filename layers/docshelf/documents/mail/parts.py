"""From the parts of a MIME message to a `Mail`: the best body, what was attached, the mails that were forwarded."""

from __future__ import annotations

from docshelf.documents.mail.body import is_stand_in, without_repeats
from docshelf.documents.mail.headers import header_text, shown_date
from docshelf.documents.mail.leaves import Part, add_leaf, children_of, header_lines, parsed
from docshelf.documents.mail.model import DEEPEST_FORWARD, MOST_PARTS, Mail
from docshelf.documents.pieces import Piece

_DEEPEST = 50
_SHOWN = ("From", "To", "Cc")
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")


def read_mail(data: bytes) -> Mail:
    """The mail whose headers `data` begins with; what was lost or cannot be read is among its `warnings`."""
    return _Reader().read(parsed(data), 0)


class _Reader:
    """Reads one mail with all that it contains, up to `MOST_PARTS` parts."""

    def __init__(self) -> None:
        self._parts = 0

    def read(self, message: Part, forwards: int) -> Mail:
        mail = Mail(subject=header_text(message.get("Subject", "")))
        named = [(name, header_text(", ".join(message.get_all(name, [])))) for name in _SHOWN]
        named.append(("Date", shown_date(message.get("Date", ""))))
        mail.people = [(name, value) for name, value in named if value]
        self._add(mail, message, forwards, 0)
        mail.bodies = without_repeats(mail.bodies)
        return mail

    def _add(self, mail: Mail, part: Part, forwards: int, depth: int) -> None:
        self._parts += 1
        if self._parts > MOST_PARTS or depth > _DEEPEST:
            mail.warnings.append("The mail has too many parts, or nests them too deeply; not all of them were read.")
            return
        kind = part.get_content_type()
        children = children_of(part)
        if kind == "multipart/encrypted":
            mail.is_encrypted = True
        elif kind == "multipart/alternative" and children:
            self._add_best(mail, children, forwards, depth)
        elif kind == "message/rfc822" and children and forwards < DEEPEST_FORWARD:
            mail.forwarded.append(self.read(children[0], forwards + 1))
        elif kind.startswith("message/") and kind != "message/rfc822" and children:
            mail.bodies.append("\n\n".join(map(header_lines, children)))
        elif kind.startswith("multipart/") and children:
            for child in children:
                self._add(mail, child, forwards, depth + 1)
        elif kind not in _SIGNATURES:
            add_leaf(mail, part, is_whole=depth == 0)

    def _add_best(self, mail: Mail, forms: list[Part], forwards: int, depth: int) -> None:
        """Of the forms of one body: plain text, unless it only stands in for the HTML."""
        plain: list[str | list[Piece]] = []
        pages: list[str | list[Piece]] = []
        for form in forms:
            read = Mail()
            self._add(read, form, forwards, depth + 1)
            if any(isinstance(body, list) for body in read.bodies):
                pages = read.bodies
            elif read.bodies and not plain:
                plain = read.bodies
            mail.attachments += read.attachments
            mail.forwarded += read.forwarded
            mail.warnings += read.warnings
            mail.is_encrypted |= read.is_encrypted
        words = "\n\n".join(body for body in plain if isinstance(body, str))
        pieces = [piece for body in pages if isinstance(body, list) for piece in body]
        mail.bodies += pages if is_stand_in(words, pieces) else plain
