"""Reading what kind of query it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.search.query import MAX_QUERY_CHARACTERS, clean, phrases_of, plan, vector_weight


@pytest.mark.parametrize(
    ("query", "phrases"),
    [
        ("how do I reset the admin password", ()),
        ("argocd account bcrypt --password", ("--password",)),
        ("what is max_retry_count for", ("max_retry_count",)),
        ("maxRetryCount", ("maxRetryCount",)),
        ("health.base port", ("health.base",)),
        ("csi.cert-manager.io/key-encoding allowed values", ("csi.cert-manager.io/key-encoding",)),
        ('why "invalid index" after failure', ("invalid index",)),
        ("SQLSTATE 40P01", ("40P01",)),
        ("call `close()` first", ("close()",)),
        ("ERR_CONN:42 on start", ("ERR_CONN:42",)),
        ("since v1.2", ("v1.2",)),
        ("db::open fails", ("db::open",)),
        ("/etc/app.d", ("/etc/app.d",)),
        ("well-known state-of-the-art things", ()),
        ("End. Then more", ()),
        ("备份说明", ()),
    ],
)
def test_quotes_and_identifiers_are_phrases(query: str, phrases: tuple[str, ...]) -> None:
    assert phrases_of(query) == phrases


@given(st.text(max_size=300))
def test_cleaning_leaves_printable_text_on_one_line(query: str) -> None:
    text = clean(query)
    assert text.isprintable() or text == ""
    assert text == text.strip()
    assert "  " not in text
    assert clean(text) == text


def test_a_very_long_query_is_cut() -> None:
    assert len(clean("word " * 20_000)) <= MAX_QUERY_CHARACTERS


@given(st.text(st.sampled_from("ab_.-:/\"`'#( )1"), max_size=400))
def test_there_are_never_many_phrases(query: str) -> None:
    phrases = phrases_of(query)
    assert len(phrases) <= 6
    assert all(phrase in query for phrase in phrases)


def test_words_that_the_model_does_not_know_silence_the_vector_arm() -> None:
    assert vector_weight(0.3) == 0
    assert vector_weight(1.0) == 1
    assert plan("кто выдал кредит", 0.0).vector_weight == 0


def test_identifiers_give_full_text_the_lead() -> None:
    assert plan("how to set max_retry_count", 1.0).vector_weight < plan("how to set the retries", 1.0).vector_weight
