"""Candidates by vector, by words and by phrase, before and after the full-text index is brought up to date."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.index.filters import Filters
from docshelf.index.identity import IndexIdentity
from docshelf.index.store import Index
from tests.support.hits import Hit, phrase_hits, text_hits, vector_hits
from tests.unit.index.made_up import DIMENSION, make, vector_of

TEXTS = {
    "keys.md": "Set `health.base` and `maxRetryCount` (alias `max_retry_count`) in /etc/app.d/main.conf.",
    "snake.md": "The option max_open_files bounds descriptors.",
    "camel.md": "The option maxOpenSockets bounds connections.",
    "flags.md": "Start it with --dry-run-all to see ERR_42 at version v1.2 of the tool.",
    "languages.md": "Written in C++ and partly in C#.",
    "letter-c.md": "Appendix C lists plans A, B and C.",
    "ligature.md": "The e\ufb03cient veri\ufb01cation workflow.",
    "accents.md": "Le caf\u00e9 est ferm\u00e9.",
    "hidden.md": "A soft\u00adhyphen and a zero\u200bwidth space.",
    "german.md": "Die Stra\u00dfe ist gesperrt.",
    "russian.md": "Договор займа подписан с банком.",
    "chinese.md": "重跑批次后必须先设置止损线。",
    "japanese.md": "証明書を更新した後は再起動してください。",
    "korean.md": "서울은 큰 도시이고 은행에서 대출을 받았다.",
    "wide.md": "ＦＵＬＬｗｉｄｔｈ letters",
    "fox.md": "The quick brown fox jumps over the lazy dog; the state of the art runs on.",
    "dog.md": "A lazy fox and a brown, quick dog were running.",
    "digest.md": f"Its digest is {'0123456789abcdef' * 4}.",
}

FOUND = [
    ("health.base", "keys.md"),
    ("maxRetryCount", "keys.md"),
    ("max_retry_count", "keys.md"),
    ("retry count", "keys.md"),
    ("/etc/app.d", "keys.md"),
    ("maxOpenFiles", "snake.md"),
    ("max_open_sockets", "camel.md"),
    ("open sockets", "camel.md"),
    ("--dry-run-all", "flags.md"),
    ("ERR_42", "flags.md"),
    ("v1.2", "flags.md"),
    ("C++", "languages.md"),
    ("C#", "languages.md"),
    ("efficient verification", "ligature.md"),
    ("cafe", "accents.md"),
    ("cafe\u0301", "accents.md"),
    ("softhyphen", "hidden.md"),
    ("zerowidth", "hidden.md"),
    ("strasse", "german.md"),
    ("STRASSE", "german.md"),
    ("договор", "russian.md"),
    ("止损", "chinese.md"),
    ("証明書", "japanese.md"),
    ("再起動", "japanese.md"),
    ("서울", "korean.md"),
    ("대출", "korean.md"),
    ("fullwidth", "wide.md"),
    ("0123456789abcdef" * 4, "digest.md"),
    ("jumping", "fox.md"),
    ("NOT jumps AND (over:", "fox.md"),
    ("a title keys", "keys.md"),
]


@pytest.fixture(scope="module", params=["not yet indexed", "indexed"])
def shelf(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, identity: IndexIdentity) -> Index:
    index = Index.create(tmp_path_factory.mktemp("shelf"), identity)
    index.replace([make(source, [text]) for source, text in TEXTS.items()])
    if request.param == "indexed":
        index.maintain(force=True)
    return index


def found(candidates: list[Hit]) -> list[str]:
    return [candidate.chunk.source for candidate in candidates]


@pytest.mark.parametrize(("query", "source"), FOUND)
def test_words_identifiers_and_scripts_are_found(shelf: Index, query: str, source: str) -> None:
    assert found(text_hits(shelf, query, 10))[:1] == [source]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    "word", ["\u03ad\u03c8\u03b9\u03bb\u03bf\u03bd", "\u0439\u043e\u0433\u0443\u0440\u0442", "\ud55c\uad6d"]
)
def test_both_normal_forms_find_both(index: Index, form: Literal["NFC", "NFD"], word: str) -> None:
    index.replace(
        [make("nfc.md", [unicodedata.normalize("NFC", word)]), make("nfd.md", [unicodedata.normalize("NFD", word)])]
    )
    assert sorted(found(text_hits(index, unicodedata.normalize(form, word), 10))) == ["nfc.md", "nfd.md"]


def test_a_word_written_out_ranks_before_its_parts(shelf: Index) -> None:
    assert found(text_hits(shelf, "maxOpenSockets", 10))[0] == "camel.md"
    assert found(text_hits(shelf, "max_open_files", 10))[0] == "snake.md"


@pytest.mark.parametrize("query", ["", "  \n", "?!", "\0", "()[]{}:;*~^", "😀", "zzz qqq", '"', "\ud800", "'; --"])
def test_a_query_without_words_finds_nothing(shelf: Index, query: str) -> None:
    assert text_hits(shelf, query, 10) == []
    assert phrase_hits(shelf, query, 10) == []


@settings(max_examples=60, deadline=None)
@given(st.text() | st.text("ab \"'()[]{}+-~*?:^\\/&|!\0", max_size=40))
def test_no_query_is_an_error(shelf: Index, query: str) -> None:
    assert len(text_hits(shelf, query, 3)) <= 3
    assert len(text_hits(shelf, query, 3, every_word=True)) <= 3
    assert len(phrase_hits(shelf, query, 3)) <= 3


def test_a_query_of_a_hundred_kilobytes_is_answered(shelf: Index) -> None:
    assert found(text_hits(shelf, "fox " * 25_000, 3))[0] in {"fox.md", "dog.md"}
    assert text_hits(shelf, "x" * 100_000, 3) == []
    assert phrase_hits(shelf, "fox " * 25_000, 3) == []


def test_a_phrase_needs_its_words_in_order(shelf: Index) -> None:
    assert found(phrase_hits(shelf, "quick brown fox", 10)) == ["fox.md"]
    assert found(phrase_hits(shelf, "state  of the\nart", 10)) == ["fox.md"]
    assert found(phrase_hits(shelf, "brown quick", 10)) == ["dog.md"]
    assert found(phrase_hits(shelf, "fox quick", 10)) == []
    assert found(phrase_hits(shelf, "max retry count", 10)) == ["keys.md"]


def test_every_word_may_be_demanded(shelf: Index) -> None:
    assert sorted(found(text_hits(shelf, "fox jumps", 10))) == ["dog.md", "fox.md"]
    assert found(text_hits(shelf, "fox jumps", 10, every_word=True)) == ["fox.md"]


def test_short_words_find_their_page_only(index: Index) -> None:
    index.replace([make("db.md", ["How to move to db v3."]), make("ui.md", ["Buttons and colours."])])
    assert found(text_hits(index, "db v3", 10)) == ["db.md"]
    assert text_hits(index, "zz qq", 10) == []


def test_scores_fall_and_the_best_fit_is_first(shelf: Index) -> None:
    candidates = text_hits(shelf, "lazy dog running", 10)
    scores = [candidate.score for candidate in candidates]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1] > 0
    assert found(candidates)[0] == "dog.md"


def test_the_nearest_vector_is_first_with_its_cosine(shelf: Index) -> None:
    query = vector_of(TEXTS["fox.md"]) * 3 + 0.1
    candidates = vector_hits(shelf, query, 5)
    stored = {source: vector_of(text) for source, text in TEXTS.items()}
    expected = {
        source: float(vector @ query / np.linalg.norm(vector) / np.linalg.norm(query))
        for source, vector in stored.items()
    }
    assert found(candidates) == sorted(expected, key=expected.__getitem__, reverse=True)[:5]
    for candidate in candidates:
        assert candidate.score == pytest.approx(expected[candidate.chunk.source], abs=1e-5)


@pytest.mark.parametrize("vector", [np.zeros(3, np.float32), np.full(DIMENSION, np.nan, np.float32)])
def test_a_vector_that_does_not_fit_is_refused(
    shelf: Index, vector: np.ndarray[tuple[int], np.dtype[np.float32]]
) -> None:
    with pytest.raises(ValueError, match="16 finite numbers"):
        vector_hits(shelf, vector, 5)


def test_filters_restrict_every_kind_of_search(index: Index) -> None:
    names = ["a/x/1.md", "a/x_2.md", "a/xy.md", "b/x/1.md", "it's/1.md", "top.md"]
    index.replace([make(name, ["the quick fox"]) for name in names])
    query = vector_of("the quick fox")
    for filters, expected in [
        (Filters(("a",)), names[:3]),
        (Filters(("a", "it's")), [*names[:3], "it's/1.md"]),
        (Filters(None, "a/x/"), names[:1]),
        (Filters(None, "a/x_"), names[1:2]),
        (Filters(("b",), "a/"), []),
        (Filters(("general",)), ["top.md"]),
        (Filters(()), []),
        (Filters(("%",), "%"), []),
        (Filters(), sorted(names)),
    ]:
        for candidates in (
            vector_hits(index, query, 10, filters),
            text_hits(index, "fox", 10, filters),
            phrase_hits(index, "quick fox", 10, filters),
        ):
            assert sorted(found(candidates)) == expected


def test_a_filter_is_applied_before_the_limit(index: Index) -> None:
    index.replace([make("a/near.md", ["fox"] * 30), make("b/far.md", ["a fox far away in a long sentence"])])
    assert found(vector_hits(index, vector_of("fox"), 1, Filters(("b",)))) == ["b/far.md"]
    assert found(text_hits(index, "fox", 1, Filters(("b",)))) == ["b/far.md"]


def test_an_empty_index_finds_nothing(root: Path, index: Index) -> None:
    for handle in (index, Index.open(root)):
        assert vector_hits(handle, vector_of("x"), 5) == []
        assert text_hits(handle, "x", 5) == []
        assert phrase_hits(handle, "x y", 5) == []


def test_replaced_and_removed_text_is_not_found_any_more(index: Index) -> None:
    index.replace([make("a.md", ["an elephant"]), make("b.md", ["a giraffe"])])
    index.maintain(force=True)
    index.replace([make("a.md", ["a zebra"], version="2")], removed=["b.md"])
    for _ in range(2):
        assert text_hits(index, "elephant giraffe", 5) == []
        assert found(text_hits(index, "zebra", 5)) == ["a.md"]
        assert found(vector_hits(index, vector_of("an elephant"), 5)) == ["a.md"]
        index.maintain(force=True)
