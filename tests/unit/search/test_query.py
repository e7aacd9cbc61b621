"""Reading what kind of query it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.search.query import MAX_QUERY_CHARACTERS, clean, phrases_of, plan, vector_share, vector_trust


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
    assert vector_trust(0.3) == 0
    assert vector_trust(1.0) == 1
    assert vector_share(plan("кто выдал кредит", 0.0), [9.0, 8.0], exact=False) == 0


def test_exact_hits_give_full_text_the_lead() -> None:
    scores, planned = [9.0] * 20, plan("how to set max_retry_count", 1.0)
    assert vector_share(planned, scores, exact=True) < 0.5 < vector_share(planned, scores, exact=False)


def test_the_words_lead_as_far_as_the_best_hit_of_full_text_stands_out() -> None:
    planned = plan("how to set the retries", 1.0)
    shares = [vector_share(planned, [10.0, *([tenth] * 20)], exact=False) for tenth in (1.0, 6.0, 7.0, 9.9)]
    assert shares == sorted(shares)
    assert shares[0] < 0.5 < shares[-1]
    assert vector_share(planned, [10.0], exact=False) == shares[0]


def test_without_hits_of_full_text_the_vectors_answer() -> None:
    assert vector_share(plan("how to set the retries", 1.0), [], exact=False) == 1


@given(st.floats(0, 1), st.lists(st.floats(0, 100)), st.booleans())
def test_the_share_of_the_vectors_is_a_part_of_one(known: float, scores: list[float], exact: bool) -> None:
    assert 0 <= vector_share(plan("retries", known), sorted(scores, reverse=True), exact=exact) <= 1
