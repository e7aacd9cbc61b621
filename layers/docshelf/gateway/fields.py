"""Fields of an event whose form nobody guarantees: each is of its type, or absent, or the event is broken."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

from docshelf.errors import EventError

Fields = Mapping[object, object]


def text(fields: Fields, name: str) -> str:
    """The text `name`; empty where it is absent.

    Raises:
        EventError: it is something else, as every function here says.
    """
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _broken(name)
    return value


def needed_text(fields: Fields, name: str) -> str:
    """The text `name`, which is not empty."""
    value = text(fields, name)
    if not value:
        raise _broken(name)
    return value


def mapping(fields: Fields, name: str) -> Fields:
    """The object `name`; empty where it is absent."""
    value = fields.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _broken(name)
    return value


def texts(fields: Fields, name: str) -> list[str]:
    """The list of texts `name`; empty where it is absent."""
    value = fields.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _broken(name)
    return value


def single_pairs(fields: Fields, name: str) -> list[tuple[str, str]]:
    """The names of the object `name`, each with its one text; those without one are left out."""
    pairs = []
    for key, value in mapping(fields, name).items():
        if not isinstance(key, str) or not isinstance(value, str | None):
            raise _broken(name)
        if value is not None:
            pairs.append((key, value))
    return pairs


def repeated_pairs(fields: Fields, name: str) -> list[tuple[str, str]]:
    """The names of the object `name`, each once for every text of its list."""
    pairs = []
    for key, values in mapping(fields, name).items():
        if not isinstance(key, str) or not isinstance(values, list | None):
            raise _broken(name)
        for value in values or ():
            if not isinstance(value, str):
                raise _broken(name)
            pairs.append((key, value))
    return pairs


def body(fields: Fields) -> bytes:
    """The body, which is base64 where `isBase64Encoded` says so; empty where it is absent."""
    encoded, value = fields.get("isBase64Encoded", False), text(fields, "body")
    if not isinstance(encoded, bool):
        raise _broken("isBase64Encoded")
    try:
        return base64.b64decode(value, validate=True) if encoded else value.encode()
    except (binascii.Error, ValueError):
        raise _broken("body") from None


def _broken(name: str) -> EventError:
    return EventError(f"The event's field {name} is missing or not of the form that API Gateway gives it.")
