"""Headings as a reader sees them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.documents.markup.markup_text import plain_asciidoc, plain_markdown, plain_restructuredtext
from docshelf.documents.tiling import MAX_TITLE_CHARACTERS


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("Plain words", "Plain words"),
        ("FastAPI CLI { #fastapi-cli }", "FastAPI CLI"),
        ("Set up {#set-up}", "Set up"),
        ("Past contributors {/*past-contributors*/}", "Past contributors"),
        ("Options {: #opts .wide }", "Options"),
        ("Use {braces}", "Use {braces}"),
        ("The `__init__` of `<div>`", "The __init__ of <div>"),
        ("A ``code ` tick`` here", "A code ` tick here"),
        ("**Bold**, *it* and _this_ ~~gone~~", "Bold, it and this gone"),
        ("snake_case_name and 2*3*4", "snake_case_name and 2*3*4"),
        ("[Link](https://x.example/a_(b)) and [ref][id]", "Link and ref"),
        ("[![badge](b.svg)](x) Title", "badge Title"),
        ("[1.2.0] - 2020", "[1.2.0] - 2020"),
        ("<a name='x'></a>Anchors <Badge n={1}/>", "Anchors"),
        ("See <https://x.example/>", "See https://x.example/"),
        ("Tom &amp; Jerry &lt;3", "Tom & Jerry <3"),
        (r"\# not \*bold\*", "# not *bold*"),
        ("a <!-- hidden --> b", "a b"),
        ("C#", "C#"),
    ],
)
def test_markdown_headings_lose_their_markup(markup: str, text: str) -> None:
    assert plain_markdown(markup) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("Title ``x``", "Title x"),
        ("The :setting:`DEBUG` flag", "The DEBUG flag"),
        (":py:class:`~flask.Flask` and :meth:`!run`", "Flask and run"),
        (":doc:`The guide </intro/guide>`", "The guide"),
        ("`Site <https://x.example>`_ and `ref`_", "Site and ref"),
        ("*it* and **bold** |release|", "it and bold release"),
        (r"a\*b", "a*b"),
    ],
)
def test_restructuredtext_titles_lose_their_markup(markup: str, text: str) -> None:
    assert plain_restructuredtext(markup) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("Sec `one` *two* _three_", "Sec one two three"),
        ("xref:a.adoc#b[The page] https://x.example[site]", "The page site"),
        ("<<anchor,Shown>> [[id]] <<plain>>", "Shown plain"),
        ("snake_case_name", "snake_case_name"),
    ],
)
def test_asciidoc_titles_lose_their_markup(markup: str, text: str) -> None:
    assert plain_asciidoc(markup) == text


@settings(deadline=None)
@given(st.text(alphabet="`*_~[]()<>{}#\\&;:|!ab \ue000\ue0011", max_size=80))
def test_any_heading_becomes_one_bounded_line(markup: str) -> None:
    for plain in (plain_markdown, plain_restructuredtext, plain_asciidoc):
        text = plain(markup)
        assert "\n" not in text
        assert len(text) <= MAX_TITLE_CHARACTERS
