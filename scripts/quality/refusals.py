"""How often the search answers what its documents do not, and says "nothing relevant" where they do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docshelf.embedding.embedder import Embedder
from docshelf.index.store import Index
from docshelf.mcp_server.calls import find_passages
from docshelf.search.shelves import Shelves
from scripts.quality.question_sets import Question

ASKED = 60
"""Questions of each kind, taken evenly from a set."""


def answered_share(index: Index, embedder: Embedder, questions: Iterable[Question]) -> float:
    """The share (0..1) of at least one question that the search gives any passage for."""
    index.refresh()
    shelf = Shelves(lambda: index, embedder).for_caller()
    answers = [bool(find_passages(shelf, {"query": one.text}).answer.passages) for one in questions]
    return sum(answers) / len(answers)


def some(questions: Sequence[Question]) -> Sequence[Question]:
    """At most `ASKED` of them, evenly taken."""
    return questions[:: max(1, -(-len(questions) // ASKED))]


def refusals(
    index: Index, embedder: Embedder, own: Sequence[Question], foreign: Sequence[Question]
) -> dict[str, float]:
    """Rates, 0..1; the documents that answer some of the questions are removed from the index for the last one.

    `false_empty`: own questions without a passage. `false_answer`: questions of other sets that get one.
    `answered_without_document`: own questions that get one when all that answers them is gone; what is left is of the
    same subject, so that an answer is no fault as such.
    """
    rates = {"false_empty": 1 - answered_share(index, embedder, own)}
    if foreign:
        rates["false_answer"] = answered_share(index, embedder, foreign)
    chosen = some(own)
    gone = sorted({source for one in chosen for source in one.relevance})
    index.replace([], gone)
    if index.contents(0):
        rates["answered_without_document"] = answered_share(index, embedder, chosen)
    return {name: round(rate, 4) for name, rate in rates.items()}
