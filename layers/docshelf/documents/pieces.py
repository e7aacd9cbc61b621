"""From a flat list of pieces (heading, paragraph, list item, row, code) to a text and the blocks that tile it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from docshelf.documents.model import Block, Kind


@dataclass(frozen=True, slots=True)
class Group:
    """What adjacent pieces belong to: one list, quote or table. Each is its own even when nothing else differs."""

    kind: Kind
    number: int
    opening: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text that is never cut by its neighbours; `text` has no line end at its end.

    `starts_item` marks the first piece of a top-level list item: what follows up to the next belongs to it.
    """

    kind: Kind
    text: str
    headings: tuple[str, ...] = ()
    group: Group | None = None
    starts_item: bool = False
    opening: str = ""
    closing: str = ""
    page: int | None = None
    page_label: str | None = None


def assemble(pieces: Sequence[Piece]) -> tuple[str, tuple[Block, ...]]:
    """Join `pieces` with a blank line between blocks, none inside a group; return the text and the blocks tiling it."""
    parts: list[str] = []
    blocks: list[Block] = []
    position = 0
    runs = [list(run) for _, run in groupby(enumerate(pieces), key=_run_key)]
    for number, run in enumerate(runs):
        last_of_all = number == len(runs) - 1
        spans: list[Block] = []
        for index, (_, piece) in enumerate(run):
            ends_run = index == len(run) - 1
            text = piece.text + ("\n\n" if ends_run and not last_of_all else "\n")
            spans.append(_block(piece, position, position + len(text)))
            parts.append(text)
            position += len(text)
        blocks.append(_container(spans, [piece for _, piece in run]))
    return "".join(parts), tuple(blocks)


def _run_key(numbered: tuple[int, Piece]) -> tuple[int, Group | None]:
    number, piece = numbered
    return (-1, piece.group) if piece.group else (number, None)


def _block(piece: Piece, start: int, end: int) -> Block:
    return Block(
        piece.kind,
        start,
        end,
        piece.headings,
        page=piece.page,
        page_label=piece.page_label,
        opening=piece.opening,
        closing=piece.closing,
    )


def _container(spans: list[Block], run: list[Piece]) -> Block:
    group = run[0].group
    if group is None:
        return spans[0]
    children: Iterable[Block] = _items(spans, run) if group.kind is Kind.LIST else spans
    return Block(
        group.kind,
        spans[0].start,
        spans[-1].end,
        run[0].headings,
        page=run[0].page,
        page_label=run[0].page_label,
        children=tuple(children),
        opening=group.opening,
    )


def _items(spans: list[Block], run: list[Piece]) -> list[Block]:
    """Gather the pieces of each top-level item under one block."""
    gathered: list[list[Block]] = []
    for span, piece in zip(spans, run, strict=True):
        if piece.starts_item or not gathered:
            gathered.append([])
        gathered[-1].append(span)
    return [
        item[0] if len(item) == 1 else replace(item[0], kind=Kind.LIST_ITEM, end=item[-1].end, children=tuple(item))
        for item in gathered
    ]
