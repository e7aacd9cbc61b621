"""Read a preformatted part of a page: its text as it stands, the language it names, the fence around it."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from docshelf.documents.html.text import verbatim

_LANGUAGE = re.compile(r"(?:highlight-source|language|lang|highlight|brush:)[-_ ]?([A-Za-z0-9+#.-]{1,30})")
_NOT_LANGUAGES = {"default", "none", "text", "notranslate", "plaintext", "literal-block"}
_BACKTICKS = re.compile(r"`{3,}")
_LINES = ("div", "p", "li", "tr")


def code_text(pre: LexborNode, skipped: set[int]) -> str:
    """Text of `pre` with its line breaks and indentation; lines wrapped in boxes of their own stay lines."""
    parts: list[str] = []
    stack = list(pre.iter(include_text=True))[::-1]
    while stack:
        node = stack.pop()
        if node.tag == "-text":
            parts.append(node.text_content or "")
        elif node.tag == "br":
            parts.append("\n")
        elif node.mem_id not in skipped:
            if node.tag in _LINES and parts and not parts[-1].endswith("\n"):
                parts.append("\n")
            stack.extend(list(node.iter(include_text=True))[::-1])
    return verbatim("".join(parts))


def code_language(pre: LexborNode) -> str:
    """Language named on the pre element, the code element in it or the boxes around it; empty for none."""
    parent = pre.parent
    for node in (pre.css_first("code"), pre, parent, parent.parent if parent else None):
        for match in _LANGUAGE.finditer((node.attributes.get("class") or "") if node else ""):
            if match[1].lower() not in _NOT_LANGUAGES:
                return match[1].lower()
    return ""


def fences(code: str, language: str) -> tuple[str, str]:
    """Opening and closing lines of a fence that no run of backticks in `code` can close."""
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n", f"{fence}\n"
