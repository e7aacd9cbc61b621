"""What is measured of texts that are good, and of the same texts when they are not."""

from __future__ import annotations

import base64
import random
import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.documents.model import Document
from docshelf.quality.measure import measured
from docshelf.quality.record import Problem, Quality, quality_of
from tests.unit.quality.texts import PARAGRAPHS, SPACED, document, glued, shuffled, split


def problems(text: str) -> tuple[Problem, ...]:
    return measured(document(text)).problems


@pytest.mark.parametrize("language", PARAGRAPHS)
def test_a_good_text_has_its_language_and_no_problem(language: str) -> None:
    quality = measured(document(PARAGRAPHS[language]))
    assert quality == Quality(characters=len(PARAGRAPHS[language]), language=language)


@pytest.mark.parametrize("language", SPACED)
def test_words_that_were_cut_are_noticed_in_every_language(language: str) -> None:
    text = "\n".join([PARAGRAPHS[language]] * 3)
    quality = measured(document(text + split(text, 0.1)))
    assert quality.problems == (Problem.SPLIT_WORDS,)
    assert quality.split >= 0.03


@pytest.mark.parametrize("language", SPACED)
def test_lines_without_any_spaces_are_noticed_in_every_language(language: str) -> None:
    quality = measured(document(shuffled(language, 600).replace(" ", "")))
    assert quality.problems == (Problem.GLUED_WORDS,)
    assert quality.glued > 0.4


@pytest.mark.parametrize("language", ["de", "en", "es", "fr", "it", "nl", "pt"])
def test_a_text_that_lost_a_quarter_of_its_spaces_is_noticed(language: str) -> None:
    text = shuffled(language, 600)
    assert problems(text) == ()
    quality = measured(document(glued(text, 0.25)))
    assert quality.problems == (Problem.GLUED_WORDS,)
    assert quality.language == language


def test_letters_set_apart_are_noticed_and_columns_of_letters_are_not() -> None:
    assert problems("T h e h a r b o u r l i e s a t t h e r i v e r") == (Problem.SPLIT_WORDS,)
    assert problems("a b c d e f g h i j k l\n" * 20) == ()
    assert problems("Y N Y Y N Y N N Y N\n" * 20) == ()


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("Good words here. " * 4 + "\ufffd" * 10, 0.15),
        ("Good words here. " * 4 + "\ue123\uf0ff" * 5, 0.15),
        ("Good words here. " * 4 + "\x01\x02\x0e" * 5, 0.21),
        ("Good words here. " * 4 + "\U0003ffff\ufdd0" * 5, 0.15),
        ("\ufffd" * 500, 1.0),
    ],
)
def test_characters_that_mean_nothing_are_counted(text: str, share: float) -> None:
    quality = measured(document(text))
    assert quality.problems == (Problem.BAD_CHARACTERS,)
    assert quality.bad == pytest.approx(share, abs=0.01)


def test_what_is_not_printed_and_yet_has_a_meaning_is_no_bad_character() -> None:
    text = "na\u00efve\u200b cafe\u0301\u00ad \u202eabc\u202c 👩\u200d🚀 \ufeff x\u2028y\fz\ttab\u00a0"
    assert measured(document(text * 20)).bad == 0


def test_a_few_bad_characters_in_a_long_text_are_no_problem() -> None:
    quality = measured(document(PARAGRAPHS["en"] * 20 + "\ufffd" * 6))
    assert quality.problems == ()
    assert 0 < quality.bad < 0.01


def noise(seed: int, alphabet: str, length: int) -> str:
    source = random.Random(seed)
    return "".join(source.choices(alphabet, k=length))


NOT_PROSE = {
    "program": "def handle_request(self, currentUser, maximumNumberOfConnections):\n"
    "    return theDatabaseConnectionFactory.createConnectionForUser(currentUser)\n" * 30,
    "addresses": "https://example.org/the/of/and/thequickbrownfoxjumpsoverthelazydogandrunsaway?x=1 a@b.example\n" * 30,
    "names of classes": "ConfigurationPropertiesReportEndpointWebExtensionAutoConfiguration and the rest of it\n" * 30,
    "base64": base64.b64encode(noise(1, string.printable, 30_000).encode()).decode(),
    "lines of base64": base64.encodebytes(noise(1, string.printable, 30_000).encode()).decode(),
    "bases": "\n".join(noise(seed, "acgt", 60) for seed in range(100)),
    "proteins": "\n".join(noise(seed, "ACDEFG", 60) for seed in range(100)),
    "hashes": "\n".join(noise(seed, "0123456789abcdef", 64) for seed in range(100)),
    "table": "| name | x | y | z |\n|---|---|---|---|\n" + "| row | 1.5 | 2 | n/a |\n" * 200,
    "figures": "\n".join(" ".join(str(number * seed % 977) for number in range(12)) for seed in range(200)),
    "formulas": "a + b = c, x y = z, f ( x ) = a x + b for all x in X\n" * 30,
    "one letter": "a" * 5_000,
    "symbols": "→ ∑ ∞ ≤ ░ █ ♥ " * 300,
    "long compounds": PARAGRAPHS["de"] * 3 + " Donaudampfschifffahrtsgesellschaftskapitän " * 5,
    "a name in two spellings": "Use argo cd or argocd as you like, the argo cd of the argocd.\n" * 30,
    "columns of checks": "Alpha Beta Y N N Y\nGamma Delta N N Y Y\n" * 60,
}


@pytest.mark.parametrize("kind", NOT_PROSE)
def test_what_is_not_prose_has_neither_glued_nor_split_words(kind: str) -> None:
    assert problems(NOT_PROSE[kind]) == ()


@pytest.mark.parametrize("kind", ["program", "base64", "bases", "table", "figures", "symbols", "one letter"])
def test_what_is_no_language_has_none(kind: str) -> None:
    assert measured(document(NOT_PROSE[kind])).language is None


def test_a_language_is_told_beside_code_and_a_few_foreign_words() -> None:
    code = "```\nkubectl get pods --namespace harbour\n```\n"
    assert measured(document(PARAGRAPHS["ja"] * 2 + code * 2)).language == "ja"
    assert measured(document(PARAGRAPHS["de"] + "The end. Fin. " + code)).language == "de"


def test_pages_without_text_are_counted() -> None:
    assert measured(document(PARAGRAPHS["en"], [1, 2, 3, 4], of=4)).problems == ()
    assert measured(document(PARAGRAPHS["en"] * 3, list(range(1, 10)), of=10)).empty_pages == 1
    quality = measured(document(PARAGRAPHS["en"], [1, 4], of=4))
    assert (quality.pages, quality.empty_pages, quality.problems) == (4, 2, (Problem.PAGES_WITHOUT_TEXT,))
    assert quality.sentences() == ("2 of 4 pages gave no text: they are blank, or pictures that need OCR.",)


def test_a_scan_with_a_stamp_is_noticed() -> None:
    quality = measured(document("Received 3 May", [1, 2, 3], of=3))
    assert quality.problems == (Problem.LITTLE_TEXT,)
    assert quality.sentences() == ("There are 14 characters on 3 pages: most of it may be pictures; run OCR over it.",)


def test_every_sentence_is_one_line_and_says_what_to_do() -> None:
    quality = Quality(40, 0.123, 0.015, 0.5, "en", 9, 4, tuple(Problem))
    sentences = quality.sentences()
    assert len(sentences) == len(Problem)
    assert all(sentence.endswith(".") and "\n" not in sentence for sentence in sentences)
    assert sentences[0].startswith("12 % of the characters mean nothing")
    assert sentences[1].startswith("At least 1.5 % of the words")


def test_the_longest_document_is_measured_in_bounded_time() -> None:
    begin = time.process_time()
    for unit in ("the harbour of the town ", "x" * 40 + " ", "aB", "a-", "a ", "漢字仮名"):
        measured(document(unit * (20_000_000 // len(unit))))
    assert time.process_time() - begin < 6


def test_a_problem_in_a_part_of_a_long_document_is_seen() -> None:
    good = PARAGRAPHS["en"] * 4_000
    bad = split(PARAGRAPHS["en"] * 1_000, 0.3)
    assert problems(good) == ()
    assert problems(good + bad) == (Problem.SPLIT_WORDS,)


TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.lists(
    st.sampled_from(["the", "of", "theloan", "loan", "l", "o", "a", "\ufffd", "日本", "\n", "Ab", "-", "der", "x" * 40])
).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.none() | st.integers(0, 9))
def test_whatever_the_text_the_numbers_are_shares_and_come_back_as_stored(text: str, pages: int | None) -> None:
    quality = measured(Document("", text, document(text).blocks, "x", pages=pages))
    assert all(0 <= share <= 1 for share in (quality.bad, quality.glued, quality.split))
    assert (quality.characters, quality.pages) == (len(text), pages or 0)
    assert 0 <= quality.empty_pages <= quality.pages
    assert len(quality.sentences()) == len(quality.problems) == len(set(quality.problems))
    assert quality_of(quality.text()) == quality


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(SPACED), st.integers(1, 5), st.sampled_from(["\n", " ", "\n\n| x | 1 |\n\n"]))
def test_a_good_text_stays_one_however_often_it_is_repeated(language: str, times: int, between: str) -> None:
    quality = measured(document(between.join([PARAGRAPHS[language]] * times)))
    assert (quality.problems, quality.language) == ((), language)
