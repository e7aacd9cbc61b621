"""Filter expressions for Lance: the one place where a value becomes part of an expression."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Filters:
    """Which documents a search may see; None means no restriction, an empty tuple of collections means none at all."""

    collections: tuple[str, ...] | None = None
    path_prefix: str | None = None


EVERYTHING = Filters()


def literal(value: str) -> str:
    """`value` as a string literal, whatever it holds; a lone surrogate, which nothing stored can hold, as U+FFFD."""
    return "'" + _SURROGATE.sub("\ufffd", value).replace("'", "''") + "'"


def one_of(column: str, values: Iterable[str]) -> str:
    """The condition that `column` is one of `values`; false when there are none.

    A value with a lone surrogate is none: nothing stored can hold one.
    """
    literals = ", ".join(literal(value) for value in values if not _SURROGATE.search(value))
    return f"{column} IN ({literals})" if literals else "false"


def starting_with(column: str, prefix: str) -> str:
    """The condition that `column` starts with `prefix`, as a range: it needs no wildcards and uses the BTree."""
    if _SURROGATE.search(prefix):
        return "false"
    lower = f"{column} >= {literal(prefix)}"
    upper = _after_prefix(prefix)
    return lower if upper is None else f"{lower} AND {column} < {literal(upper)}"


def _after_prefix(prefix: str) -> str | None:
    """The least string above every string that starts with `prefix` (UTF-8 sorts by code point), None if none is."""
    prefix = prefix.rstrip(_LAST)
    if not prefix:
        return None
    following = ord(prefix[-1]) + 1
    if following == 0xD800:
        following = 0xE000
    return prefix[:-1] + chr(following)


def joined(*conditions: str | None) -> str | None:
    """All `conditions` at once, leaving out those that are None; None when nothing is left."""
    present = [f"({condition})" for condition in conditions if condition is not None]
    return " AND ".join(present) or None


def condition(filters: Filters) -> str | None:
    """The expression for `filters`, or None when they restrict nothing."""
    return joined(
        None if filters.collections is None else one_of("collection", filters.collections),
        starting_with("source", filters.path_prefix) if filters.path_prefix else None,
    )
