"""What the queues carry: keys to look at for ingest, prepared documents and chores for the commit lane.

Every message of ours is a JSON object with `docshelf`, the kind. Events of S3 are read in `events`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import ClassVar, TypeGuard

from docshelf.errors import MessageError

KIND = "docshelf"


@dataclass(frozen=True, slots=True)
class LookAt:
    """To ingest: look at this key again. The same as an event, sent by the sweep, a commit or a command."""

    kind: ClassVar[str] = "key"
    key: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """To the commit lane: a prepared file. `rows` chunks for the documents `keys`, in the order of the file."""

    kind: ClassVar[str] = "prepared"
    file: str
    keys: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True)
class Maintain:
    """To the commit lane, by schedule: compact, update the indexes, clean up, measure."""

    kind: ClassVar[str] = "maintain"


@dataclass(frozen=True, slots=True)
class Sweep:
    """To the commit lane, by schedule: compare the bucket with the index, from behind the key `after` on.

    With `retry` every failure that may pass is looked at again, due or not. `run` names the whole sweep, `queued`
    counts what its earlier parts queued, `oldest` is the moment of the oldest change they found: empty at the start.
    """

    kind: ClassVar[str] = "sweep"
    after: str = ""
    run: str = ""
    queued: int = 0
    oldest: str = ""
    retry: bool = False


LaneMessage = Prepared | Maintain | Sweep


def to_body(message: LookAt | LaneMessage) -> dict[str, object]:
    """The JSON object of a message."""
    return {KIND: message.kind, **asdict(message)}


def lane_message(body: str) -> LaneMessage:
    """Read a message to the commit lane.

    Raises:
        MessageError: it is none; the sentence does not repeat it.
    """
    value = parse_object(body)
    for message in (Prepared, Maintain, Sweep):
        if value.get(KIND) == message.kind:
            return _built(message, value)
    raise MessageError("A message to the commit lane is of an unknown kind.")


def parse_object(body: str) -> Mapping[str, object]:
    """A message as a JSON object.

    Raises:
        MessageError: it is none.
    """
    try:
        value = json.loads(body)
        json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair is no text: no key can hold it
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise MessageError("A message is not a JSON object.")
    return value


def _built(kind: type[LaneMessage], value: Mapping[str, object]) -> LaneMessage:
    if kind is Maintain:
        return Maintain()
    if kind is Prepared:
        file, keys, rows = value.get("file"), value.get("keys"), value.get("rows")
        if (
            isinstance(file, str)
            and isinstance(keys, list)
            and all(isinstance(key, str) for key in keys)
            and isinstance(rows, int)
        ):
            return Prepared(file, tuple(keys), rows)
        raise MessageError("A message about a prepared file lacks its file, keys or rows.")
    texts = [value.get(name, "") for name in ("after", "run", "oldest")]
    queued, retry = value.get("queued", 0), value.get("retry", False)
    after, run, oldest = texts
    if isinstance(after, str) and isinstance(run, str) and _is_moment(oldest) and isinstance(queued, int):
        return Sweep(after, run, queued, oldest, retry is True)
    raise MessageError("A message about a sweep has fields of the wrong type.")


def _is_moment(text: object) -> TypeGuard[str]:
    """Whether `text` is a moment with its time zone as ISO 8601, or empty for none."""
    if not isinstance(text, str):
        return False
    try:
        return not text or datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
