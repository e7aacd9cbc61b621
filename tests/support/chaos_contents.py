"""Keys and contents for the randomized test, and how each content must end."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass

from docshelf.content_versions import version_of
from docshelf.settings import Limits
from docshelf.states import State
from tests.support.archives import zip_of

MAX_BYTES = 6_000
LIMITS = Limits(max_bytes=MAX_BYTES, parse_seconds=5)
UNCHANGED, REPLACED = "sentinel/unchanged.md", "sentinel/replaced with a+b.md"
SENTINELS = {UNCHANGED: "cassowary", REPLACED: "ptarmigan"}
"""Documents that exist before and after, each with a word that only it has."""

_KEYS = (
    "plain.md",
    "notes/with space.md",
    'notes/it\'s "quoted".md',
    "emoji/\U0001f980 crab.md",
    "accents/caf\u00e9.md",
    "accents/cafe\u0301.md",
    "odd/a+b%20.md",
    "odd/a b .md",
    "odd/#h?x=1&y;.md",
    "odd/100%.md",
    "odd/back\\slash.md",
    "case/Read.md",
    "case/read.md",
    "deep/x//y.md",
    "deep/../up.md",
    "/leading.md",
    "control/\x01\t\x1f.md",
    "line\nbreak.md",
    "no extension",
    "long/" + "\u00e9" * 508 + ".md",
)
_TWINS = (
    ("accents/caf\u00e9.md", "accents/cafe\u0301.md"),
    ("case/Read.md", "case/read.md"),
    ("odd/a+b%20.md", "odd/a b .md"),
)
NOT_DOCUMENTS = ("notes/", "notes/.docshelf/state.json", ".docshelf/settings.md")
_MEMBERS = ("a.md", "b.md", "deep/a.md", "deep/b c.md", "\u00e9.txt")
_ARCHIVES = 0.2
_WORDS = ("river", "stone", "lamp", "garden", "winter", "copper", "signal", "meadow", "harbour", "ladder", "thread")
_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01"


@dataclass(frozen=True, slots=True)
class Content:
    """What is put under a key; `text` is what must be found of it, in order, and is empty unless it is `indexed`.

    `members` are the names and contents of the files in an archive, which has no text.
    """

    data: bytes
    state: State
    text: str = ""
    members: tuple[tuple[str, Content], ...] = ()

    @property
    def etag(self) -> str:
        """The ETag that S3 gives it."""
        return hashlib.md5(self.data, usedforsecurity=False).hexdigest()

    def version(self, token: str) -> str:
        """The version that the index must hold for it where the bucket calls it `token`."""
        return version_of(token, self.state, LIMITS)


def choose_keys(rng: random.Random) -> list[str]:
    """Six to ten document keys, one pair of names among them that are easily confused."""
    chosen = [*rng.choice(_TWINS), *rng.sample(_KEYS, 8)]
    return list(dict.fromkeys(chosen))[: rng.randint(6, 10)]


def text_of(rng: random.Random, sections: int, word: str = "") -> Content:
    """A searchable document that gives `sections` chunks; `word` stands in each of them."""
    parts = []
    for number in range(sections):
        words = " ".join(rng.choice(_WORDS) for _ in range(rng.randint(3, 12)))
        parts.append(f"## Part {number}\n\n{word} {words} {rng.getrandbits(32):08x}.\n\n")
    text = "".join(parts)
    return Content(text.encode(), State.INDEXED, text)


def sources_of(key: str, content: Content) -> Iterator[tuple[str, Content]]:
    """Every document that a content under `key` becomes, by its source."""
    yield key, content
    for name, member in content.members:
        yield f"{key}!/{name}", member


def archive_of(rng: random.Random) -> Content:
    """An archive of one to five files of few names, so that one archive takes the place of another in part."""
    members = tuple((name, plain_content(rng)) for name in rng.sample(_MEMBERS, rng.randint(1, len(_MEMBERS))))
    searchable = any(member.state is State.INDEXED for _, member in members)
    data = zip_of({name: member.data for name, member in members})
    if len(data) > MAX_BYTES:
        return archive_of(rng)
    return Content(data, State.INDEXED if searchable else State.EMPTY, members=members)


def any_content(rng: random.Random) -> Content:
    """Now and then an archive, else a file by itself."""
    return archive_of(rng) if rng.random() < _ARCHIVES else plain_content(rng)


def plain_content(rng: random.Random) -> Content:
    """Mostly a searchable document, of one to twelve chunks; else one that ends in another state."""
    kind = rng.random()
    if kind < 0.70:
        return text_of(rng, rng.choice((1, 1, 2, 3, 5, 8, 12)))
    if kind < 0.80:
        return Content(rng.choice((b"", b" \n\n \t\n")), State.EMPTY)
    if kind < 0.92:
        return Content(_PNG + rng.randbytes(40), State.UNSUPPORTED)
    return Content(f"{rng.getrandbits(64):x} ".encode() * (MAX_BYTES // 8), State.TOO_LARGE)
