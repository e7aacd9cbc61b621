"""Change a file at random, so that it stays close to its format or does not."""

from __future__ import annotations

import io
import random
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence

LARGEST = 400_000
_NUMBERS = re.compile(rb"-?\d{1,12}")
_WORDS = re.compile(rb"[A-Za-z0-9_:*\\./-]{1,40}")
_STRANGE_NUMBERS = (b"0", b"-1", b"1", b"255", b"65536", b"99999999999", b"2147483648", b"1e999", b"4294967295")
_STRANGE_BYTES = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n\n", b"\t", b"\xe2\x80\xa8", b"\xed\xa0\x80", b"\x1b$B", b"\x0c"),
    *(
        b"<",
        b"</",
        b"<!--",
        b"<![CDATA[",
        b"&#0;",
        b"&amp;",
        b'"',
        b"'",
        b"{",
        b"}",
        b"[",
        b"]",
        b"(",
        b"|",
        b"\\",
        b"%",
    ),
    *(
        b"`" * 3,
        b"~" * 3,
        b"> ",
        b"- ",
        b"* ",
        b"# ",
        b"+--",
        b"=" * 5,
        b":::",
        b"--",
        b"=?utf-8?q?=",
        b"=?x?b?A",
        b"=\n",
    ),
)
_MOST_REPEATS = 3_000

Change = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


def changed(chance: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """`data` with some changes; of a package mostly within one of its parts."""
    if data.startswith(b"PK") and chance.random() < 0.9:
        return _with_changed_part(chance, data, others)
    return _changed_bytes(chance, data, others)


def _changed_bytes(chance: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    for _ in range(chance.choice((1, 1, 2, 3, 6, 20))):
        data = chance.choice(_CHANGES)(chance, data, others)[:LARGEST]
    return data


def _with_changed_part(chance: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, ValueError, RuntimeError):
        return _changed_bytes(chance, data, others)
    if not parts:
        return data
    texts = [content for _, content in parts]
    for _ in range(chance.choice((1, 1, 2))):
        number = chance.randrange(len(parts))
        name, content = parts[number]
        if chance.random() < 0.05:
            parts[number] = chance.choice(parts)[0], content
        else:
            parts[number] = name, _changed_bytes(chance, content[:LARGEST], texts)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in dict(parts).items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), content)
    return written.getvalue()


def _span(chance: random.Random, data: bytes, longest: int) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.randint(1, longest))


def _flip(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    if not data:
        return data
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]


def _overwrite(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _span(chance, data, 8)
    return data[:start] + chance.randbytes(end - start) + data[end:]


def _remove(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _span(chance, data, chance.choice((1, 20, 2_000)))
    return data[:start] + data[end:]


def _cut_off(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _repeat(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _span(chance, data, chance.choice((1, 5, 40, 400)))
    return data[:end] + data[start:end] * chance.choice((1, 2, 30, _MOST_REPEATS)) + data[end:]


def _repeat_word(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    found = _WORDS.search(data, chance.randrange(len(data) + 1))
    if found is None:
        return data
    return data[: found.end()] + found[0] * chance.choice((1, 3, _MOST_REPEATS)) + data[found.end() :]


def _swap_word(chance: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    other = chance.choice(others)
    found = _WORDS.search(data, chance.randrange(len(data) + 1))
    taken = _WORDS.search(other, chance.randrange(len(other) + 1))
    return data[: found.start()] + taken[0] + data[found.end() :] if found and taken else data


def _number(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    found = _NUMBERS.search(data, chance.randrange(len(data) + 1))
    return data[: found.start()] + chance.choice(_STRANGE_NUMBERS) + data[found.end() :] if found else data


def _insert(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice(_STRANGE_BYTES) * chance.choice((1, 1, 2, 50, _MOST_REPEATS)) + data[place:]


def _splice(chance: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    other = chance.choice(others)
    start, end = _span(chance, other, 2_000)
    first, last = _span(chance, data, chance.choice((1, 200)))
    return data[:first] + other[start:end] + data[last:]


def _move_line(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    lines.insert(chance.randrange(len(lines)), lines.pop(chance.randrange(len(lines))))
    return b"\n".join(lines)


_CHANGES: tuple[Change, ...] = (
    _flip,
    _overwrite,
    _remove,
    _cut_off,
    _repeat,
    _repeat_word,
    _swap_word,
    _number,
    _insert,
    _splice,
    _move_line,
)
