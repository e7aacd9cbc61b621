"""Write mails down as sections: subject, who and when, what it says, what came with it, what was forwarded."""

from __future__ import annotations

from docshelf.documents.mail.model import Mail
from docshelf.documents.piece_builder import PieceBuilder

_MOST_ATTACHMENTS = 200


def write_mail(builder: PieceBuilder, mail: Mail, level: int = 1) -> None:
    """Add `mail` as a section under a heading of `level`, those forwarded with it as sections of the next."""
    if mail.subject or level > 1:
        builder.heading(level, mail.subject or "(no subject)")
    builder.paragraph("\n".join(f"{name}: {value}" for name, value in mail.people))
    for body in mail.bodies:
        if isinstance(body, str):
            for paragraph in body.split("\n\n"):
                builder.paragraph(paragraph)
        else:
            builder.add_all(body)
    if mail.attachments:
        builder.paragraph("Attachments:")
        builder.items((0, "-", _described(mail, number)) for number in range(len(mail.attachments[:_MOST_ATTACHMENTS])))
        if len(mail.attachments) > _MOST_ATTACHMENTS:
            builder.paragraph(f"and {len(mail.attachments) - _MOST_ATTACHMENTS:,} more")
    for forwarded in mail.forwarded:
        write_mail(builder, forwarded, level + 1)


def _described(mail: Mail, number: int) -> str:
    attachment = mail.attachments[number]
    return f"{attachment.name} ({attachment.media_type}, {attachment.size:,} bytes)"
