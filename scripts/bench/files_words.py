"""Words of a text, what several engines agree on, and how well a text agrees with that."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

_SPLIT = re.compile(r"(?<=[^\W\d_])(?:[-\u00ad\u2010\x02\ufffe]\s*|[\x02\ufffe])(?=[^\W\d_])")
_UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff])")
_LONGEST = 40
_UNKNOWN = re.compile(r"\(cid:\d+\)")
_MOSTLY = 0.3


@dataclass(frozen=True, slots=True)
class Agreement:
    """`recall`: the share of the agreed words that the text has; `precision`: of its words that are agreed on.

    `glued` counts words that are two agreed neighbours without their space, `split` pairs of neighbours that are one
    agreed word.
    """

    recall: float
    precision: float
    glued: int
    split: int


def words(text: str) -> list[str]:
    """Words in one spelling: compatibility characters and case folded, hyphens inside words left out.

    Each Chinese or Japanese character is a word; combining marks belong to their letters.
    """
    plain = unicodedata.normalize("NFKC", _SPLIT.sub("", text)).casefold()
    spaced = _UNSPACED.sub(r" \1 ", plain)
    letters = {character: unicodedata.category(character)[0] in "LNM" for character in set(spaced)}
    return "".join(character if letters[character] else " " for character in spaced).split()


def letters(text: Sequence[str]) -> list[str]:
    """The letters and digits of `text`: the same wherever words end and in whatever order they stand."""
    return list("".join(text))


def is_unexplained(text: str) -> bool:
    """Whether an engine that looks into the fonts says of much of a text that nobody can know what it means."""
    return len(_UNKNOWN.findall(text)) > _MOSTLY * len("".join(_UNKNOWN.sub("x", text).split()))


def bad_characters(text: str) -> int:
    """Replacement, private-use, unassigned and control characters."""
    kinds = {character: unicodedata.category(character) in ("Cc", "Co", "Cn", "Cs") for character in set(text)}
    return sum(character == "\ufffd" or (kinds[character] and character not in "\n\r\t\f") for character in text)


def agreed(texts: Sequence[Sequence[str]]) -> Counter[str]:
    """What most of `texts` have, as often as they have it; nothing where they disagree on most or are one."""
    if len(texts) < 2:
        return Counter()
    needed = len(texts) // 2 + 1
    counts = [Counter(text) for text in texts]
    found: Counter[str] = Counter()
    for word in set().union(*counts):
        times = sorted((count[word] for count in counts), reverse=True)[needed - 1]
        if times:
            found[word] = times
    return found if 2 * found.total() >= median(map(len, texts)) else Counter()


def knows_words(text: Sequence[str]) -> bool:
    """Whether the words are words: an engine that finds mostly single letters does not see where words end."""
    letters = [word for word in text if word.isascii() and word.isalpha()]
    return 2 * sum(len(word) == 1 for word in letters) <= len(letters)


def recall(text: Sequence[str], texts: Sequence[Sequence[str]]) -> float | None:
    """The share of what most of `texts` have that `text` has too; None where they agree on nothing."""
    wanted = agreed(texts)
    return (Counter(text) & wanted).total() / wanted.total() if wanted else None


def agreement(text: Sequence[str], texts: Sequence[Sequence[str]]) -> Agreement | None:
    """How the words of `text` agree with those of `texts`; None where these agree on nothing."""
    wanted = agreed(texts)
    if not wanted:
        return None
    shared = (Counter(text) & wanted).total()
    pairs = set(_agreed_pairs(texts))
    joined = {first + second for first, second in pairs} - wanted.keys()
    neighbours = Counter(pairwise(text))
    return Agreement(
        recall=shared / wanted.total(),
        precision=shared / max(1, len(text)),
        glued=sum(word in joined for word in text),
        split=sum(
            times
            for (first, second), times in neighbours.items()
            if first + second in wanted and (first, second) not in pairs and first not in wanted
        ),
    )


def _agreed_pairs(texts: Sequence[Sequence[str]]) -> Iterable[tuple[str, str]]:
    sets = [set(pairwise(text)) for text in texts]
    for pair in set().union(*sets):
        short = len(pair[0]) + len(pair[1]) <= _LONGEST
        if short and sum(pair in one for one in sets) >= 2:
            yield pair
