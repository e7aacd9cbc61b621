"""What a caller may see: groups open collections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from docshelf.access import strict_json
from docshelf.access.caller import Caller
from docshelf.errors import SettingsError

_VARIABLE = "DOCSHELF_ACCESS"
# As a group: every caller. As a collection: every collection.
_ALL = "*"
_FORM = 'it must be like {"GROUP": ["COLLECTION", "COLLECTION"], "GROUP": ["*"]}'

Collections = frozenset[str] | None


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """Which collections each group opens; without `groups` every caller sees everything."""

    groups: Mapping[str, Collections] | None = None

    def collections_for(self, caller: Caller) -> Collections:
        """The names of the collections that `caller` may see: None for all of them, empty for none."""
        if self.groups is None:
            return None
        opened: set[str] = set()
        for group in (_ALL, *caller.groups):
            names = self.groups.get(group, frozenset())
            if names is None:
                return None
            opened |= names
        return frozenset(opened)

    @classmethod
    def parse(cls, text: str | None) -> AccessPolicy:
        """The policy that the text of `DOCSHELF_ACCESS` states; no text, or a blank one, opens everything to everybody.

        Raises:
            SettingsError: the text is not of the form that docs/settings.md describes; the sentence says where.
        """
        if text is None or not text.strip():
            return cls()
        try:
            document = strict_json.loads(text)
        except ValueError as error:
            raise _broken(f"cannot be read: {error} As a whole {_FORM}.") from None
        if not isinstance(document, dict):
            raise _broken(f"is not a JSON object: {_FORM}.")
        return cls({_group(name): _opened(name, names) for name, names in document.items()})


def _broken(what: str) -> SettingsError:
    return SettingsError(f"{_VARIABLE} {what}")


def _group(name: str) -> str:
    if not name.strip():
        raise _broken("has a group without a name: remove it, or write * for every caller.")
    return name


def _opened(group: str, names: object) -> Collections:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _broken(f"has something else than a list of texts at the group {group!r}: {_FORM}.")
    if _ALL in names:
        if len(names) > 1:
            raise _broken(f"has * beside names at the group {group!r}: write either * alone or names alone.")
        return None
    for name in names:
        if not name.strip() or "/" in name:
            raise _broken(f"has {name!r} at the group {group!r}: a collection is a folder's name, without a slash.")
    return frozenset(names)
