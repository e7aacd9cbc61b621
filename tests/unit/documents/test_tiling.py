"""Blocks that tile, titles from names, heading paths."""

from __future__ import annotations

import pytest

from docshelf.documents.model import Block, Kind
from docshelf.documents.tiling import (
    MAX_OPENING_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    Draft,
    HeadingPath,
    bounded_opening,
    line_starts,
    shortened,
    tile,
    tiles,
    title_from_key,
)


@pytest.mark.parametrize(
    ("key", "title"),
    [
        ("guides/On-call.MD", "On-call"),
        ("release-1.2", "release-1.2"),
        ("a/b/.hidden.md", ".hidden"),
        ("..double-dot.md", "..double-dot"),
        ("trailing.dot.", "trailing.dot"),
        ("noextension", "noextension"),
        (".env", ".env"),
        ("folder/", "folder"),
        ("🚀 launch.md", "🚀 launch"),
    ],
)
def test_a_title_is_the_file_name_without_what_looks_like_an_extension(key: str, title: str) -> None:
    assert title_from_key(key) == title


def test_a_long_title_is_cut_with_an_ellipsis_and_put_on_one_line() -> None:
    assert shortened("a\n  b\tc") == "a b c"
    cut = shortened("word " * 1_000)
    assert len(cut) <= MAX_TITLE_CHARACTERS
    assert cut.endswith("…")


def test_only_a_line_feed_ends_a_line() -> None:
    assert line_starts("a\u2028b\x0bc\nd\n") == [0, 6, 8]


def test_a_heading_closes_those_of_its_level_and_deeper() -> None:
    headings = HeadingPath(("Base",))
    assert headings.enter(1, "A") == ("Base", "A")
    assert headings.enter(3, "B") == ("Base", "A", "B")
    assert headings.enter(2, "C") == ("Base", "A", "C")
    assert headings.enter(1, "D") == ("Base", "D")
    assert headings.path == ("Base", "D")


def test_what_leads_to_the_first_draft_and_what_lies_between_two_is_not_lost() -> None:
    text = "\n\na\n\nb\n"
    blocks = tile([Draft(Kind.PARAGRAPH, 2), Draft(Kind.CODE, 4)], line_starts(text), 0, len(text))
    assert [text[block.start : block.end] for block in blocks] == ["\n\na\n\n", "b\n"]
    assert tiles(blocks, len(text))


def test_drafts_on_one_line_or_outside_the_range_are_dropped() -> None:
    text = "a\nb\n"
    drafts = [Draft(Kind.QUOTE, 0), Draft(Kind.LIST, 0), Draft(Kind.CODE, 1), Draft(Kind.CODE, 2)]
    blocks = tile(drafts, line_starts(text), 0, len(text))
    assert [block.kind for block in blocks] == [Kind.QUOTE, Kind.CODE]


def test_an_only_child_is_kept_when_it_can_be_reopened() -> None:
    text = "> ```\n> x\n> ```\n"
    plain = tile([Draft(Kind.QUOTE, 0, children=[Draft(Kind.PARAGRAPH, 0)])], line_starts(text), 0, len(text))
    fence = Draft(Kind.CODE, 0, opening="> ```\n", closing="> ```\n")
    reopened = tile([Draft(Kind.QUOTE, 0, children=[fence])], line_starts(text), 0, len(text))
    assert plain[0].children == ()
    assert [child.opening for child in reopened[0].children] == ["> ```\n"]


@pytest.mark.parametrize(
    "blocks",
    [
        (),
        (Block(Kind.PARAGRAPH, 1, 4),),
        (Block(Kind.PARAGRAPH, 0, 3),),
        (Block(Kind.PARAGRAPH, 0, 2), Block(Kind.PARAGRAPH, 3, 4)),
        (Block(Kind.PARAGRAPH, 0, 4), Block(Kind.PARAGRAPH, 4, 4)),
        (Block(Kind.LIST, 0, 4, children=(Block(Kind.LIST_ITEM, 0, 3),)),),
    ],
)
def test_gaps_overlaps_and_empty_blocks_are_no_tiling(blocks: tuple[Block, ...]) -> None:
    assert not tiles(blocks, 4)


def test_a_header_too_long_to_repeat_is_not_repeated() -> None:
    assert bounded_opening("x" * MAX_OPENING_CHARACTERS) != ""
    assert bounded_opening("x" * (MAX_OPENING_CHARACTERS + 1)) == ""
