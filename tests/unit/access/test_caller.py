from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from docshelf.access.caller import Caller

# Halves of surrogate pairs included, which JSON can hold.
ANY_CHARACTER = st.characters(exclude_categories=())
NAMES = st.text(ANY_CHARACTER, min_size=1)


def caller(subject: str, client_id: str = "client") -> Caller:
    return Caller(subject, client_id, (), frozenset())


@given(NAMES)
def test_a_pseudonym_is_twelve_hexadecimal_digits_whatever_the_subject(subject: str) -> None:
    assert re.fullmatch(r"[0-9a-f]{12}", caller(subject).pseudonym)


def test_a_pseudonym_is_the_same_for_the_same_subject_whatever_client_it_uses() -> None:
    assert caller("anna", "laptop").pseudonym == caller("anna", "web").pseudonym


def test_two_subjects_have_two_pseudonyms() -> None:
    assert caller("anna").pseudonym != caller("ben").pseudonym


def test_a_pseudonym_is_not_the_plain_hash_that_a_list_of_subjects_could_be_compared_with() -> None:
    import hashlib

    assert caller("anna").pseudonym != hashlib.sha256(b"anna").hexdigest()[:12]
