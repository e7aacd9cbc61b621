"""`scripts/fuzz`: change files of a family at random and read each in the parser's own process, within limits.

What ends the process, breaks a limit or gives a text that is no text is made smaller and kept; the tests replay it.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from docshelf.documents import parse
from docshelf.documents.model import Document
from docshelf.documents.sandbox.process import ParserProcess
from docshelf.errors import DocumentError, ParseFailedError, ParseTimeoutError
from docshelf.settings import Limits
from tests.support.fuzz_mutation import changed
from tests.support.fuzz_seeds import FAMILIES, seeds_of

CASES = Path(__file__).parents[1] / "unit" / "documents" / "fuzz_cases"
LIMITS = Limits(parse_seconds=10, parse_memory_mb=500)
_ROOMY = Limits(parse_seconds=10, parse_memory_mb=4_000)
_ROOT = Path(__file__).parents[2]
_ENDED = ("ended unexpectedly", "lost its place", "answer")
_NO_TEXT = "\0\r"
_LARGEST_KEPT = 100_000
_MOST_FOUND = 10
_SMALLER_SECONDS = 20.0


def problem(parser: ParserProcess, data: bytes, name: str) -> str:
    """What is wrong with how `data` is read; empty where it becomes a document or has a state of its own."""
    try:
        document = parser.parse(data, name)
        miscounted = _members_problem(parser, data, name, document.attachments)
    except ParseTimeoutError as error:
        return error.sentence
    except ParseFailedError as error:
        ended = any(words in error.sentence for words in _ENDED)
        return error.sentence if ended and not _is_memory(data, name) else ""
    except DocumentError:
        return ""
    return miscounted or _text_problem(document)


def _members_problem(parser: ParserProcess, data: bytes, name: str, number: int) -> str:
    """What is wrong with the files in it: they must be as many as were counted."""
    unpacked = 0
    while unpacked < number:
        found = parser.unpack(data, name, unpacked)
        unpacked += len(found.members)
        if not found.members or found.more != (unpacked < number):
            return f"It has {unpacked} files and not {number}."
    return ""


def _is_memory(data: bytes, name: str) -> bool:
    """Whether a process that ended was at the limit of its memory: native code has no other way to say so."""
    with ParserProcess(_ROOMY) as roomy:
        try:
            roomy.parse(data, name)
        except ParseFailedError as error:
            return not any(words in error.sentence for words in _ENDED)
        except DocumentError:
            pass
    return True


def _text_problem(document: Document) -> str:
    if any(sign in document.text for sign in _NO_TEXT) or "\n" in document.title:
        return "The text has signs that no text has."
    return "" if document.text.strip() or (document.attachments and not document.text) else "The text is blank."


def main(arguments: Sequence[str]) -> int:
    """Test the families that the arguments name; 1 where anything was found."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.case:
        name = given.case.name
        print(parse(given.case.read_bytes(), name, LIMITS).text[:2_000])
        return 0
    if not given.family:
        parser.error("name a family")
    found = sum(_Run(family, given.seed).run(given.minutes * 60) for family in given.family)
    return 1 if found else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/fuzz", description="Change files of a format at random and read them within limits."
    )
    parser.add_argument("family", nargs="*", type=_family, help=f"one or more of {', '.join(FAMILIES)}")
    parser.add_argument("--minutes", type=float, default=10.0, help="for each family (10)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the changes (the time)")
    parser.add_argument("--case", type=Path, help="read this file in this process instead, to see where it fails")
    return parser


def _family(name: str) -> str:
    if name not in FAMILIES:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(FAMILIES)}")
    return name


class _Run:
    """One family: what was read, what was found."""

    def __init__(self, family: str, seed: int) -> None:
        self._family = family
        self._seed = seed
        self._chance = random.Random(f"{family} {seed}")
        self._seeds = seeds_of(family)
        self._known: set[str] = set()
        self._slowest = 0.0

    def run(self, seconds: float) -> int:
        """How many different problems there were."""
        end = time.monotonic() + seconds
        names, contents, count = list(self._seeds), list(self._seeds.values()), 0
        with ParserProcess(LIMITS) as parser:
            while time.monotonic() < end and len(self._known) < _MOST_FOUND:
                number = self._chance.randrange(len(names)) if count >= len(names) else count
                data = changed(self._chance, contents[number], contents) if count >= len(names) else contents[number]
                self._read(parser, data, Path(names[number]).suffix)
                count += 1
        print(
            f"{self._family}: {count:,} files from {len(names)}, {len(self._known)} problems, "
            f"slowest {self._slowest:.1f} s, seed {self._seed}",
            flush=True,
        )
        return len(self._known)

    def _read(self, parser: ParserProcess, data: bytes, ending: str) -> None:
        started = time.monotonic()
        said = problem(parser, data, f"case{ending}")
        self._slowest = max(self._slowest, time.monotonic() - started)
        if not said or self._passed_alone(data, ending, said):
            return
        place = _where(data, ending) if "exit code" in said else said
        if place in self._known:
            return
        self._known.add(place)
        smaller = _smaller(data, lambda shorter: bool(problem(parser, shorter, f"case{ending}")))
        print(f"{self._family}: {said}\n  {place}\n  {_kept(self._family, smaller, ending)}", flush=True)

    def _passed_alone(self, data: bytes, ending: str, said: str) -> bool:
        """Whether a process that has read nothing else has no trouble: said, as it may be one that needs many files."""
        with ParserProcess(LIMITS) as fresh:
            if problem(fresh, data, f"case{ending}"):
                return False
        print(f"{self._family}: once, and not again alone: {said}\n  {_kept('once', data, ending)}", flush=True)
        return True


def _where(data: bytes, ending: str) -> str:
    """Where in the program `data` fails, told by a process of its own."""
    case = _kept("seen", data, ending)
    try:
        command = [sys.executable, str(_ROOT / "scripts" / "fuzz.py"), "--case", str(case)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "no answer"
    finally:
        case.unlink()
        case.parent.rmdir()
    lines = [line.strip() for line in run.stderr.strip().split("\n")]
    places = [line.rpartition("/")[2] for line in lines if line.startswith("File ")]
    return f"{places[-1] if places else ''} {lines[-1][:200]}"


def _kept(family: str, data: bytes, ending: str) -> Path:
    """Write the case down under a name of its own; a large one beside the repository's cases, for a person to see."""
    folder = CASES / (family if len(data) <= _LARGEST_KEPT else "large")
    folder.mkdir(parents=True, exist_ok=True)
    case = folder / f"{hashlib.sha256(data).hexdigest()[:12]}{ending}"
    case.write_bytes(data)
    return case


def _smaller(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """A part of `data` that still fails, by leaving out ever shorter runs of it; for a while."""
    end = time.monotonic() + _SMALLER_SECONDS
    if data.startswith(b"PK"):
        return data
    length = len(data) // 2
    while length >= 1:
        place = 0
        while place < len(data):
            if time.monotonic() > end:
                return data
            shorter = data[:place] + data[place + length :]
            if shorter and fails(shorter):
                data = shorter
            else:
                place += length
        length //= 2
    return data
