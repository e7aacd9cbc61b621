"""A mail as every reader of mail hands it on: what it says, to whom, and what was attached."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field

from docshelf.documents.html.text import one_line
from docshelf.documents.pieces import Piece

_LONGEST_NAME = 200

MOST_PARTS = 1_000
"""Parts of one mail that are read."""

DEEPEST_FORWARD = 5
"""Forwarded mails within forwarded ones that are read; those further in are attachments."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a mail; `size` in bytes. `read` gives its content, decoded at each call."""

    name: str
    media_type: str
    size: int
    read: Callable[[], bytes]


@dataclass(slots=True)
class Mail:
    """One mail; `people` are the header lines that are shown, `bodies` text or what a page of HTML holds.

    `is_encrypted` is set where its text, or that of a part, cannot be read without a key.
    """

    subject: str = ""
    people: list[tuple[str, str]] = field(default_factory=list)
    bodies: list[str | list[Piece]] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    forwarded: list[Mail] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    is_encrypted: bool = False

    def all_attachments(self) -> list[Attachment]:
        """The attachments of this mail and of those forwarded with it."""
        pending, found = [self], []
        while pending:
            mail = pending.pop()
            found += mail.attachments
            pending += reversed(mail.forwarded)
        return found


def attachment_name(name: str, number: int) -> str:
    """A plain file name: no folders, no control characters; `attachment-NUMBER` where none is left."""
    plain = posixpath.basename(one_line(name).replace("\\", "/").rstrip("/")).strip()
    if len(plain) > _LONGEST_NAME:
        stem, extension = posixpath.splitext(plain)
        plain = stem[: _LONGEST_NAME - len(extension[:20])] + extension[:20]
    return plain if plain.strip(".") else f"attachment-{number}"
