"""Read every file of a directory as docshelf would, and tell what came of each: `scripts/bench/files DIRECTORY`.

For PDFs, the words are compared with what several engines agree on (those of pypdfium2, pypdf, pdfminer.six,
pdfplumber and pdftotext that are installed; the first pages of a file only). pdfplumber and pdftotext come with no
requirements of this repository: `.venv/bin/python -m pip install pdfplumber`, and the package poppler-utils.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from docshelf.documents.model import Document
from docshelf.settings import Limits
from scripts.bench.files_engines import PAGES, engine_text, installed
from scripts.bench.files_reading import read
from scripts.bench.files_words import agreement, bad_characters, is_unexplained, knows_words, letters, recall, words

ALONE = "pypdfium2"
GOOD_RECALL = 0.98
GOOD_SHARE = 0.95
MOST_SECONDS = 20
MOST_MB = 500
ROUNDING = 0.001
CRASHES = ("parser_ended", "ended unexpectedly")


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one file; the seven after `bad` are None without words to compare with.

    `recall` and `alone` are docshelf's and pypdfium2's shares of the agreed words; `letters` and `letters_alone` those
    of the agreed letters and digits: whether anything is missing where words are only parted otherwise.
    """

    file: str
    state: str
    characters: int
    words: int
    bad: int
    recall: float | None
    alone: float | None
    letters: float | None
    letters_alone: float | None
    precision: float | None
    glued: int | None
    split: int | None
    seconds: float
    peak_mb: float
    said: str


class Engines:
    """Texts of the other engines, kept in `folder` between runs where one is given."""

    def __init__(self, folder: Path | None) -> None:
        self.names = installed()
        self._folder = folder
        if folder:
            folder.mkdir(parents=True, exist_ok=True)

    def texts(self, data: bytes) -> dict[str, str]:
        """Text by engine, without those that found none."""
        found = {name: self._text(name, data) for name in self.names}
        return {name: text for name, text in found.items() if text}

    def _text(self, name: str, data: bytes) -> str | None:
        if self._folder is None:
            return engine_text(name, data)
        kept = self._folder / f"{hashlib.sha256(data).hexdigest()[:32]}.{name}.txt"
        if not kept.exists():
            kept.write_text(engine_text(name, data) or "", "utf-8", "surrogatepass")
        return kept.read_text("utf-8", "surrogatepass")


def measured(file: Path, name: str, engines: Engines, limits: Limits) -> Row:
    """Read one file and compare."""
    reading = read(file, limits)
    document = reading.document
    text = document.text if document else ""
    compared = alone = spelled = spelled_alone = None
    if file.suffix.lower() == ".pdf" and reading.state != "encrypted":
        texts = engines.texts(file.read_bytes())
        ours, theirs = words(_first_pages(document)), {engine: words(found) for engine, found in texts.items()}
        if not any(map(is_unexplained, texts.values())):
            others = [found for found in theirs.values() if knows_words(found)]
            compared, alone = agreement(ours, others), agreement(theirs.get(ALONE, []), others)
        if compared:
            runs = {engine: letters(found) for engine, found in theirs.items()}
            spelled = recall(letters(ours), list(runs.values()))
            spelled_alone = recall(runs.get(ALONE, []), list(runs.values()))
    return Row(
        file=name,
        state=reading.state,
        characters=len(text),
        words=len(words(text)),
        bad=bad_characters(text),
        recall=round(compared.recall, 4) if compared else None,
        alone=round(alone.recall, 4) if alone else None,
        letters=None if spelled is None else round(spelled, 4),
        letters_alone=None if spelled_alone is None else round(spelled_alone, 4),
        precision=round(compared.precision, 4) if compared else None,
        glued=compared.glued if compared else None,
        split=compared.split if compared else None,
        seconds=round(reading.seconds, 3),
        peak_mb=round(reading.peak_mb),
        said=reading.reason or " ".join(document.warnings if document else ()),
    )


def _first_pages(document: Document | None) -> str:
    if document is None:
        return ""
    return "\n".join(document.text[one.start : one.end] for one in document.blocks if (one.page or 1) <= PAGES)


def print_table(rows: list[Row]) -> None:
    """One line a file, in Markdown."""
    names = ["file", "state", "characters", "words", "bad", "recall", "pypdfium2 alone", "by letters"]
    names += ["pypdfium2 alone, by letters", "precision", "glued", "split", "s", "MB", "what it said"]
    print(f"| {' | '.join(names)} |")
    print(f"|---|---|{'--:|' * 12}---|")
    for row in rows:
        cells = [row.file, row.state, row.characters, row.words, row.bad, row.recall, row.alone, row.letters]
        cells += [row.letters_alone, row.precision, row.glued, row.split, f"{row.seconds:.2f}", row.peak_mb, row.said]
        print(f"| {' | '.join(map(_cell, cells))} |")


def _cell(value: object) -> str:
    return "" if value is None else " ".join(str(value).replace("|", "/").split())


def print_summary(rows: list[Row]) -> None:
    """What the table comes to."""
    states = Counter(row.state for row in rows)
    print(f"\n{len(rows)} files:", ", ".join(f"{count} {state}" for state, count in sorted(states.items())))
    missed = [row.file for row in rows if row.recall is not None and row.state != "indexed"]
    print("not indexed, though the engines agree on words:", ", ".join(missed) or "none")
    compared = [row for row in rows if row.recall is not None and row.state == "indexed"]
    if compared:
        good = [row for row in compared if (row.recall or 0) >= GOOD_RECALL]
        share = len(good) / len(compared)
        print(
            f"recall of {GOOD_RECALL} or more: {len(good)} of {len(compared)} PDFs, "
            f"{share:.1%}; wanted are {GOOD_SHARE:.0%}"
        )
        worse = [row for row in compared if (row.recall or 0) < (row.alone or 0) - ROUNDING]
        fewer = [row for row in compared if (row.letters or 0) < (row.letters_alone or 0) - ROUNDING]
        print("below pypdfium2 alone, by words:", ", ".join(row.file for row in worse) or "none")
        print("below pypdfium2 alone, by letters:", ", ".join(row.file for row in fewer) or "none")
    heavy = [row.file for row in rows if row.seconds > MOST_SECONDS or row.peak_mb > MOST_MB]
    print(f"over {MOST_SECONDS} s or {MOST_MB} MB:", ", ".join(heavy) or "none")
    print("crashes:", ", ".join(row.file for row in rows if any(sign in row.said for sign in CRASHES)) or "none")
    print(f"slowest {max(row.seconds for row in rows):.1f} s, most memory {max(row.peak_mb for row in rows):.0f} MB")


def main() -> int:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(prog="scripts/bench/files", description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there as well")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep what the other engines read, and use it again"
    )
    parser.add_argument("--only", default="", help="files whose path holds this")
    options = parser.parse_args()
    engines = Engines(options.keep)
    print("compared with", ", ".join(engines.names), file=sys.stderr)
    names = ((file, str(file.relative_to(options.directory))) for file in sorted(options.directory.rglob("*")))
    files = [(file, name) for file, name in names if file.is_file() and options.only in name]
    if not files:
        print(f"No files in {options.directory}.", file=sys.stderr)
        return 2
    rows = [measured(file, name, engines, Limits()) for file, name in files]
    print_table(rows)
    print_summary(rows)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
