"""Showing untrusted names: titles, headings, source keys and dates, each on one line and of bounded length."""

from __future__ import annotations

import json
from datetime import UTC, datetime

_ELLIPSIS = "…"


def clean(text: str, limit: int) -> str:
    """`text` on one line of at most `limit` characters: nothing invisible, no quotation mark, no field separator."""
    # A name can be as long as a file system allows, or come from a document; look at no more than can be shown.
    head = text[: limit * 4]
    shown = "".join(character if character.isprintable() else " " for character in head)
    line = " ".join(shown.replace('"', "'").replace("|", "/").split())
    if len(line) > limit or len(text) > len(head):
        return line[: limit - 1].rstrip() + _ELLIPSIS
    return line


def quoted(text: str, limit: int) -> str:
    """`clean` text between quotation marks."""
    return f'"{clean(text, limit)}"'


def key(source: str) -> str:
    """A source key exactly as a tool takes it back, as a JSON string where plain text would be ambiguous."""
    plain = source == source.strip() and source.isprintable() and not set(source) & set('"|\\')
    return source if plain else argument(source)


def argument(source: str) -> str:
    """A source key as a quoted JSON string, for a call written out; invisible characters are escaped."""
    text = json.dumps(source, ensure_ascii=False)
    return "".join(character if character.isprintable() else json.dumps(character).strip('"') for character in text)


def date(moment: datetime | None) -> str:
    """The day of `moment` in UTC (naive times count as UTC), or "unknown"."""
    if moment is None:
        return "unknown"
    return (moment if moment.tzinfo is None else moment.astimezone(UTC)).date().isoformat()


def count(number: int, noun: str) -> str:
    """`number` with its noun, e.g. "1 document" or "2,796 documents"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def encodable(text: str) -> str:
    """`text` with lone surrogates replaced, so that it can be sent."""
    return text.encode("utf-8", "replace").decode("utf-8")
