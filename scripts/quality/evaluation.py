"""One set through the real pipeline: folder, index, and the searches that the tool would make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from docshelf.documents.sandbox.process import ParserProcess
from docshelf.embedding.embedder import Embedder
from docshelf.index.filters import EVERYTHING
from docshelf.index.records import Candidate
from docshelf.index.store import Index
from docshelf.local.activity import Activity
from docshelf.local.indexer import Indexer
from docshelf.mcp_server.calls import find_passages
from docshelf.mcp_server.passages import search_answer
from docshelf.mcp_server.shelf import Passage, SearchAnswer, Shelf
from docshelf.mcp_server.tokens import estimate
from docshelf.models import SIZES, identity_of
from docshelf.prepare import Preparer
from docshelf.search.query import clean
from docshelf.search.retrieval import CANDIDATES
from docshelf.search.shelves import Shelves
from docshelf.settings import Limits
from docshelf.sources.folder import FolderSource
from scripts.quality.measures import Scores, mean, scores
from scripts.quality.question_sets import Question, QuestionSet

PASSAGES = 20
"""Passages asked of the tool where documents are ranked: the most that it gives."""

EVERY_KIND = "all"


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens, by the estimate that the tool bounds its answers with.

    `returned` are those of an answer with the tool's defaults. `until_right` are those up to the end of its first right
    passage, all of them where there is none. `reading` are those of the whole right document, the shortest of several.
    `answered` says whether a right passage is in it.
    """

    returned: float
    until_right: float
    reading: float
    answered: float


@dataclass(frozen=True, slots=True)
class Result:
    """What one question gave."""

    question: Question
    search: Scores
    vectors: Scores | None
    full_text: Scores | None
    cost: Cost | None


def index_folder(folder: Path, root: Path, embedder: Embedder, limits: Limits | None = None) -> Index:
    """Index all files of `folder` at `root`, as `scripts/local` does.

    Raises:
        DocshelfError: the folder cannot be read, or the index cannot be written.
    """
    limits = limits or Limits()
    index = Index.create(root, identity_of(embedder))
    with ExitStack() as stack:

        def preparer() -> Preparer:
            parser = stack.enter_context(ParserProcess(limits))
            return Preparer(parser, embedder.tokenizer, embedder.identity.sha256, SIZES, limits)

        Indexer(FolderSource(folder), index, embedder, (preparer(), preparer()), Activity(), limits).scan()
    return index


def evaluate(
    index: Index,
    embedder: Embedder,
    questions: Iterable[Question],
    *,
    arms: bool = True,
    costs: bool = True,
) -> list[Result]:
    """Ask every question; `arms` measures each arm of the search alone as well, `costs` the tokens of the answers.

    Raises:
        DocshelfError: the index cannot be read.
    """
    shelf = _shelf(index, embedder)
    return [_asked(shelf, index, embedder, one, arms=arms, costs=costs) for one in questions]


def by_kind(results: Sequence[Result]) -> Mapping[str, list[Result]]:
    """The results of each kind of question that the set tells apart, and of all of them."""
    kinds: dict[str, list[Result]] = {EVERY_KIND: list(results)}
    for one in results:
        if one.question.kind not in {"", EVERY_KIND}:
            kinds.setdefault(one.question.kind, []).append(one)
    return kinds


def summary(results: Sequence[Result]) -> dict[str, object]:
    """The means over at least one result, by what was measured."""
    told: dict[str, object] = {"questions": len(results), "search": mean([one.search for one in results]).rounded()}
    for name in ("vectors", "full_text"):
        measured = [found for one in results if (found := getattr(one, name)) is not None]
        if measured:
            told[name] = mean(measured).rounded()
    costs = [one.cost for one in results if one.cost is not None]
    if costs:
        told["tokens"] = {
            name: round(sum(getattr(cost, name) for cost in costs) / len(costs), 4 if name == "answered" else 1)
            for name in ("returned", "until_right", "reading", "answered")
        }
    return told


def evaluated_set(
    questions: QuestionSet, root: Path, embedder: Embedder, *, arms: bool = True
) -> tuple[Index, list[Result]]:
    """Index the folder of a set at `root` and ask its questions; without `arms`, of the search alone.

    Raises:
        DocshelfError: the folder cannot be read, or the index cannot be written or read.
    """
    index = index_folder(questions.folder, root, embedder)
    return index, evaluate(index, embedder, questions.questions, arms=arms, costs=arms)


def _shelf(index: Index, embedder: Embedder) -> Shelf:
    return Shelves(lambda: index, embedder).for_caller()


def _asked(shelf: Shelf, index: Index, embedder: Embedder, one: Question, *, arms: bool, costs: bool) -> Result:
    found = find_passages(shelf, {"query": one.text, "limit": PASSAGES}).answer
    ranking = _distinct(source for passage in found.passages for source in _files(passage, one))
    vectors = full_text = None
    if arms:
        text = clean(one.text)
        nearest = index.vector_candidates(embedder.embed_query(text), CANDIDATES, EVERYTHING)
        vectors = scores(_documents(index, nearest), one.relevance)
        full_text = scores(_documents(index, index.text_candidates(text, CANDIDATES, EVERYTHING)), one.relevance)
    cost = _cost(shelf, one) if costs else None
    return Result(one, scores(ranking, one.relevance), vectors, full_text, cost)


def _cost(shelf: Shelf, one: Question) -> Cost:
    found = find_passages(shelf, {"query": one.text})
    returned = estimate(found.text())
    passages = found.answer.passages
    first = next((number for number, each in enumerate(passages, start=1) if _is_right(each, one)), None)
    until_right = returned
    if first is not None:
        until_right = estimate(search_answer(SearchAnswer(passages[:first]), None, found.max_tokens))
    reading = min(_tokens_of(shelf, source) for source in one.relevance)
    return Cost(returned, min(until_right, returned), reading, float(first is not None))


def _files(passage: Passage, one: Question) -> list[str]:
    """The right ones of the files that the passage is said to stand in, else its own: a copy takes no place."""
    right = [source for source in (passage.source, *passage.also_in) if source in one.relevance]
    return right or [passage.source]


def _is_right(passage: Passage, one: Question) -> bool:
    return any(source in one.relevance for source in (passage.source, *passage.also_in))


def _tokens_of(shelf: Shelf, source: str) -> int:
    document = shelf.get_document(source, from_page=None, to_page=None, from_line=None, to_line=None)
    return estimate("".join(segment.text for segment in document.segments))


def _documents(index: Index, candidates: Sequence[Candidate]) -> list[str]:
    rows = [candidate.row for candidate in candidates]
    chunks = index.chunks_at(rows)
    return _distinct(chunks[row].source for row in rows)


def _distinct(sources: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(sources))
