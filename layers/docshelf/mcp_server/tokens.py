"""A careful estimate of how many tokens a text costs a client's model, without its tokenizer.

The estimate is meant to err on the high side. Against a WordPiece vocabulary, which needs more tokens for technical
text than the vocabularies of today's large models, it is at or above the count for prose and about 3 % below it for
the worst twentieth of markup-heavy pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil

# The unit is a hundredth of a token, so that sums are exact.
TOKEN = 100
NEWLINE = 40
_SPACE = 5
_WORD = 50
_LETTER = 20
_MIXED = 70
_PUNCTUATION = 100
_OTHER_LETTER = 60
_WIDE = 110
_RARE = 300

_CLASSES = re.compile(
    r"(?P<word>[A-Za-z]+(?![A-Za-z0-9]))|(?P<mixed>[A-Za-z0-9]+)|(?P<newline>\n+)|(?P<space>[ \t\r]+)"
    r"|(?P<punctuation>[\x00-\x7f]+?)|(?P<letter>[\u0080-\u1fff]+)|(?P<symbol>[\u2000-\u2dff]+)"
    r"|(?P<wide>[\u2e80-\ud7ff\uf900-\uffef]+)|(?P<rare>.)",
    re.DOTALL,
)
_ALPHANUMERIC = re.compile(r"[A-Za-z0-9]+")
_NOT_ASCII = {
    "letter": re.compile(r"[\u0080-\u1fff]"),
    "symbol": re.compile(r"[\u2000-\u2dff]"),
    "wide": re.compile(r"[\u2e80-\ud7ff\uf900-\uffef]"),
}
_PER_CHARACTER = {
    "word": _LETTER,
    "mixed": _MIXED,
    "newline": NEWLINE,
    "space": _SPACE,
    "punctuation": _PUNCTUATION,
    "letter": _OTHER_LETTER,
    "symbol": _PUNCTUATION,
    "wide": _WIDE,
    "rare": _RARE,
}


def _runs(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Each run of one class: its start, its end, what it costs at once and what for each character."""
    for match in _CLASSES.finditer(text):
        kind = match.lastgroup or "rare"
        once = _WORD if kind == "word" else 0
        yield match.start(), match.end(), once, _PER_CHARACTER[kind]


def cost(text: str) -> int:
    """The estimate in hundredths of a token; additive over lines, and never smaller for a longer prefix.

    It is what the runs of `text` cost together, counted a class at a time, which takes a fifth of the time.
    """
    runs = _ALPHANUMERIC.findall(text)
    words = [run for run in runs if run.isalpha()]
    alphanumerics, in_words = sum(map(len, runs)), sum(map(len, words))
    newlines = text.count("\n")
    spaces = text.count(" ") + text.count("\t") + text.count("\r")
    total = _WORD * len(words) + _LETTER * in_words + _MIXED * (alphanumerics - in_words)
    total += NEWLINE * newlines + _SPACE * spaces
    if text.isascii():
        return total + _PUNCTUATION * (len(text) - alphanumerics - newlines - spaces)
    ascii_characters = len(text.encode("ascii", "ignore"))
    others = {kind: len(pattern.findall(text)) for kind, pattern in _NOT_ASCII.items()}
    total += _PUNCTUATION * (ascii_characters - alphanumerics - newlines - spaces)
    total += sum(_PER_CHARACTER[kind] * number for kind, number in others.items())
    return total + _RARE * (len(text) - ascii_characters - sum(others.values()))


def estimate(text: str) -> int:
    """The estimate in whole tokens, rounded up."""
    return ceil(cost(text) / TOKEN)


def clip(text: str, room: int) -> str:
    """The longest prefix of `text` that costs at most `room` hundredths of a token, to within a character."""
    for start, end, once, each in _runs(text):
        price = once + each * (end - start)
        if price > room:
            return text[: start + max(room - once, 0) // each]
        room -= price
    return text


def clip_lines(text: str, room: int) -> tuple[str, int]:
    """The whole lines at the start of `text` that fit into `room`, and how many they are."""
    used = end = count = 0
    while end < len(text):
        newline = text.find("\n", end)
        line_end = len(text) if newline < 0 else newline + 1
        # A line of more characters than `room` could hold is not worth measuring.
        if line_end - end > room // _SPACE + 1:
            break
        used += cost(text[end:line_end])
        if used > room:
            break
        end, count = line_end, count + 1
    return text[:end], count


@dataclass(slots=True)
class Answer:
    """The lines of an answer that may cost at most `max_tokens` by the estimate."""

    max_tokens: int
    _lines: list[str] = field(default_factory=list)
    _used: int = 0

    @property
    def room(self) -> int:
        """What one more line may cost, in hundredths of a token."""
        return self.max_tokens * TOKEN - self._used - (NEWLINE if self._lines else 0)

    def add(self, line: str) -> bool:
        """Append `line` (or several, joined by newlines) when it fits; say whether it did."""
        price = cost(line)
        if price > self.room:
            return False
        self._used += price + (NEWLINE if self._lines else 0)
        self._lines.append(line)
        return True

    def text(self) -> str:
        """The answer so far."""
        return "\n".join(self._lines)
