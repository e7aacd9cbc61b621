"""The keys that sealed values are made with."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from docshelf.access import strict_json
from docshelf.errors import SettingsError

KEY_BYTES = 32
MAX_KEYS = 5
KEY_ID = re.compile(r"[A-Za-z0-9_-]{1,16}", re.ASCII)
GENERATED = "generated"
"""The id of the key that is made of the text which a deployment generated; nothing there can write 32 bytes."""

# 43 letters and digits are as many possibilities as 32 bytes.
_LEAST_CHARACTERS = 43
_FORM = 'it must be like {"current": "ID", "keys": {"ID": "32 bytes as base64"}}'


@dataclass(frozen=True, slots=True)
class SealingKeys:
    """Keys of 32 bytes by their ids. The one whose id is `current` seals; every one of them opens.

    Nothing that shows an instance shows a key, except `text`.
    """

    current: str
    keys: Mapping[str, bytes] = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> SealingKeys:
        """The keys of a JSON text, as a secret or the setting holds it.

        That is `{"current": ID, "keys": {ID: 32 bytes as base64, ...}}`, or what a deployment generated,
        `{"generated": 43 random characters or more}`, or both: a generated key that was rotated.

        Raises:
            SettingsError: it is not of that form, or has more than `MAX_KEYS` keys; the sentence shows no key.
        """
        try:
            document = strict_json.loads(text)
        except ValueError:
            # Not why it cannot be read: the text is a secret.
            raise _broken(f"cannot be read as JSON: {_FORM}") from None
        if not isinstance(document, dict):
            raise _broken(f"does not have the form of sealing keys: {_FORM}")
        made = {GENERATED: _made_of(document[GENERATED])} if GENERATED in document else {}
        entries = document.get("keys", {} if made else None)
        if not isinstance(entries, dict):
            raise _broken(f"does not have the form of sealing keys: {_FORM}")
        keys = made | {_key_id(name): _key(value) for name, value in entries.items()}
        if not 0 < len(keys) <= MAX_KEYS:
            raise _broken(f"must have at least one key and at most {MAX_KEYS}")
        current = document.get("current", GENERATED if made else None)
        if not isinstance(current, str) or current not in keys:
            raise _broken("must name one of its keys as current")
        return cls(current, keys)

    @classmethod
    def generate(cls) -> SealingKeys:
        """One new key."""
        return cls._with_new_key({})

    def rotated(self) -> SealingKeys:
        """A new key that seals, and the one that sealed up to now; older ones are dropped."""
        return self._with_new_key({self.current: self.keys[self.current]})

    @classmethod
    def _with_new_key(cls, others: Mapping[str, bytes]) -> SealingKeys:
        name = secrets.token_hex(4)
        return cls(name, {name: secrets.token_bytes(KEY_BYTES), **others})

    def text(self) -> str:
        """What `parse` reads: a secret."""
        keys = {name: base64.b64encode(key).decode() for name, key in self.keys.items()}
        return json.dumps({"current": self.current, "keys": keys})


def _broken(what: str) -> SettingsError:
    return SettingsError(f"What DOCSHELF_SEALING_KEYS or the secret of DOCSHELF_SEALING_KEYS_SECRET holds {what}.")


def _key_id(name: str) -> str:
    # The id is not repeated: whoever mixes up names and values would have written a key there.
    if not KEY_ID.fullmatch(name):
        raise _broken("has a key whose id is not 1 to 16 letters, digits, hyphens and underscores")
    return name


def _key(value: object) -> bytes:
    try:
        key = base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise _broken(f"has a key that is not {KEY_BYTES} bytes written as base64")
    return key


def _made_of(text: object) -> bytes:
    if not isinstance(text, str) or len(text) < _LEAST_CHARACTERS:
        raise _broken(f'has a "{GENERATED}" that is not a text of at least {_LEAST_CHARACTERS} random characters')
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
