"""Questions with the documents that answer them, read from the files in which retrieval sets are passed on."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from docshelf.errors import InvalidArgumentError

_ANSWER_IS_IN_THE_LAST = "hop"
"""Questions of this kind start at one document and are answered by those behind it."""


@dataclass(frozen=True, slots=True)
class Question:
    """`relevance` gives the gain (1 and more) of each document that answers, by its key."""

    name: str
    kind: str
    text: str
    relevance: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions, and the folder whose files they are asked of."""

    name: str
    folder: Path
    questions: tuple[Question, ...]

    def fingerprint(self) -> str:
        """A hash of what is asked; numbers of sets that differ in it cannot be compared."""
        asked = [[one.name, one.kind, one.text, sorted(one.relevance.items())] for one in self.questions]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


def read_dataset(directory: Path, folder: Path, name: str | None = None, every: int = 1) -> QuestionSet:
    """The set in `directory`: `corpus.jsonl`, `queries.jsonl`, `qrels.jsonl`; its documents are written to `folder`.

    With `every`, only each so-manieth question is asked, of the documents that answer one and of each so-manieth other.
    Questions without text or without a right document are left out.

    Raises:
        InvalidArgumentError: a file is missing or is not of this form.
    """
    try:
        relevance: dict[str, dict[str, int]] = {}
        for judged in _lines(directory / "qrels.jsonl"):
            gain = int(str(judged["score"]))
            if gain > 0:
                relevance.setdefault(str(judged["query_id"]), {})[str(judged["doc_id"])] = gain
        asked = [one for one in _lines(directory / "queries.jsonl") if _can_be_asked(one, relevance)][::every]
        needed = {document for one in asked for document in relevance[str(one["_id"])]}
        keys: dict[str, str] = {}
        folder.mkdir(parents=True)
        for number, document in enumerate(_lines(directory / "corpus.jsonl")):
            identifier = str(document["_id"])
            if number % every == 0 or identifier in needed:
                keys[identifier] = f"{number:05}.md"
                title = f"# {document['title']}\n\n" if document.get("title") else ""
                (folder / keys[identifier]).write_text(f"{title}{document['text']}", "utf-8")
        questions = [
            Question(identifier, "", str(one["text"]), {keys[key]: gain for key, gain in relevance[identifier].items()})
            for one in asked
            for identifier in [str(one["_id"])]
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidArgumentError(f"{directory} holds no retrieval set that can be read: {error!r}.") from error
    return _with_questions(QuestionSet(name or directory.name, folder, tuple(questions)), directory)


def read_questions(table: Path, folder: Path, name: str = "questions") -> QuestionSet:
    """The questions of a tab-separated table about the files of `folder`.

    The columns are `query` and `relevant_paths`, relative to the folder and separated by `|`; `id` and `kind` may be
    left out. Of a question of the kind `hop`, all but the first path answer it.

    Raises:
        InvalidArgumentError: the table cannot be read, has no question, or names a file that is not there.
    """
    try:
        with table.open(encoding="utf-8-sig", newline="") as lines:
            rows = csv.DictReader(lines, delimiter="\t")
            questions = [_question(rows.line_num, row) for row in rows]
    except KeyError as error:
        raise InvalidArgumentError(f"{table} is not a table of questions: it has no column {error}.") from error
    except (OSError, ValueError, csv.Error) as error:
        raise InvalidArgumentError(f"{table} is not a table of questions that can be read: {error}.") from error
    missing = [path for one in questions for path in one.relevance if not (folder / path).is_file()]
    if missing:
        raise InvalidArgumentError(f"{table} names {missing[0]}, which is not in {folder}.")
    return _with_questions(QuestionSet(name, folder, tuple(questions)), table)


def _with_questions(found: QuestionSet, place: Path) -> QuestionSet:
    if not found.questions:
        raise InvalidArgumentError(f"{place} holds no question that is answered by a document.")
    return found


def _can_be_asked(query: Mapping[str, object], relevance: Mapping[str, object]) -> bool:
    return str(query["_id"]) in relevance and bool(str(query["text"]).strip())


def _question(line: int, row: Mapping[str, str | None]) -> Question:
    text, kind = (row["query"] or "").strip(), row.get("kind") or ""
    paths = [path for path in (row["relevant_paths"] or "").split("|") if path]
    if not text or not paths:
        raise ValueError(f"line {line} has no question or no path of a file that answers it")
    answers = paths[1:] if kind == _ANSWER_IS_IN_THE_LAST and len(paths) > 1 else paths
    return Question(row.get("id") or str(line), kind, text, dict.fromkeys(answers, 1))


def _lines(path: Path) -> Iterator[dict[str, object]]:
    with path.open(encoding="utf-8-sig") as lines:
        for line in lines:
            yield json.loads(line)
