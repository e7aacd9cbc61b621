"""Text documents as they are found in the world, where the corpus is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from docshelf.documents import Block, Document, Kind, parse
from docshelf.errors import DocumentError
from docshelf.settings import Limits

CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the shared corpus of documents is not on this machine")


def read(name: str) -> Document:
    return parse((CORPUS / name).read_bytes(), name, Limits())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("big5.txt", "雙因素認證"),
        ("cp1252.txt", "“Undo” — naïve café"),
        ("cr-only.txt", "First\nSecond\nThird\n"),
        ("eucjp.txt", "証明書を更新"),
        ("gb18030.txt", "双因素认证"),
        ("nul-bytes.txt", "with NUL\nLine two"),
        ("rtl.md", "kubectl rollout restart"),
        ("truncated-utf8.txt", "caf\ufffd"),
        ("u2028.txt", "A\u2028B"),
        ("utf16be-bom.txt", "naïve café Ω"),
        ("utf32le.txt", "naïve café"),
        ("utf8-bom.md", "Heading after BOM"),
    ],
)
def test_text_in_any_encoding_is_read(name: str, words: str) -> None:
    assert words in read(f"files/text/{name}").text


def test_a_file_is_read_whatever_its_name() -> None:
    paths = sorted((CORPUS / "files" / "names").iterdir())
    titles = [read(str(path.relative_to(CORPUS))).title for path in paths]
    assert len(titles) >= 12
    assert all(titles)


def test_a_long_fence_can_be_reopened_with_its_language() -> None:
    code = [block for block in read("bugs/21-fence-cut.md").blocks if block.kind is Kind.CODE]
    assert [(block.opening, block.closing) for block in code] == [("```yaml\n", "```\n")]


def test_a_huge_table_has_a_row_for_each_of_its_lines() -> None:
    table = next(block for block in read("bugs/22-huge-table.md").blocks if block.kind is Kind.TABLE)
    assert len(table.children) == 4_001
    assert table.opening == "| service | port | note |\n|---|---|---|\n"


def test_each_of_forty_two_thousand_sections_is_found() -> None:
    assert len(read("bugs/25-batch-limit.md").blocks) == 42_000


def lines_of(document: Document, block: Block) -> tuple[int, int]:
    first = document.first_line + document.text.count("\n", 0, block.start)
    return first, first + document.text.count("\n", block.start, block.end) - 1


def test_sections_of_one_title_are_told_apart_by_heading_and_line() -> None:
    document = read("bugs/52-which-chunk.md")
    found = {block.headings: lines_of(document, block) for block in document.blocks if block.kind is Kind.PARAGRAPH}
    assert found[("Guide", "Port")] == (9, 10)


@pytest.mark.parametrize("project", ["mcp-spec", "datasette", "docker-cli", "flask"])
def test_documentation_of_real_projects_is_read_whole(project: str) -> None:
    failed = []
    paths = [path for path in sorted((CORPUS / "docs" / project).rglob("*")) if path.suffix in {".md", ".mdx", ".rst"}]
    for path in paths:
        try:
            parse(path.read_bytes(), path.name, Limits())
        except DocumentError as error:
            failed.append((path.name, error.sentence))
    assert failed == []
    assert len(paths) > 20
