"""Sets of questions are read as they are passed on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docshelf.errors import InvalidArgumentError
from scripts.quality.question_sets import read_dataset, read_questions


def dataset(place: Path, documents: int = 4) -> Path:
    """A set of so many documents; question `q0` is answered by the document `d0` and so on."""
    place.mkdir()
    lines: dict[str, list[dict[str, object]]] = {
        "corpus": [{"_id": f"d{n}", "title": f"Title {n}", "text": f"text {n}"} for n in range(documents)],
        "queries": [{"_id": f"q{n}", "text": f"ask {n}" if n != 2 else " "} for n in range(documents + 1)],
        "qrels": [{"query_id": f"q{n}", "doc_id": f"d{n}", "score": n} for n in range(documents)],
    }
    for name, rows in lines.items():
        (place / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return place


def test_documents_become_files_and_judgements_name_what_can_be_asked(tmp_path: Path) -> None:
    found = read_dataset(dataset(tmp_path / "set"), tmp_path / "folder")
    assert [(one.text, one.relevance) for one in found.questions] == [
        ("ask 1", {"00001.md": 1}),
        ("ask 3", {"00003.md": 3}),
    ]
    assert (tmp_path / "folder" / "00001.md").read_text("utf-8") == "# Title 1\n\ntext 1"
    assert len(list((tmp_path / "folder").iterdir())) == 4


def test_a_part_holds_what_answers_its_questions(tmp_path: Path) -> None:
    found = read_dataset(dataset(tmp_path / "set", 9), tmp_path / "folder", every=4)
    assert [one.text for one in found.questions] == ["ask 1", "ask 6"]
    assert sorted(path.name for path in found.folder.iterdir()) == [
        *("00000.md", "00001.md", "00004.md", "00006.md", "00008.md")
    ]


def test_what_is_asked_has_a_fingerprint_of_its_own(tmp_path: Path) -> None:
    whole = read_dataset(dataset(tmp_path / "set", 9), tmp_path / "one")
    same = read_dataset(tmp_path / "set", tmp_path / "two", "other name")
    part = read_dataset(tmp_path / "set", tmp_path / "three", every=2)
    assert whole.fingerprint() == same.fingerprint() != part.fingerprint()


@pytest.mark.parametrize("content", ["", "not json\n", '{"_id": "d0"}\n', None])
def test_a_set_that_cannot_be_read_is_refused_with_its_place(content: str | None, tmp_path: Path) -> None:
    place = dataset(tmp_path / "set")
    if content is None:
        (place / "corpus.jsonl").unlink()
    else:
        (place / "corpus.jsonl").write_text(content, "utf-8")
    with pytest.raises(InvalidArgumentError, match="set holds no retrieval set"):
        read_dataset(place, tmp_path / "folder")


HEAD = "id\tkind\tquery\trelevant_paths\theading\n"


def test_a_question_that_hops_is_answered_by_all_but_the_first_document(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.md").write_text(name, "utf-8")
    table = tmp_path / "questions.tsv"
    rows = 'E1\texact\t"say ""x"""\ta.md|b.md\tX\nH1\thop\tfrom a\ta.md|b.md|c.md\tY\n'
    table.write_text(HEAD + rows, "utf-8")
    exact, hop = read_questions(table, tmp_path).questions
    assert (exact.text, exact.relevance) == ('say "x"', {"a.md": 1, "b.md": 1})
    assert hop.relevance == {"b.md": 1, "c.md": 1}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (HEAD + "E1\texact\task\tgone.md\tX\n", "gone.md"),
        ("id\tquery\nE1\task\n", "no column 'relevant_paths'"),
        (HEAD, "no question"),
        (HEAD + "E1\texact\t \tgone.md\tX\n", "line 2 has no question"),
        (HEAD + "\nE1\texact\task\t\tX\n", "line 3 has no question or no path"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(content: str, words: str, tmp_path: Path) -> None:
    table = tmp_path / "questions.tsv"
    table.write_text(content, "utf-8")
    with pytest.raises(InvalidArgumentError, match=words):
        read_questions(table, tmp_path)


def test_two_columns_are_enough_and_marks_of_other_editors_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a", "utf-8")
    table = tmp_path / "questions.tsv"
    table.write_bytes("\ufeffquery\trelevant_paths\r\nask\ta.md\r\n".encode())
    (question,) = read_questions(table, tmp_path).questions
    assert (question.name, question.kind, question.text, question.relevance) == ("2", "", "ask", {"a.md": 1})


def test_a_set_without_an_answered_question_is_refused(tmp_path: Path) -> None:
    place = dataset(tmp_path / "set")
    (place / "qrels.jsonl").write_text("", "utf-8")
    with pytest.raises(InvalidArgumentError, match="no question that is answered"):
        read_dataset(place, tmp_path / "folder")
