from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.index.search_text import (
    MAX_PARTS,
    MAX_QUERY_CHARACTERS,
    MAX_QUERY_WORDS,
    MAX_REPEATS,
    fold,
    normalise_query,
    parts_of,
    search_text,
    stems_of,
)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("maxRetryCount", ["max", "Retry", "Count"]),
        ("HTTPServerError2", ["HTTP", "Server", "Error2"]),
        ("getHTTPResponseCode", ["get", "HTTP", "Response", "Code"]),
        ("sha256", ["sha", "256"]),
        ("max_retry_count", []),
        ("health.base", []),
        ("APIs", []),
        ("plain words", []),
        ("iPhone", ["Phone"]),
        ("C++ and C# but not abc# or C++x", ["Cplusplus", "Csharp"]),
        ("서울은", ["서울", "울은"]),
        ("서울", []),
        ("x" * 70 + "Y" * 70, []),
    ],
)
def test_words_inside_words(word: str, parts: list[str]) -> None:
    assert parts_of(word) == parts


def test_parts_come_once_and_last() -> None:
    text = search_text("The guide", ("Part", "One"), "docs/guide.md", "Set maxRetryCount; maxRetryCount is read once.")
    assert text == (
        "The guide\nPart / One\ndocs/guide.md\nSet maxRetryCount; maxRetryCount is read once.\nmax Retry Count"
    )


def test_text_without_identifiers_does_not_grow() -> None:
    assert search_text(None, (), "a.md", "plain words") == "\n\na.md\nplain words"


def test_the_parts_of_encoded_data_are_bounded() -> None:
    noise = " ".join(f"aaBb{chr(97 + n // 26 % 26)}{chr(97 + n % 26)}Cc{chr(97 + n // 676)}" for n in range(2_000))
    assert len(parts_of(noise)) == MAX_PARTS


@pytest.mark.parametrize(
    ("text", "language", "stems"),
    [
        ("Die Verteidigung der Panthers", "de", ["verte", "panth"]),
        ("Verteidiger verteidigen", "de", ["verte"]),
        ("Какой банк выдал кредиты", "ru", ["креди"]),
        ("кредиты here", None, ["креди"]),
        ("several ordinary sentences", "en", []),
        ("max_retries kreditors", None, []),
        ("several déjàvus", "en", ["déjàv"]),
        ("短い文章です", "ja", []),
        ("x" * 70, "de", []),
        ("", "de", []),
    ],
)
def test_longer_words_of_other_languages_are_cut_to_their_beginnings(
    text: str, language: str | None, stems: list[str]
) -> None:
    assert stems_of(text, language) == stems


def test_only_text_in_another_language_gets_stems() -> None:
    german = search_text("Titel", (), "a.md", "Die Verträge werden nicht gekündigt.")
    assert german.split("\n")[-1] == "vertr werde nicht gekün".replace("nicht ", "")
    assert search_text("Title", (), "a.md", "The contracts are not terminated.").endswith("terminated.")


def test_the_stems_of_a_long_text_are_bounded() -> None:
    words = " ".join(f"{chr(97 + n % 26)}{chr(97 + n // 26)}xxxxxx" for n in range(600))
    assert len(stems_of(words, "de")) == MAX_PARTS


@pytest.mark.parametrize(
    ("written", "indexed"),
    [
        ("veri\ufb01cation", "verification"),
        ("ＦＵＬＬ", "FULL"),
        ("cafe\u0301", "caf\u00e9"),
        ("soft\u00adhyphen and ze\u200bro", "softhyphen and zero"),
        ("can\u2019t", "can't"),
        ("Straße", "Strasse"),
        ("a\0b", "a b"),
        ("\ud800x", "\ufffdx"),
    ],
)
def test_spellings_are_folded(written: str, indexed: str) -> None:
    assert fold(written) == indexed


@given(st.text())
def test_folding_is_idempotent_encodable_and_blind_to_the_normal_form(text: str) -> None:
    folded = fold(text)
    assert fold(folded) == folded
    assert folded.encode().decode() == folded
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@given(st.text() | st.text("a b\n\0 é", max_size=9_000))
def test_queries_are_bounded(query: str) -> None:
    words = normalise_query(query).split(" ")
    assert len(words) <= MAX_QUERY_WORDS
    assert all(words.count(word) <= MAX_REPEATS for word in words if word)


def test_a_long_query_is_cut() -> None:
    assert len(normalise_query("x" * 100_000)) == MAX_QUERY_CHARACTERS
    assert normalise_query("again " * 300) == "again again again"
    assert len(normalise_query(" ".join(str(n) for n in range(400))).split()) == MAX_QUERY_WORDS


def test_a_blank_query_is_empty() -> None:
    assert normalise_query(" \n\0\u200b ") == ""
