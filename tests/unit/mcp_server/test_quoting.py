from hypothesis import given
from hypothesis import strategies as st

from docshelf.mcp_server.quoting import choose_mark, quote


def test_the_same_texts_get_the_same_mark() -> None:
    assert choose_mark(["a", "b"]) == choose_mark(["a", "b"])
    assert choose_mark(["a", "b"]) != choose_mark(["a", "c"])


@given(st.lists(st.text(max_size=50), max_size=5))
def test_no_text_contains_its_mark(texts: list[str]) -> None:
    mark = choose_mark(texts)
    assert not any(mark in text.casefold() for text in texts)


def test_a_text_that_knows_many_marks_does_not_know_the_next() -> None:
    letters = "bcdfghjkmnpqrstvwxz"
    every_short_mark = " ".join(
        f"QUOTE-{a}{b}{c}{d}" for a in letters for b in letters for c in letters for d in letters
    )
    mark = choose_mark([every_short_mark])
    assert mark not in every_short_mark.casefold()
    assert len(mark) > len("quote-bcdf")


def test_a_quote_ends_on_a_line_of_its_own() -> None:
    assert quote("text", "quote-x") == "<quote-x>\ntext\n</quote-x>"
    assert quote("text\n", "quote-x") == "<quote-x>\ntext\n</quote-x>"
