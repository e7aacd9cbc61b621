"""Moments as people and programs read them."""

from __future__ import annotations

from datetime import UTC, datetime


def iso(moment: datetime | None) -> str | None:
    """A moment in UTC as ISO 8601 to the second, None for None."""
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="seconds")
