"""Which language a text is in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.languages import FUNCTION_WORDS, language_of

DATASETS = Path(__file__).parents[2] / "../shared/datasets"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How do I reset the password?", "en"),
        ("Wie viele Punkte gab die Verteidigung ab?", "de"),
        ("Combien de points la défense a-t-elle concédés ?", "fr"),
        ("¿Cuántos puntos concedió la defensa de los Panthers?", "es"),
        ("Quanti punti ha concesso la difesa dei Panthers?", "it"),
        ("Quantos pontos a defesa dos Panthers cedeu?", "pt"),
        ("Hoeveel punten gaf de verdediging van de Panthers weg?", "nl"),
        ("Сколько очков пропустила защита?", "ru"),
        ("防守丢了多少分？", "zh"),
        ("守備は何点を失いましたか", "ja"),
        ("수비는 몇 점을 내주었습니까", "ko"),
        ("Πόσους πόντους δέχτηκε η άμυνα;", "el"),
        ("How is 北京 written in the index?", "en"),
        ("如何设置 max_retry_count", "zh"),
        ("docker swarm update --task-history-limit default", None),
        ("csi.cert-manager.io/key-encoding allowed values", None),
        ("for (i = 0; i < n; ++i) total += des[i] * das;", "en"),
        ("let des = counts.iter().rev().take(9).skip(3).last().first().sum().count();", None),
        ("", None),
        ("1234 --- ?!", None),
    ],
)
def test_function_words_and_scripts_tell_the_language(text: str, language: str | None) -> None:
    assert language_of(text) == language


@given(st.text(max_size=300))
def test_any_text_is_of_one_language_or_none(text: str) -> None:
    found = language_of(text)
    assert found is None or len(found) == 2


def test_the_lists_hold_what_is_compared_with_them() -> None:
    assert all(word == word.casefold().strip() for words in FUNCTION_WORDS.values() for word in words)


@pytest.mark.skipif(not DATASETS.is_dir(), reason="the public retrieval sets are not on this machine")
@pytest.mark.parametrize(
    ("name", "language"),
    [("xquad/en", "en"), ("xquad/de", "de"), ("xquad/ru", "ru"), ("xquad/zh", "zh"), ("cmrc2018-trial", "zh")],
)
def test_questions_and_documents_are_told_by_their_language(name: str, language: str) -> None:
    for file in ("queries", "corpus"):
        lines = (DATASETS / name / f"{file}.jsonl").read_text("utf-8").splitlines()
        right = sum(language_of(json.loads(line)["text"]) == language for line in lines)
        assert right / len(lines) >= 0.98
