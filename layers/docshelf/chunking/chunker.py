"""From a document to its chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docshelf.chunking.context import Context
from docshelf.chunking.measure import Measure
from docshelf.chunking.model import Chunk, ChunkSizes, Tokenizer
from docshelf.chunking.pieces import Piece, pieces
from docshelf.documents.model import Block, Document, Kind

CHUNKER_VERSION = "3"
"""Changes whenever the same document would be cut, embedded or made searchable differently."""


@dataclass(frozen=True, slots=True)
class _Section:
    """Neighbouring blocks under one heading on one page: a chunk never reaches beyond it."""

    blocks: tuple[Block, ...]

    @property
    def place(self) -> Block:
        """The block whose heading path and page stand for the section: its last, the deepest."""
        return self.blocks[-1]


@dataclass(frozen=True, slots=True)
class _Span:
    """What becomes one chunk."""

    section: _Section
    first: Piece
    last: Piece


def chunk_document(document: Document, tokenizer: Tokenizer, sizes: ChunkSizes | None = None) -> list[Chunk]:
    """Cut `document` into chunks that tile its text.

    A chunk holds at most `sizes.text` tokens and never spans a heading or a page break. It is cut between blocks,
    then between list items, table rows and code lines, then between sentences, words and tokens: the first of these
    that makes it fit. An empty text gives no chunks.
    """
    sizes = sizes or ChunkSizes()
    if not document.text:
        return []
    margins = [(block.start, block.end) for block in document.blocks if block.kind is Kind.MARGIN]
    measure = Measure(document.text, tokenizer, sizes, margins)
    context = Context(document.title, tokenizer, measure)
    spans = [span for section in _sections(document.blocks) for span in _pack(section, measure)]
    return [_chunk(ordinal, span, measure, context) for ordinal, span in enumerate(_without_blanks(spans, measure))]


def _sections(blocks: Sequence[Block]) -> Iterator[_Section]:
    """Group blocks by heading path and page; a heading with nothing of its own joins its first sub-section."""
    open_blocks: list[Block] = []
    for block in blocks:
        if open_blocks and not _same_section(open_blocks, block):
            yield _Section(tuple(open_blocks))
            open_blocks = []
        open_blocks.append(block)
    if open_blocks:
        yield _Section(tuple(open_blocks))


def _same_section(open_blocks: list[Block], block: Block) -> bool:
    last = open_blocks[-1]
    if last.page != block.page:
        return False
    if last.headings == block.headings:
        return not (block.kind is Kind.HEADING and last.kind is not Kind.HEADING)
    only_headings = all(one.kind is Kind.HEADING for one in open_blocks)
    return only_headings and block.headings[: len(last.headings)] == last.headings


def _pack(section: _Section, measure: Measure) -> Iterator[_Span]:
    """Fill chunks of about equal size, so that no section ends in a crumb."""
    start, end = section.blocks[0].start, section.blocks[-1].end
    target = _even_share(measure.tokens(start, end), measure.sizes.text)
    first: Piece | None = None
    last: Piece | None = None
    for piece in (piece for block in section.blocks for piece in pieces(block, measure)):
        if first is None or last is None:
            first = last = piece
            continue
        full = measure.tokens(first.start, last.end) >= target
        if full or not measure.fits(first.start, piece.end):
            yield _Span(section, first, last)
            first = piece
        last = piece
    if first is not None and last is not None:
        yield _Span(section, first, last)


def _even_share(tokens: int, limit: int) -> int:
    parts = max(1, -(-tokens // limit))
    return -(-tokens // parts)


def _without_blanks(spans: Sequence[_Span], measure: Measure) -> list[_Span]:
    """Give what shows nothing to the span before it (to the one behind, at the start of the document)."""
    kept: list[_Span] = []
    leading: Piece | None = None
    for span in spans:
        if measure.blank(span.first.start, span.last.end):
            if kept:
                kept[-1] = _Span(kept[-1].section, kept[-1].first, _grown(kept[-1].last, end=span.last.end))
            else:
                leading = leading or span.first
            continue
        first = span.first if kept or leading is None else _grown(span.first, start=leading.start)
        last = first if span.last is span.first else span.last
        kept.append(_Span(span.section, first, last))
    return kept or list(spans[:1] and [_Span(spans[0].section, spans[0].first, spans[-1].last)])


def _grown(piece: Piece, *, start: int | None = None, end: int | None = None) -> Piece:
    return Piece(piece.start if start is None else start, piece.end if end is None else end, piece.cut_from)


def _chunk(ordinal: int, span: _Span, measure: Measure, context: Context) -> Chunk:
    start, end = span.first.start, span.last.end
    shown_start, shown_end = measure.visible(start, end)
    place = span.section.place
    section_start = span.section.blocks[0].start
    return Chunk(
        ordinal=ordinal,
        start=start,
        end=end,
        text=measure.text[start:end],
        headings=place.headings,
        page=place.page,
        page_label=place.page_label,
        first_line=measure.line(shown_start),
        last_line=measure.line(max(shown_start, shown_end - 1)),
        opening=span.first.opening,
        closing=span.last.closing,
        embedded_text=context.embedded_text(place.headings, span.first, start, end, section_start),
        tokens=measure.tokens(start, end),
    )
