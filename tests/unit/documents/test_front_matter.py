"""Titles and descriptions that a file states before its text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.documents.markup.front_matter import MAX_FRONT_MATTER_CHARACTERS, FrontMatter, read_front_matter


@pytest.mark.parametrize(
    ("value", "title"),
    [
        ("Quorum guide", "Quorum guide"),
        ("Guide # a comment", "Guide"),
        ("# only a comment", ""),
        ("C# for all", "C# for all"),
        ("'It''s here' # why", "It's here"),
        ('"Say \\"yes\\"\\u00e9"', 'Say "yes"é'),
        ('"bad \\escape"', "bad \\escape"),
        ('"not closed', "not closed"),
        ("'not closed", "not closed"),
        ("a: b", "a: b"),
        ("long\n  continued\n  twice", "long continued twice"),
        (">-\n  folded\n  text", "folded text"),
        ("|\n  literal\n", "literal"),
        ("", ""),
    ],
)
def test_a_yaml_title_is_read_in_all_its_spellings(value: str, title: str) -> None:
    front = read_front_matter(f"---\nid: x\ntitle: {value}\nlast: 1\n---\nText.\n")
    assert front.title == title
    assert front.length > 0


def test_title_description_and_length_are_returned() -> None:
    source = "---\ntitle: A\ndescription: |-\n  All about\n  it.\ntags:\n- x\n---\n"
    assert read_front_matter(source + "# Start\n") == FrontMatter("A", "All about it.", len(source), 8)


def test_other_names_for_title_and_description_are_known() -> None:
    front = read_front_matter("---\npage_title: 'Provider: pod'\nsummary: Short.\ncSpell:ignore: x\n---\n")
    assert (front.title, front.description) == ("Provider: pod", "Short.")


def test_the_first_of_two_titles_counts() -> None:
    assert read_front_matter("---\ntitle: one\ntitle: two\n---\n").title == "one"


def test_toml_front_matter_is_read_up_to_its_first_table() -> None:
    front = read_front_matter('+++\ntitle = "A guide"\ndraft = false\n[extra]\ndescription = "no"\n+++\nText.\n')
    assert (front.title, front.description, front.lines) == ("A guide", "", 6)


def test_a_json_object_in_the_opening_comment_is_front_matter() -> None:
    front = read_front_matter('<!--{\n  "Title": "Publishing a module"\n}-->\nText.\n')
    assert (front.title, front.lines) == ("Publishing a module", 3)


def test_an_empty_front_matter_is_dropped() -> None:
    assert read_front_matter("---\n---\nText.\n").lines == 2


@pytest.mark.parametrize(
    "text",
    [
        "Text.\n---\ntitle: x\n---\n",
        "---\nProse between rules.\nNote: this.\n---\n",
        "---\n# Heading between rules\n---\n",
        "---\ntitle: never closed\n",
        "<!--{ not json }-->\n",
        "<!-- note -->\n",
        "----\ntitle: x\n----\n",
        "---\n" + "a: b\n" * MAX_FRONT_MATTER_CHARACTERS + "---\n",
    ],
)
def test_what_only_resembles_front_matter_stays_text(text: str) -> None:
    assert read_front_matter(text) == FrontMatter()


@settings(deadline=None)
@given(st.text(alphabet="-+:=\"'|> #ab\n\\{}<!", max_size=200))
def test_any_text_has_a_front_matter_of_whole_lines_or_none(text: str) -> None:
    front = read_front_matter("---\n" + text)
    head = ("---\n" + text)[: front.length]
    assert head.count("\n") == front.lines
    assert head == "" or head.endswith("\n") or front.length == len(text) + 4
