"""The block rules by which Markdown is read: CommonMark and tables, inline markup left alone.

Documentation is written with indented admonitions and tabs, which CommonMark takes for indented code. A code fence
inside them is still a fence to its author: two rules here let a fence open at any indentation.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, fence, lheading, paragraph
from markdown_it.token import Token

MAX_NESTING = 40
"""Levels of quotes and lists that are told apart; what lies deeper belongs to the block at this level."""

_DEEP_FENCE = re.compile(r"^[> \t]+(?:```|~~~)", re.MULTILINE)
_DEEP_FENCE_LINES = "lines that may open a deep fence"
_LOOK_AHEAD_LINES = 200
_Rule = Callable[[StateBlock, int, int, bool], bool]


def block_tokens(text: str, *, indented_code: bool) -> Sequence[Token]:
    """Block tokens of `text`; with `indented_code` off (MDX) indentation alone makes no code."""
    lines: list[int] = []
    line = position = 0
    for match in _DEEP_FENCE.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        lines.append(line)
    return _parser(indented_code).parse(text, {_DEEP_FENCE_LINES: lines})


@cache
def _parser(indented_code: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    parser.disable(["normalize", "inline", "text_join", "reference"])
    if not indented_code:
        parser.disable("code")
    parser.block.ruler.before("code", "deep_fence", _deep_fence)
    parser.block.ruler.at("lheading", _up_to_fence(lheading))
    parser.block.ruler.at("paragraph", _up_to_fence(paragraph))
    return parser


def _deep_fence(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    excess = state.sCount[start_line] - state.blkIndent
    if excess < 4 or not state.env[_DEEP_FENCE_LINES]:
        return False
    indentation = state.blkIndent
    state.blkIndent += excess - excess % 4
    try:
        return fence(state, start_line, end_line, silent)
    finally:
        state.blkIndent = indentation


def _up_to_fence(rule: _Rule) -> _Rule:
    """`rule` for running text, which ends it before a line that opens a deep fence."""

    def limited(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
        last = state.lineMax
        stop = _fence_within_text(state, start_line, min(last, start_line + _LOOK_AHEAD_LINES))
        if stop is None:
            return rule(state, start_line, end_line, silent)
        state.lineMax = stop
        try:
            return rule(state, start_line, stop, silent)
        finally:
            state.lineMax = last

    return limited


def _fence_within_text(state: StateBlock, start_line: int, last: int) -> int | None:
    candidates: list[int] = state.env[_DEEP_FENCE_LINES]
    following = bisect_right(candidates, start_line)
    if following == len(candidates) or candidates[following] >= last:
        return None
    for line in range(start_line + 1, last):
        if state.isEmpty(line):
            return None
        if _deep_fence(state, line, last, True):
            return line
    return None
