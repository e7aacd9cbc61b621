"""Whether a text is a mail or a folder of mails, by the header lines that it begins with."""

from __future__ import annotations

import re

from docshelf.documents.media_types import MediaType

FIRST_LINE = r"From [^\r\n]{0,100}? [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d[^\r\n]{0,40}\r?\n(?=[!-9;-~]{1,76}[ \t]*:)"
"""The line that begins a mail in a folder: sender and date, before a header; a sentence that begins so has no date."""

_LONGEST_HEAD = 65_536
_FIRST_LINE = re.compile(FIRST_LINE)
_FIELD = re.compile(r"([!-9;-~]{1,76})[ \t]*:")
_OF_PEOPLE = frozenset(("from", "to", "cc", "bcc", "date", "subject", "sender", "reply-to"))
# Written by programs that send mail, never by a person who copies the top of one into a text.
_PROGRAM_FIELDS = """
    authentication-results content-transfer-encoding delivered-to dkim-signature envelope-to in-reply-to list-id
    message-id mime-version received references return-path thread-index thread-topic user-agent x-gm-thrid x-mailer
    x-mozilla-status x-received
"""
_OF_PROGRAMS = frozenset(_PROGRAM_FIELDS.split())
_ENOUGH = 3
_ENOUGH_WITH_NAME = 2
_EXTENSIONS = ("eml", "mht", "mhtml", "mbox", "mbx")


def mail_type(head: str, extension: str) -> MediaType | None:
    """MAIL or MBOX where `head`, the first characters of a text (line ends `\\n`), are the header of a mail.

    Three known fields are asked for, one of them written by a program; two of any kind where the name says mail.
    """
    head = head[:_LONGEST_HEAD].lstrip("\n")
    first = _FIRST_LINE.match(head)
    names = _field_names(head[first.end() :] if first else head)
    of_programs = len(names & _OF_PROGRAMS)
    known = of_programs + len(names & _OF_PEOPLE)
    if extension in _EXTENSIONS or first:
        is_mail = known >= _ENOUGH_WITH_NAME
    else:
        is_mail = known >= _ENOUGH and of_programs > 0 and bool(names & _OF_PEOPLE)
    if not is_mail:
        return None
    return MediaType.MBOX if first else MediaType.MAIL


def _field_names(head: str) -> set[str]:
    """Names, in lower case, of the fields up to the first blank line; none where other lines stand among them."""
    names: set[str] = set()
    for line in head.split("\n"):
        if not line.strip():
            break
        if line[0] in " \t" and names:
            continue
        field = _FIELD.match(line)
        if field is None:
            return names if len(names) >= 2 * _ENOUGH else set()
        names.add(field[1].casefold())
    return names
