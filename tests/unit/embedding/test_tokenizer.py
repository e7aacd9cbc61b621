"""Tokens, their places, and how well a query's words are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from docshelf.embedding import tokenizer as tokenizer_module
from docshelf.embedding.model_files import ResolvedModel
from docshelf.embedding.tokenizer import TextTokenizer
from docshelf.errors import ModelUnavailableError

DATASETS = Path(__file__).parents[3] / "../shared/datasets"


@pytest.fixture(scope="session")
def english(packaged_model: ResolvedModel) -> TextTokenizer:
    return TextTokenizer(packaged_model.files.tokenizer_path)


@pytest.fixture(scope="session")
def reference(packaged_model: ResolvedModel) -> Tokenizer:
    plain = Tokenizer.from_file(str(packaged_model.files.tokenizer_path))
    plain.no_padding()
    plain.no_truncation()
    return plain


def tokens_of(english: TextTokenizer, text: str) -> list[str]:
    starts, ends = english.offsets(text)
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def test_offsets_are_characters_of_the_text_even_beyond_the_basic_plane(english: TextTokenizer) -> None:
    text = "Résumé 😀 漢字 e\u0301cole ﬁ end"
    assert tokens_of(english, text) == ["Résumé", "😀", "漢", "字", "e\u0301cole", "ﬁ", "end"]


def test_white_space_belongs_to_no_token(english: TextTokenizer) -> None:
    starts, ends = english.offsets("  one\n\n two\t")
    assert starts.tolist() == [2, 8]
    assert ends.tolist() == [5, 11]


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_a_text_without_words_has_no_tokens(text: str, english: TextTokenizer) -> None:
    starts, ends = english.offsets(text)
    assert starts.shape == ends.shape == (0,)
    assert english.count(text) == 0


def test_nothing_is_cut_off_at_the_tokenizers_own_limit(english: TextTokenizer) -> None:
    assert english.count("word " * 1000) == 1000


@given(st.text(st.sampled_from("ab Zé漢😀\u0301\n.-_"), max_size=120), st.integers(8, 40))
def test_a_text_encoded_in_pieces_has_the_tokens_of_the_whole(
    english: TextTokenizer, reference: Tokenizer, text: str, size: int
) -> None:
    spaced = " ".join(text[at : at + 7] for at in range(0, len(text), 7))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenizer_module, "PIECE_CHARACTERS", size)
        patch.setattr(tokenizer_module, "_LOOK_BACK_CHARACTERS", size)
        starts, ends = english.offsets(spaced)
        count = english.count(spaced)
    expected = reference.encode(spaced, add_special_tokens=False).offsets
    assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == expected
    assert count == len(expected)


def test_a_text_without_white_space_is_cut_between_signs_and_never_before_a_mark(
    english: TextTokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokenizer_module, "PIECE_CHARACTERS", 10)
    monkeypatch.setattr(tokenizer_module, "_LOOK_BACK_CHARACTERS", 10)
    chinese = "漢字" * 50
    assert tokens_of(english, chinese) == list(chinese)
    marked = "漢\u0301" * 50
    starts, ends = english.offsets(marked)
    assert starts.tolist() == list(range(0, 100, 2))
    assert set((ends - starts).tolist()) <= {1, 2}


def test_a_word_longer_than_a_piece_is_still_tiled(english: TextTokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer_module, "PIECE_CHARACTERS", 100)
    monkeypatch.setattr(tokenizer_module, "_LOOK_BACK_CHARACTERS", 20)
    assert "".join(tokens_of(english, "a" * 1234)) == "a" * 1234


def test_large_texts_are_encoded_in_bounded_pieces(english: TextTokenizer) -> None:
    text = "Größe 漢字 word\n" * 20_000
    starts, ends = english.offsets(text)
    assert len(starts) % 20_000 == 0
    assert len(starts) == english.count(text)
    assert text[starts[-1] : ends[-1]] == "word"


def test_model_input_is_the_text_between_the_special_tokens_cut_at_the_limit(
    english: TextTokenizer, reference: Tokenizer
) -> None:
    assert english.model_input("hello there", 256) == reference.encode("hello there").ids
    ids = english.model_input("word " * 1000, 16)
    assert len(ids) == 16
    assert (ids[0], ids[-1]) == (reference.token_to_id("[CLS]"), reference.token_to_id("[SEP]"))
    assert set(ids[1:-1]) == {reference.token_to_id("word")}


@pytest.mark.parametrize(
    "query",
    [
        "Which bank provided the loan?",
        "how do I reset the admin password",
        "getUserName camelCase identifier",
        "What is the DES encryption standard?",
    ],
)
def test_english_queries_are_known(query: str, english: TextTokenizer) -> None:
    assert english.known_word_share(query) >= 0.8


@pytest.mark.parametrize(
    "query",
    [
        "Welche Bank hat das Darlehen gegeben und wie hoch ist der Zins?",
        "Quelle banque a accordé le prêt de la société ?",
        "¿Qué banco concedió el préstamo a la empresa?",
        "Какой банк выдал кредит?",
        "哪家银行提供了贷款？",
        "どの銀行が融資しましたか",
    ],
)
def test_queries_in_other_languages_are_not_known(query: str, english: TextTokenizer) -> None:
    assert english.known_word_share(query) <= 0.45


@pytest.mark.parametrize("query", ["", "?!", "12 + 30", "\x00", "a"])
def test_a_query_without_words_is_not_known(query: str, english: TextTokenizer) -> None:
    assert english.known_word_share(query) == 0.0


@given(st.text(max_size=200))
def test_the_share_is_a_share_whatever_the_text(english: TextTokenizer, text: str) -> None:
    assert 0.0 <= english.known_word_share(text) <= 1.0


def test_a_model_for_many_languages_knows_every_word(packaged_model: ResolvedModel) -> None:
    many = TextTokenizer(packaged_model.files.tokenizer_path, languages=("*",))
    assert many.known_word_share("Какой банк выдал кредит?") == 1.0
    assert many.known_word_share("?!") == 0.0


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("The contracts are not terminated.", True),
        ("let mut total = counts.iter().sum();", True),
        ("Die Verträge werden nicht gekündigt.", False),
        ("Договоры не расторгаются.", False),
        ("合同不会终止。", False),
    ],
)
def test_an_english_model_knows_english_and_what_is_in_no_language(
    text: str, known: bool, english: TextTokenizer, packaged_model: ResolvedModel
) -> None:
    assert english.knows_language_of(text) is known
    assert TextTokenizer(packaged_model.files.tokenizer_path, languages=("*",)).knows_language_of(text)


@pytest.mark.skipif(not DATASETS.is_dir(), reason="the public retrieval sets are not on this machine")
@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("claude-docs", True),
        ("cranfield", True),
        ("xquad/en", True),
        ("xquad/de", False),
        ("xquad/ru", False),
        ("xquad/zh", False),
        ("cmrc2018-trial", False),
    ],
)
def test_the_share_tells_english_question_sets_from_others(name: str, known: bool, english: TextTokenizer) -> None:
    lines = (DATASETS / name / "queries.jsonl").read_text("utf-8").splitlines()
    shares = [english.known_word_share(json.loads(line)["text"]) for line in lines]
    right = sum((share >= 0.6) is known for share in shares)
    assert right / len(shares) >= 0.97


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"[1]", b'{"version": "1.0"}', b'{"model": {"type": "Nothing"}}']
)
def test_a_file_that_is_no_tokenizer_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(ModelUnavailableError, match="not a tokenizer"):
        TextTokenizer(path)


def test_a_missing_tokenizer_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="cannot be read"):
        TextTokenizer(tmp_path / "tokenizer.json")
