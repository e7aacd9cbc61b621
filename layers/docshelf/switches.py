"""Settings that are on or off."""

from __future__ import annotations

from collections.abc import Mapping

from docshelf.errors import SettingsError

_ON = frozenset({"1", "true", "yes"})
_OFF = frozenset({"0", "false", "no"})


def switched_on(environment: Mapping[str, str], variable: str, *, default: bool) -> bool:
    """What `variable` says, or `default` where it is not set.

    Raises:
        SettingsError: it is neither yes nor no.
    """
    value = environment.get(variable, "").strip()
    if not value:
        return default
    if value.lower() in _ON | _OFF:
        return value.lower() in _ON
    raise SettingsError(f"{variable} must be 1 or 0, not {value!r}.")
