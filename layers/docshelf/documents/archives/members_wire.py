"""Members of archives and mails as messages from child to parent, which checks every value it gets back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from docshelf.documents.archives.members import Member, Members, member_name
from docshelf.documents.sandbox.frames import unusable
from docshelf.documents.sandbox.wire import decode_error, encode_error
from docshelf.settings import Limits

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_SECOND = 253_402_300_799


def encode_members(found: Members) -> tuple[dict[str, object], bytes]:
    """Header and contents, one after another."""
    rows = [
        {
            "name": member.name,
            "size": member.size,
            "length": len(member.data),
            "modified_at": None
            if member.modified_at is None
            else (member.modified_at - _EPOCH) // timedelta(seconds=1),
            **(encode_error(member.error) if member.error else {}),
        }
        for member in found.members
    ]
    return {"members": rows, "more": found.more}, b"".join(member.data for member in found.members)


def decode_members(header: dict[str, object], body: bytes, limits: Limits) -> Members:
    """Check the child's answer and make members of it.

    Raises:
        ParseFailedError: it is not a sound one.
    """
    rows = header.get("members")
    if not isinstance(rows, list):
        raise unusable()
    members, start = [], 0
    for row in rows:
        if not isinstance(row, dict):
            raise unusable()
        length = _number(row.get("length"), limits.max_bytes)
        members.append(_member(row, body[start : start + length]))
        start += length
    if start != len(body):
        raise unusable()
    return Members(tuple(members), header.get("more") is True)


def _member(row: dict[str, object], data: bytes) -> Member:
    name, seconds, error = row.get("name"), row.get("modified_at"), decode_error(row)
    if not isinstance(name, str) or not name or member_name(name) != name or (error and data):
        raise unusable()
    modified_at = None if seconds is None else _EPOCH + timedelta(seconds=_number(seconds, _LAST_SECOND))
    return Member(name, data, _number(row.get("size"), 2**63 - 1), modified_at, error)


def _number(value: object, largest: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= largest:
        raise unusable()
    return value
