"""Good documents of the world, where the corpus is at hand: none of them has a problem."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from docshelf.documents import parse
from docshelf.quality.measure import measured
from docshelf.quality.record import Problem
from docshelf.settings import Limits

CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the shared corpus of documents is not on this machine")


def test_documentation_has_no_problem_and_is_in_its_language() -> None:
    languages = {"en": 0, "ja": 0, None: 0}
    for path in itertools.islice(sorted((CORPUS / "docs").rglob("*.*")), 0, None, 12):
        if not path.is_file() or path.suffix in {".json", ".tsv"}:
            continue
        quality = measured(parse(path.read_bytes(), path.name, Limits()))
        assert quality.problems == (), path
        languages[quality.language] += 1
    assert languages["en"] > 0.85 * sum(languages.values())


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("pdf/s-GeoTopo-komprimiert.pdf", "de"),
        ("pdf/l-issue-982-example.pdf", "en"),
        ("pdf/l-chelsea_pdta.pdf", "fr"),
        ("pdf/c-argentina_diputados_voting_record.pdf", "es"),
        ("html/markitdown-wikipedia.html", "en"),
        ("text/eucjp.txt", "ja"),
        ("text/gb18030.txt", "zh"),
        ("text/big5.txt", "zh"),
        ("text/rtl.md", "he"),
    ],
)
def test_a_file_is_in_its_language_and_has_no_problem(name: str, language: str) -> None:
    quality = measured(parse((CORPUS / "files" / name).read_bytes(), name, Limits()))
    assert (quality.language, quality.problems) == (language, ())


def test_a_scan_with_a_few_characters_is_named() -> None:
    name = "pdf/j-scan-bad.pdf"
    quality = measured(parse((CORPUS / "files" / name).read_bytes(), name, Limits()))
    assert quality.problems == (Problem.LITTLE_TEXT,)
