"""Whether an object holds what a file holds, without fetching it.

The ETag of an object that was sent in one piece is the MD5 of its content, and that of one sent in parts is made of
the MD5s of its parts, unless the bucket encrypts with a key of KMS: then it says nothing. So an upload also notes the
SHA-256 in the object's metadata, which costs a request to see.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

PART_BYTES = 8 * 1024 * 1024
"""Files above this size are sent in parts of it; other tools cut into such parts too."""

SHA256_METADATA = "docshelf-sha256"

_BLOCK_BYTES = 1024 * 1024
_MD5 = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What names a file's content: `size` in bytes, hashes in hexadecimal, the ETag that it has when sent in parts."""

    size: int
    md5: str
    sha256: str
    parts_etag: str

    def is_etag(self, etag: str) -> bool:
        """Whether an object with this ETag (without quotes) holds the same content; False also where it cannot tell."""
        return etag == (self.md5 if _MD5.fullmatch(etag) else self.parts_etag)


def fingerprint(file: BinaryIO, check: Callable[[], None] = lambda: None) -> Fingerprint:
    """Read `file` from its start to its end; `check` is called now and then, and what it raises ends the reading."""
    whole, sha256 = hashlib.md5(usedforsecurity=False), hashlib.sha256()
    part, parts = hashlib.md5(usedforsecurity=False), []
    size, left = 0, PART_BYTES
    file.seek(0)
    while block := file.read(min(_BLOCK_BYTES, left)):
        check()
        for each in (whole, sha256, part):
            each.update(block)
        size, left = size + len(block), left - len(block)
        if not left:
            parts.append(part.digest())
            part, left = hashlib.md5(usedforsecurity=False), PART_BYTES
    if left < PART_BYTES:
        parts.append(part.digest())
    etag = f"{hashlib.md5(b''.join(parts), usedforsecurity=False).hexdigest()}-{len(parts)}"
    return Fingerprint(size, whole.hexdigest(), sha256.hexdigest(), etag)
