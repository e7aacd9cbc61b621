from hypothesis import given
from hypothesis import strategies as st

from docshelf.mcp_server.tokens import TOKEN, Answer, clip, clip_lines, cost, estimate

ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=400) | st.text("ab1 .\n語é", max_size=400)


def test_english_prose_is_about_four_characters_a_token() -> None:
    prose = "The delivery guide explains how a parcel travels from the warehouse to the customer. " * 20
    assert 3.0 < len(prose) / estimate(prose) < 4.5


def test_hexadecimal_digits_cost_much_more_than_words() -> None:
    assert estimate("0f3ab29c" * 20) > 2 * estimate("delivery" * 20)


def test_a_chinese_character_costs_more_than_one_token() -> None:
    assert estimate("数据库连接失败" * 10) >= 70


@given(st.lists(ANY_TEXT, max_size=6))
def test_the_cost_of_lines_is_the_sum_of_their_costs(texts: list[str]) -> None:
    assert cost("\n".join(texts)) == sum(map(cost, texts)) + cost("\n") * max(len(texts) - 1, 0)


@given(ANY_TEXT, st.integers(0, 400))
def test_a_prefix_never_costs_more(text: str, length: int) -> None:
    assert cost(text[:length]) <= cost(text)


@given(ANY_TEXT, st.integers(-10, 4_000))
def test_a_clipped_text_is_a_prefix_that_fits(text: str, room: int) -> None:
    clipped = clip(text, room)
    assert text.startswith(clipped)
    assert cost(clipped) <= max(room, 0)
    if cost(text) <= room:
        assert clipped == text


@given(ANY_TEXT, st.integers(0, 4_000))
def test_clipped_lines_are_whole_and_as_many_as_fit(text: str, room: int) -> None:
    part, count = clip_lines(text, room)
    lines = text.split("\n")
    whole = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    assert part == "".join(whole[:count])
    assert cost(part) <= room
    assert count == len(whole) or cost(part + whole[count]) > room


def test_a_line_far_longer_than_the_room_is_clipped_without_reading_it_all() -> None:
    assert clip_lines("a" * 5_000_000, TOKEN) == ("", 0)
    assert clip("word " * 1_000_000, 2 * TOKEN) == "word "


@given(st.lists(ANY_TEXT, max_size=12), st.integers(1, 60))
def test_an_answer_never_exceeds_its_tokens(lines: list[str], max_tokens: int) -> None:
    answer = Answer(max_tokens)
    kept = [line for line in lines if answer.add(line)]
    assert answer.text() == "\n".join(kept)
    assert estimate(answer.text()) <= max_tokens
