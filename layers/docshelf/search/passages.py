"""From ranked chunks to passages: neighbours joined, one document not flooding the answer, nothing said twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from docshelf.index.records import StoredChunk
from docshelf.mcp_server.shelf import Passage
from docshelf.search.retrieval import RankedRow
from docshelf.search.runs import Run, join, shown
from docshelf.search.selection import SCORE_DIGITS, Kept, Selection

_SPARE_ROWS = 3
"""Rows that are loaded beyond the passages wanted, as some will join others."""


def passages(
    ranked: Sequence[RankedRow], load: Callable[[Sequence[int]], Mapping[int, StoredChunk]], limit: int
) -> tuple[Passage, ...]:
    """At most `limit` passages, best first, of rows whose chunks `load` gives.

    Only as many rows are loaded as the passages need, and those beside them that were found as well, which are read
    along with them. A chunk that stands beside an earlier one, and is nearly as good, is joined to it. One document
    gives at most a fifth of the passages (but one always) as long as other documents have something to say.

    What says the same as a better passage (`near_duplicates`) takes no place: its source is noted with that passage,
    which also stands for it in the share of its document. Only chunks that are loaded anyway are compared.
    """
    runs: list[Run] = []
    selection = Selection(limit, runs)
    scores = {one.row: one.score for one in ranked}
    loaded: dict[int, StoredChunk] = {}
    settled: set[int] = set()
    step = limit + _SPARE_ROWS
    for start in range(0, len(ranked), step):
        batch = [one.row for one in ranked[start : start + step] if one.row not in settled]
        settled.update(batch)
        found = dict.fromkeys(near for row in batch for near in _beside(row) if near in scores)
        beside = [row for row in found if row not in settled]
        loaded.update(load([row for row in (*batch, *beside) if row not in loaded]))
        for row in batch:
            if join(runs, loaded[row], scores[row]) is None:
                runs.append(Run.of(loaded[row], scores[row]))
        settled.update(row for row in beside if join(runs, loaded[row], scores[row]) is not None)
        selection = Selection(limit, runs)
        if selection.is_full:
            break
    return tuple(map(_passage, selection.complete()))


def _beside(row: int) -> Sequence[int]:
    """Rows that may hold the neighbours of a row's chunk: a document's chunks are stored one after another.

    The nearest first: what is two rows away can only be joined behind what lies between.
    """
    return (row - 1, row + 1, row - 2, row + 2)


def _passage(kept: Kept) -> Passage:
    run = kept.run
    first, last = run.chunks[0], run.chunks[-1]
    lines = (first.first_line, last.last_line) if first.first_line and last.last_line else None
    return Passage(
        source=first.source,
        title=first.title or first.source,
        text=shown(run.chunks),
        score=round(run.score, SCORE_DIGITS),
        page=first.page,
        page_label=first.page_label,
        lines=lines if first.line_kind == "source" else None,
        text_lines=lines if first.line_kind == "text" and first.page is None else None,
        headings=first.headings,
        indexed_at=first.indexed_at,
        modified_at=first.modified_at,
        also_in=kept.also_in,
    )
