"""What was measured of a document's text, and what a person is told of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite


class Problem(StrEnum):
    """What may be wrong with the text of a document that is searchable all the same."""

    BAD_CHARACTERS = "bad characters"
    GLUED_WORDS = "glued words"
    SPLIT_WORDS = "split words"
    LITTLE_TEXT = "little text"
    PAGES_WITHOUT_TEXT = "pages without text"


@dataclass(frozen=True, slots=True)
class Quality:
    """Numbers about a text and what follows from them.

    `characters` is the length of the text. `bad` is the share of its visible characters that mean nothing
    (replacement, control, private use, unassigned), `glued` and `split` are estimates of the share of its words that
    have lost a space or got one inside: all from 0 to 1, rounded to four places. `language` is an ISO 639 code, None
    where none is dominant. Of `pages` (0 for a format without any) `empty_pages` gave no text.
    """

    characters: int
    bad: float = 0.0
    glued: float = 0.0
    split: float = 0.0
    language: str | None = None
    pages: int = 0
    empty_pages: int = 0
    problems: tuple[Problem, ...] = ()

    def sentences(self) -> tuple[str, ...]:
        """One sentence for a person about each problem."""
        return tuple(self._sentence(problem) for problem in self.problems)

    def _sentence(self, problem: Problem) -> str:
        match problem:
            case Problem.BAD_CHARACTERS:
                return (
                    f"{_percent(self.bad)} of the characters mean nothing (the file does not say what it shows, or was "
                    "read in another encoding): compare it with the original; saving it anew or OCR may help."
                )
            case Problem.GLUED_WORDS:
                return (
                    f"At least {_percent(self.glued)} of the words have lost the space between them, so that searches "
                    "for one of them miss it: a copy in another format, or OCR, may be better."
                )
            case Problem.SPLIT_WORDS:
                return (
                    f"About {_percent(self.split)} of the words are letters or parts of words set apart, so that "
                    "searches for the whole word miss them: a copy in another format, or OCR, may be better."
                )
            case Problem.LITTLE_TEXT:
                return (
                    f"There are {_counted(self.characters, 'character')} on {_counted(self.pages, 'page')}: most of it "
                    "may be pictures; run OCR over it."
                )
            case Problem.PAGES_WITHOUT_TEXT:
                return (
                    f"{self.empty_pages:,} of {_counted(self.pages, 'page')} gave no text: they are blank, or pictures "
                    "that need OCR."
                )

    def text(self) -> str:
        """As JSON; `quality_of` reads it."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps(values, separators=(",", ":"))


def quality_of(text: str) -> Quality:
    """Read what `Quality.text` wrote. Fields and problems that a later version added are passed over.

    Raises:
        ValueError: it is anything else.
    """
    values = json.loads(text)
    problems, language = (values.get("problems"), values.get("language")) if isinstance(values, dict) else (None, None)
    if isinstance(problems, list) and isinstance(language, str | None):
        known = {problem.value: problem for problem in Problem}
        return Quality(
            characters=int(_number(values, "characters")),
            bad=_number(values, "bad"),
            glued=_number(values, "glued"),
            split=_number(values, "split"),
            language=language,
            pages=int(_number(values, "pages")),
            empty_pages=int(_number(values, "empty_pages")),
            problems=tuple(known[code] for code in problems if isinstance(code, str) and code in known),
        )
    raise ValueError("what was measured of a document is stored as something else")


def _number(values: Mapping[str, object], name: str) -> float:
    value = values.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value < 0:
        raise ValueError(f"{name} of a document is stored as something else")
    return value


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.02 else f"{100 * share:.1f} %"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
