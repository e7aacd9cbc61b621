"""Headings as a reader sees them: the markup of one line of Markdown, reStructuredText or AsciiDoc taken off."""

from __future__ import annotations

import html
import re

from docshelf.documents.tiling import shortened

_MAX_MARKUP = 2_000
_UNMARKED = re.compile(r"[^`*_~\[\]<>&{}\\:|#$\ue000\ue001]*")
_CODE_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_ATTRIBUTES = re.compile(r"\s*\{\s*(?:[#.:]|/\*)[^{}]*\}\s*$")
_COMMENT = re.compile(r"<!--.*?-->")
_TAG = re.compile(
    r"</?[A-Za-z][\w.:-]*(?:\s+[A-Za-z_:@][\w:.-]*(?:=(?:\"[^\"]*\"|'[^']*'|\{[^{}]*\}|[^\s\"'=<>`{}]+))?)*\s*/?>"
)
_AUTOLINK = re.compile(r"<([a-z][a-z0-9+.-]{1,31}:[^<>\s]*|[^\s<>@]+@[^\s<>@]+)>", re.IGNORECASE)
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])")
_EMPHASIS = (
    re.compile(r"(\*{2,3})(?=\S)(.+?)(?<=\S)\1"),
    re.compile(r"(?<!\w)(\*)(?=\S)(.+?)(?<=\S)\1(?!\w)"),
    re.compile(r"(?<!\w)(_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)"),
    re.compile(r"(~~)(?=\S)(.+?)(?<=\S)\1"),
)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_HELD = re.compile("\ue000(\\d+)\ue001")

_RST_ROLE = re.compile(r"(?::[\w.+-]+)*:?:([\w.+-]+):`([^`]+)`|`([^`]+)`__?|`([^`]+)`")
_RST_TARGET = re.compile(r"\s*<[^<>]*>$")
_ADOC_MACRO = re.compile(r"(?:xref|link|https?|mailto):[^\s\[\]]*\[([^\]]*)\]")
_ADOC_REFERENCE = re.compile(r"<<[^<>,]*,\s*([^<>]*)>>|<<([^<>]*)>>|\[\[[^\[\]]*\]\]|\[[#.][^\[\]]*\](?=[#*_`])")


def plain_markdown(markup: str) -> str:
    """The words of a Markdown or MDX heading, without anchors, links, emphasis, code marks and tags."""
    if _UNMARKED.fullmatch(markup):
        return shortened(markup)
    markup = _ATTRIBUTES.sub("", " ".join(markup[:_MAX_MARKUP].split()))
    held: list[str] = []

    def hold(text: str) -> str:
        held.append(text)
        return f"\ue000{len(held) - 1}\ue001"

    text = markup.replace("\ue000", "").replace("\ue001", "")
    text = _CODE_SPAN.sub(lambda match: hold(match[2].strip()), text)
    text = _ESCAPE.sub(lambda match: hold(match[1]), text)
    text = _LINK.sub(r"\1", _LINK.sub(r"\1", text))
    text = _AUTOLINK.sub(r"\1", _COMMENT.sub("", text))
    text = _TAG.sub("", text)
    for pattern in _EMPHASIS:
        text = pattern.sub(r"\2", text)
    text = _HELD.sub(lambda match: held[int(match[1])], html.unescape(text))
    return shortened(text)


def plain_restructuredtext(markup: str) -> str:
    """The words of a reStructuredText title, without roles, references, literals and emphasis."""
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(match[1])
        return f"\ue000{len(held) - 1}\ue001"

    text = markup[:_MAX_MARKUP].replace("\ue000", "").replace("\ue001", "")
    text = re.sub(r"``(.+?)``", hold, text)
    text = _RST_ROLE.sub(_role_text, text)
    text = re.sub(r"(\*{1,2})(?=\S)(.+?)(?<=\S)\1", r"\2", text)
    text = re.sub(r"\\(.)", r"\1", re.sub(r"\|([^|\s][^|]*)\|", r"\1", text))
    return shortened(_HELD.sub(lambda match: held[int(match[1])], text))


def _role_text(match: re.Match[str]) -> str:
    content: str = next(group for group in match.groups()[1:] if group is not None)
    words = _RST_TARGET.sub("", content) or content
    if match[1] is not None and words == content:
        words = words.rpartition(".")[2] if words.startswith("~") else words.removeprefix("!")
    return words


def plain_asciidoc(markup: str) -> str:
    """The words of an AsciiDoc title, without anchors, macros, references and text marks."""
    text = _ADOC_MACRO.sub(r"\1", " ".join(markup[:_MAX_MARKUP].split()))
    text = _ADOC_REFERENCE.sub(lambda match: match[1] or match[2] or "", text)
    for mark in ("`", r"\*", "_", "#"):
        text = re.sub(rf"(?<!\w)({mark}{{1,2}})(?=\S)(.+?)(?<=\S)\1(?!\w)", r"\2", text)
    return shortened(text)
