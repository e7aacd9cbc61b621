"""Reading HTML: what is content, how it is written down, what it is called."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.documents.html.reader import parse_html
from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.tiling import tiles
from docshelf.errors import DocumentError, DocumentTooLargeError, EmptyDocumentError
from docshelf.settings import Limits

SHARED = Path(__file__).parents[3] / "../shared/corpus"


def read(page: str | bytes, key: str = "page.html") -> Document:
    data = page.encode() if isinstance(page, str) else page
    document = parse_html(data, key, Limits())
    assert tiles(document.blocks, len(document.text))
    return document


def body(page: str | bytes) -> str:
    return read(page).text.strip("\n")


def shown(document: Document, block: Block) -> str:
    return document.text[block.start : block.end]


def test_headings_become_blocks_with_their_path_and_without_the_pilcrow() -> None:
    document = read(
        "<h1>Guide<a class='headerlink' href='#guide'>¶</a></h1><p>One.</p><h2>Use ¶</h2><h3>Deep</h3><p>Two.</p>"
        "<h2>Next</h2><p>Three.</p>"
    )
    assert [(block.kind, shown(document, block).strip(), block.headings) for block in document.blocks] == [
        (Kind.HEADING, "# Guide", ("Guide",)),
        (Kind.PARAGRAPH, "One.", ("Guide",)),
        (Kind.HEADING, "## Use", ("Guide", "Use")),
        (Kind.HEADING, "### Deep", ("Guide", "Use", "Deep")),
        (Kind.PARAGRAPH, "Two.", ("Guide", "Use", "Deep")),
        (Kind.HEADING, "## Next", ("Guide", "Next")),
        (Kind.PARAGRAPH, "Three.", ("Guide", "Next")),
    ]


def test_white_space_is_collapsed_entities_decoded_and_breaks_kept() -> None:
    assert body("<p>a &amp;\n\t b&nbsp;c<br>d <b>e</b>f<wbr>g</p>") == "a & b c\nd efg"


def test_block_elements_part_paragraphs_and_inline_elements_do_not() -> None:
    assert (
        body("<div>one<div>two</div>three <i>four</i></div><p>five<p>six") == "one\n\ntwo\n\nthree four\n\nfive\n\nsix"
    )


def test_lists_nest_by_indentation_and_number_from_their_start() -> None:
    page = "<ul><li>a<ol start=3><li>b</li><li>c<p>more</p></li></ol></li><li><p>d</p><p>e<br>f</p></li></ul>"
    document = read(page)
    assert document.text == "- a\n  3. b\n  4. c\n    more\n- d\n  e\n  f\n"
    (whole,) = document.blocks
    assert whole.kind is Kind.LIST
    assert [shown(document, item) for item in whole.children] == ["- a\n  3. b\n  4. c\n    more\n", "- d\n  e\n  f\n"]
    assert {child.kind for child in whole.children} == {Kind.LIST_ITEM}


def test_a_list_start_that_is_no_number_counts_from_one() -> None:
    assert body("<ol start=x><li>a</li></ol>") == "1. a"


def test_two_lists_side_by_side_stay_two_blocks() -> None:
    assert [block.kind for block in read("<ul><li>a</ul><ul><li>b</ul>").blocks] == [Kind.LIST, Kind.LIST]


def test_code_in_a_list_item_stays_code() -> None:
    document = read("<ol><li>Run:<pre>make</pre></li><li><pre>test</pre>then</li></ol>")
    assert document.text == "1. Run:\n\n```\nmake\n```\n\n2.\n\n```\ntest\n```\n\n  then\n"
    assert [block.kind for block in document.blocks] == [Kind.LIST, Kind.CODE, Kind.LIST, Kind.CODE, Kind.LIST]


def test_code_keeps_indentation_line_breaks_and_language() -> None:
    page = '<pre><code class="language-python">for i in x:\n    if i:\n        y()\n</code></pre>'
    document = read(page)
    assert document.text == "```python\nfor i in x:\n    if i:\n        y()\n```\n"
    (block,) = document.blocks
    assert (block.kind, block.opening, block.closing) == (Kind.CODE, "```python\n", "```\n")


def test_code_with_inline_tags_and_breaks_keeps_its_lines() -> None:
    assert body("<pre><b>Retries</b> = 3<br><b>Backoff</b> = 2s<br></pre>") == "```\nRetries = 3\nBackoff = 2s\n```"


def test_code_whose_lines_are_boxes_keeps_its_lines() -> None:
    assert body("<pre><div>a</div><div> b</div></pre>") == "```\na\n b\n```"


def test_a_fence_in_code_gets_a_longer_fence_around_it() -> None:
    assert body("<pre>```\nx\n```</pre>") == "````\n```\nx\n```\n````"


def test_the_language_on_a_box_around_the_code_is_found_and_plain_text_is_none() -> None:
    assert body('<div class="highlight-bash notranslate"><div><pre>ls</pre></div></div>') == "```bash\nls\n```"
    assert body('<div class="highlight-default"><pre>ls</pre></div>') == "```\nls\n```"


def test_line_numbers_beside_code_are_left_out() -> None:
    page = "<table><tr><td class=linenos><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table>"
    assert body(page) == "```\na\nb\n```"


def test_empty_code_and_empty_headings_leave_nothing() -> None:
    assert body("<h2> </h2><pre>\n \n</pre><p>x</p>") == "x"


def test_a_table_has_rows_as_children_and_its_header_as_opening() -> None:
    page = "<table><thead><tr><th>Key<th>Value</thead><tr><td>a<td>1<tr><td><td><tr><td>b<td>2</table>"
    document = read(page)
    assert document.text == "| Key | Value |\n| a | 1 |\n| b | 2 |\n"
    (table,) = document.blocks
    assert (table.kind, table.opening) == (Kind.TABLE, "| Key | Value |\n")
    assert [child.kind for child in table.children] == [Kind.TABLE_ROW] * 3


def test_a_first_row_of_header_cells_is_the_header_and_a_caption_comes_before() -> None:
    document = read("<table><caption>Limits</caption><tr><th>A<th>B<tr><td>1<td>2</table>")
    assert document.text == "Limits\n\n| A | B |\n| 1 | 2 |\n"
    assert document.blocks[1].opening == "| A | B |\n"


def test_a_table_of_header_cells_only_has_no_opening() -> None:
    assert read("<table><tr><th>A<th>B</table>").blocks[0].opening == ""


def test_a_list_in_a_cell_stays_in_its_row() -> None:
    page = "<table><tr><td>Mon<td><ul><li>10:00-18:00<li>late</ul><tr><td>Tue<td><p>Closed</p><p>All day</table>"
    assert body(page) == "| Mon | 10:00-18:00; late |\n| Tue | Closed All day |"


def test_spanned_cells_keep_the_columns_and_repeat_down_the_rows() -> None:
    spanned = "<tr><td rowspan=2>x<td colspan=2>y<tr><td>1<td>2<tr><td>z<td rowspan=q>3<td>4"
    page = f"<table><tr><th>A<th>B<th>C{spanned}</table>"
    assert body(page) == "| A | B | C |\n| x | y |  |\n| x | 1 | 2 |\n| z | 3 | 4 |"


def test_absurd_spans_are_bounded() -> None:
    assert len(body("<table><tr><th>A<th>B<tr><td colspan=999999>x<td>y</table>")) < 200


def test_a_layout_table_is_read_as_its_content() -> None:
    page = (
        "<table><tr><td><h1>Gears</h1><p>The left wheel turns at <i>r</i>, the right wheel at 3<i>r</i> over 2."
        "<p>Second part.</td><td>Side</td></tr></table><table><tr><td>alone</td></tr></table>"
        "<table role=presentation><tr><td>a<td>b</table>"
    )
    text = body(page)
    assert text == (
        "# Gears\n\nThe left wheel turns at r, the right wheel at 3r over 2.\n\nSecond part.\n\nSide\n\nalone\n\na\n\nb"
    )


def test_a_table_of_long_articles_is_layout_and_one_of_long_cells_is_data() -> None:
    long = "word " * 300
    assert "|" not in body(f"<table><tr><td><p>{long}</p><p>b</p></td><td>c</td></tr></table>")
    assert "|" in body(f"<table><tr><td>{long}</td><td>c</td></tr></table>")


def test_a_table_in_a_list_item_or_quote_stays_a_table() -> None:
    table = "<table><tr><th>A<th>B<tr><td>1<td>2</table>"
    assert body(f"<ul><li>{table}</ul>") == "-\n\n| A | B |\n| 1 | 2 |"


def test_an_empty_table_leaves_nothing() -> None:
    assert body("<table><tr><th> <th> </table><p>x") == "x"


def test_terms_stay_with_their_definition() -> None:
    page = "<dl><dt>-a<dt>--all<dd>Show all.<dd>Really.<dt>-x<dd><pre>x</pre><dt>-z</dl><p>end"
    assert body(page) == "-a\n--all\nShow all.\n\nReally.\n\n-x\n\n```\nx\n```\n\n-z\n\nend"


def test_a_quote_is_marked_line_by_line_with_its_paragraphs_as_children() -> None:
    document = read("<blockquote><p>a<br>b</p><ul><li>c</ul></blockquote><p>d</p>")
    assert document.text == "> a\n> b\n> - c\n\nd\n"
    assert document.blocks[0].kind is Kind.QUOTE
    assert [child.kind for child in document.blocks[0].children] == [Kind.PARAGRAPH, Kind.LIST_ITEM]


def test_an_image_speaks_only_where_nothing_else_does() -> None:
    assert body('<p><img alt="Wiring plan"></p><p>Text <img alt="icon"> more</p>') == "Wiring plan\n\nText more"
    assert body('<h1><img alt="Acme"></h1><p>x') == "# Acme\n\nx"
    assert body('<table><tr><th>A<th>B<tr><td>a<td><img alt="yes"></table>').endswith("| a | yes |")


def test_ruby_scripts_styles_controls_and_comments_are_left_out() -> None:
    page = (
        "<script>s()</script><style>p{}</style><template>t</template><p><noscript>ns</noscript><button>Go</button>"
        "<select><option>o</select><textarea>ta</textarea><!-- c --><p>漢<rt>kan</rt>字 <svg><text>v</text></svg>end"
    )
    assert body(page) == "漢字 end"


MENU = "".join(f"<li><a href=/{n}>Menu entry {n}</a></li>" for n in range(40))
PROSE = "<p>The signal state is kept between two renders of the component.</p>"


@pytest.mark.parametrize(
    "chrome",
    [
        f"<nav><ul>{MENU}</ul></nav>",
        f"<div role=navigation>{MENU}</div>",
        f"<div class='sphinxsidebar'>{MENU}</div>",
        f"<div class='sidebar-tree'><ul>{MENU}</ul></div>",
        f"<aside><ul>{MENU}</ul></aside>",
        f"<ul>{MENU}</ul>",
        f"<div><ul>{MENU}</ul></div>",
        "<header><a href=/>Logo</a></header>",
        "<footer>All rights reserved.</footer>",
        "<div role=search><label>Search</label></div>",
        "<div hidden>Hidden words</div>",
        "<div aria-hidden=true>Hidden words</div>",
        "<div style='color:red; display: none'>Hidden words</div>",
        "<a href='#main'>Skip to main content</a>",
        "<a class='skip-link' href='#main'>To the content</a>",
        "<div class='toc'><a href=#a>First</a><a href=#b>Second</a></div>",
        "<span class='mw-editsection'>[<a href=e>edit</a>]</span>",
    ],
)
def test_what_is_around_the_content_is_left_out(chrome: str) -> None:
    expected = "# State\n\nThe signal state is kept between two renders of the component."
    assert body(f"{chrome}<h1>State</h1>{PROSE}") == expected
    assert body(f"{chrome}<main><h1>State</h1>{PROSE}</main>{chrome}") == expected


def test_a_side_note_beside_the_main_part_is_left_out_and_one_within_kept() -> None:
    page = f"<aside>Advertisement in prose.</aside><main>{PROSE}<aside>Note: renders may repeat.</aside></main>"
    assert body(page).endswith("component.\n\nNote: renders may repeat.")
    assert "Advertisement" not in body(page)


def test_an_articles_own_header_and_footer_are_kept() -> None:
    page = f"<article><header><h1>State</h1><p>By Ada</p></header>{PROSE}<footer>Signed, Ada</footer></article>"
    assert body(page).startswith("# State\n\nBy Ada\n\nThe signal")
    assert body(page).endswith("Signed, Ada")


def test_a_page_header_with_the_title_is_kept() -> None:
    assert body(f"<header><h1>State</h1></header>{PROSE}").startswith("# State")


def test_a_panel_that_a_tab_would_show_is_kept() -> None:
    assert "pip install" in body(f"{PROSE}<div role=tabpanel hidden><p>pip install docshelf</p></div>")


def test_hidden_until_found_is_kept() -> None:
    assert "found" in body(f"{PROSE}<div hidden=until-found>found</div>")


def test_navigation_that_swallows_the_page_is_kept() -> None:
    prose = "<p>" + "The content stands in a menu that was never closed. " * 20
    assert "never closed" in body(f"<nav><a href=/>Home</a>{prose}")
    assert "never closed" in body(f"<nav><a href=/>Home</a><main>{prose}</main></nav>")
    assert "never closed" in body(f"<div class=sidebar><a href=/>Home</a><h1>T</h1>{prose}</div>{prose * 2}")


def test_a_page_of_links_only_keeps_its_links() -> None:
    assert body(f"<h1>Index</h1><ul>{MENU}</ul>").count("Menu entry") == 40


def test_a_page_of_navigation_only_keeps_it() -> None:
    assert "Menu entry 7" in body(f"<nav><ul>{MENU}</ul></nav>")


def test_the_main_part_is_preferred_only_where_it_holds_most_of_the_text() -> None:
    side = "<div><p>Something else that is prose.</p></div>"
    assert body(f"{side}<main><p>{'Main text. ' * 20}</p></main>").startswith("Main text.")
    assert body(f"<p>{'Around. ' * 30}</p><main><p>Little.</p></main>").startswith("Around.")
    assert "two" in body(f"<article><p>one {'x ' * 20}</p></article><article><p>two {'y ' * 20}</p></article>")


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title>Install - Acme Docs</title><h1>Install</h1><p>x", "Install"),
        ("<title>Install | Acme DOCS</title><h1>Acme Docs</h1><p>x", "Install"),
        ("<title>Install</title><p>x", "Install"),
        ("<title>Acme</title><h1>Install</h1><p>x", "Install"),
        ("<h1>Install</h1><p>x", "Install"),
        ("<title>Acme</title><h1>Acme</h1><p>x", "Acme"),
        ("<h2>Only second level</h2><p>x", "set-up"),
    ],
)
def test_the_title_is_the_pages_own_without_the_site(page: str, title: str) -> None:
    assert read(page, "guides/set-up.html").title == title


def test_the_description_is_read() -> None:
    assert read("<meta name=Description content=' How  to '><p>x").description == "How to"
    assert read("<meta property=og:description content='Other'><p>x").description == "Other"
    assert read("<meta name=description><p>x").description == ""


@pytest.mark.parametrize(
    "data",
    [
        '<meta charset="iso-8859-1"><p>“Grüße”'.encode("cp1252"),
        "<meta http-equiv=Content-Type content='text/html; charset=shift_jis'><p>“Grüße”".encode("cp932", "replace"),
        '<?xml version="1.0" encoding="utf-8"?><p>“Grüße”'.encode(),
        "<meta charset=utf-16><p>“Grüße”".encode(),
        "<meta charset=no-such-thing><p>“Grüße”".encode(),
        "<meta charset=unicode_escape><p>“Grüße”".encode(),
        "<p>“Grüße”".encode("utf-16"),
        b"\xef\xbb\xbf<meta charset=cp1252>" + "<p>“Grüße”".encode(),
        "<p>“Grüße”".encode(),
    ],
)
def test_the_charset_is_the_marks_then_the_pages_then_a_guess(data: bytes) -> None:
    expected = "“Gr??e”" if b"shift_jis" in data else "“Grüße”"
    assert body(data) == expected


def test_a_page_that_is_not_in_its_declared_charset_is_read_with_a_warning() -> None:
    document = read('<meta charset="utf-8"><p>Grüße aus Köln, schöne Tage für alle'.encode("latin-1"))
    assert document.text.startswith("Grüße aus Köln")
    assert document.warnings


def test_control_characters_and_soft_hyphens_are_removed() -> None:
    assert body("<p>co\u00adordi\u200bnator \x07x</p><pre>a\x07\r\nb</pre>") == "coordinator x\n\n```\na\nb\n```"


@pytest.mark.parametrize(
    "page", ["", " ", "<html><body></body></html>", "<script>x()</script>", "<frameset></frameset>"]
)
def test_a_page_without_text_is_empty(page: str) -> None:
    with pytest.raises(EmptyDocumentError):
        read(page)


def test_a_page_with_too_much_text_is_refused_with_the_setting() -> None:
    with pytest.raises(DocumentTooLargeError, match="DOCSHELF_MAX_CHARACTERS"):
        parse_html(b"<p>" + b"word " * 100, "a.html", Limits(max_characters=200))


@pytest.mark.parametrize("tag", ["div", "blockquote", "ul><li", "table><tr><td", "dl><dd"])
def test_absurdly_deep_nesting_is_read_in_reasonable_time(tag: str) -> None:
    start = time.process_time()
    assert "deep text" in read(f"<{tag}>" * 30_000 + "<p>deep text" + "</div>" * 10).text
    assert time.process_time() - start < 10


def test_closing_tags_beyond_the_deepest_level_do_not_close_more_than_they_opened() -> None:
    page = "<div>" * 300 + "in" + "</div>" * 300 + "<h1>After</h1><p>text"
    document = read(page)
    assert document.blocks[-1].headings == ("After",)
    assert document.text.startswith("in")


NAMES = "p|div|h1|h2|ul|ol|li|pre|code|table|tr|td|th|blockquote|dl|dt|dd|a|br|img|nav|main|aside|b|span|header"
TAGS = st.from_regex(rf"</?(?:{NAMES})>", fullmatch=True)
WORDS = st.one_of(st.text(st.characters(codec="utf-8"), max_size=8), st.just("word "))
MARKUP = st.lists(st.one_of(TAGS, WORDS), max_size=60).map("".join)


@given(MARKUP)
@settings(max_examples=200, deadline=None)
def test_any_markup_gives_blocks_that_tile_the_text_or_no_document(page: str) -> None:
    try:
        document = read(page)
    except DocumentError:
        return
    assert "\0" not in document.text
    assert "\r" not in document.text


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared corpus is not beside the repository")
def test_the_bug_pages_and_real_pages_are_read() -> None:
    pages = sorted(SHARED.glob("bugs/*.html")) + sorted(SHARED.glob("files/html/*.html"))
    texts = {page.name: read(page.read_bytes()).text for page in pages}
    assert texts["26-nav-boilerplate-a.html"].count("Signal") == 0
    assert "Bundle splitting" in texts["26-nav-boilerplate-b.html"]
    assert len(texts["built-node-cli.html"]) > 50_000
    assert "tarfile.open" in texts["built-python-tarfile.html"]
    assert "founded" in texts["markitdown-wikipedia.html"]
