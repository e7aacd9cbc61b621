"""Names of contents in the states they ended in, which tell whether another look at one could end otherwise."""

from __future__ import annotations

import hashlib

from docshelf.index.records import SourceVersion
from docshelf.settings import Limits
from docshelf.states import State

_RECOGNISED = "@ocr"
_OF_LIMITS = (State.TOO_LARGE, State.FAILED)
_OF_RECOGNITION = (State.EMPTY, State.UNSUPPORTED, State.QUEUED)


def version_of(content_version: str, state: State, limits: Limits, *, recognised: bool = False) -> str:
    """What names a content (its hash, or the object's version) that ended in `state`.

    With the limits, where other limits may end otherwise. With a mark, where the text was `recognised` from pictures,
    or where a document has none although recognition is on: without it, or before it, it ends otherwise.
    """
    if state in _OF_LIMITS:
        told = f"{limits!r} {limits.ocr} {limits.ocr_max_pages}" if limits.recognises else repr(limits)
        return f"{content_version}@{hashlib.sha256(told.encode()).hexdigest()[:16]}"
    if limits.recognises and (recognised or state in _OF_RECOGNITION):
        return f"{content_version}{_RECOGNISED}"
    return content_version


def is_version_of(stored: str | None, content_version: str, state: State, limits: Limits) -> bool:
    """Whether a document stored as `stored` is of this content, and limits as they are now would not change it."""
    if stored == version_of(content_version, state, limits):
        return True
    return state is State.INDEXED and stored == version_of(content_version, state, limits, recognised=True)


def holds_content(stored: SourceVersion, content_version: str, limits: Limits) -> bool:
    """Whether a key and all of its members are stored as of this content, and limits as they are would not change it.

    A key of which a part is missing, or that has no row, is not.
    """
    if not stored.consistent or stored.state is None:
        return False
    told = ((stored.state, stored.version), *stored.member_versions)
    return all(is_version_of(version, content_version, state, limits) for state, version in told)
