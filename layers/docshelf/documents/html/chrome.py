"""Tell a web page's content from what is around it: menus, banners, side bars, hidden parts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

JUNK = (
    "script, style, noscript, template, svg, canvas, iframe, input, select, textarea, button, datalist, "
    "audio, video, map, rp, rt, dialog:not([open])"
)
BACK_LINKS = 'a[href^="#footnote-ref-"], a[href^="#endnote-ref-"]'
_CONTENT = "main, article, [role=main]"
_CHROME_ROLES = {"navigation", "banner", "contentinfo", "search", "menu", "menubar", "toolbar"}
_CHROME_NAMES = re.compile(
    r"(?:sphinx-?side-?bar|nav-?(?:bar|header|footer)|mobile-nav|bread-?crumbs?|header-?link|hash-?link|"
    r"anchor-?link|heading-?anchor|skip-?(?:link|nav|to.*)|edit-?(?:this-?)?page|mw-editsection|mw-jump-link|"
    r"(?:mw-portlet|vector-dropdown|vector-menu|interlanguage)(?:-.*)?|navbox|catlinks|printfooter|pagination|prev-?next|cookie-?(?:banner|consent|notice)|"
    r"linenos|linenodiv|lineno|gutter|copy-?btn|copybtn)"
)
_LIKELY_NAMES = re.compile(
    r"(?:(?:(?:local|page|table|mw|in-page|right|left|site|main|global)[-_]?)?"
    r"(?:toc|table-?of-?contents|contents|side-?bar|nav|navigation|menu|related|footer|header|topbar)"
    r"(?:[-_]?(?:wrapper|content|container|list|tree|inner|left|right|links|menu|main|items?))?|"
    r"nav(?:igation)?[-_].*|.*[-_](?:nav|navigation|menu|toc|sidebar|breadcrumbs?))"
)
_NONE_DISPLAYED = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_SKIP_LINK = re.compile(r"(?:skip|jump) to\b", re.IGNORECASE)

_DENSE = 0.6
_DENSE_LIST = 0.9
_DENSE_LIST_LINKS = 10
_PROSE_CHARACTERS = 400
_FEWEST_CHARACTERS_LEFT = 24
_MAIN_SHARE = 0.5


@dataclass(slots=True)
class Content:
    """Where the text of a page is: below `root`, without the nodes whose `mem_id` is in `skipped`."""

    root: LexborNode
    skipped: set[int] = field(default_factory=set)


def find_content(tree: LexborHTMLParser) -> Content | None:
    """Remove what holds no text for readers from `tree` and say where the content is; None for a page without body."""
    for node in tree.css(JUNK):
        node.decompose()
    body = tree.body
    if body is None:
        return None
    page = _Page(body)
    page.classify()
    skipped = page.certain | page.likely
    if page.likely and _prose_left(body, skipped) < _FEWEST_CHARACTERS_LEFT:
        skipped = page.certain
    if not _visible_length(body, skipped):
        skipped = set()
    return Content(_main_part(body, skipped), skipped)


class _Page:
    """One look at every element below the body: which are chrome for certain, which likely."""

    def __init__(self, body: LexborNode) -> None:
        self.body = body
        self.certain: set[int] = set()
        self.likely: set[int] = set()
        self._length = _length(body)
        self._has_main = body.css_first(_CONTENT) is not None
        self._headings = len(body.css("h1"))

    def classify(self) -> None:
        """Walk down, not into what is left out, and sort each element."""
        stack = [(self.body, False)]
        while stack:
            node, inside = stack.pop()
            for child in node.iter():
                if self._certain(child, inside):
                    self.certain.add(child.mem_id)
                elif self._likely(child, inside):
                    self.likely.add(child.mem_id)
                else:
                    stack.append((child, inside or child.tag in ("main", "article") or _role(child) == "main"))

    def _certain(self, node: LexborNode, inside: bool) -> bool:
        tag, attributes = node.tag, node.attributes
        if tag == "a":
            return _is_mark(node, attributes) or _named(_CHROME_NAMES, attributes)
        if _hidden(attributes):
            return True
        role = attributes.get("role")
        if tag == "nav" or role in _CHROME_ROLES:
            return not self._carries_content(node)
        if tag in ("header", "footer") and not inside and node.css_first("h1") is None:
            return node.parent is not None and node.parent.tag != "blockquote" and not self._carries_content(node)
        if attributes and _named(_CHROME_NAMES, attributes):
            return not self._carries_content(node)
        return False

    def _likely(self, node: LexborNode, inside: bool) -> bool:
        tag, attributes = node.tag, node.attributes
        if tag in ("ul", "ol", "div") and not inside and _is_link_list(node):
            return True
        if tag in ("footer", "aside", "header"):
            named = node.css_first("h1") is None
        else:
            named = (
                bool(attributes) and tag not in ("a", "body", "main", "article") and _named(_LIKELY_NAMES, attributes)
            )
        if not named or self._carries_content(node):
            return False
        return _link_density(node) >= _DENSE or (tag == "aside" and not inside and self._has_main)

    def _carries_content(self, node: LexborNode) -> bool:
        if node.css_first(_CONTENT) is not None:
            return True
        length = _length(node)
        if length >= _PROSE_CHARACTERS and _link_density(node) < 0.5 and length >= self._length * 0.5:
            return True
        return self._headings == 1 and length > _PROSE_CHARACTERS and node.css_first("h1") is not None


def _role(node: LexborNode) -> str | None:
    return node.attributes.get("role")


def _hidden(attributes: dict[str, str | None]) -> bool:
    if attributes.get("role") == "tabpanel":
        return False
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    return attributes.get("aria-hidden") == "true" or bool(_NONE_DISPLAYED.search(attributes.get("style") or ""))


def _is_mark(node: LexborNode, attributes: dict[str, str | None]) -> bool:
    """True for a link to a place on the same page that has no word of its own, or that skips the menu."""
    if not (attributes.get("href") or "").startswith("#"):
        return False
    text = node.text(strip=True)
    return not any(map(str.isalnum, text)) or bool(_SKIP_LINK.match(text))


def _named(pattern: re.Pattern[str], attributes: dict[str, str | None]) -> bool:
    names = (attributes.get("class") or "").split()
    names.append(attributes.get("id") or "")
    return any(pattern.fullmatch(name.lower()) for name in names)


def _is_link_list(node: LexborNode) -> bool:
    if len(node.css("a")) < _DENSE_LIST_LINKS or node.css_first("h1, h2") is not None:
        return False
    return _link_density(node) >= _DENSE_LIST


def _length(node: LexborNode) -> int:
    return len(node.text(strip=True))


def _link_density(node: LexborNode) -> float:
    """Share of the text that is in links; 1.0 where there is no text."""
    return min(1.0, sum(map(_length, node.css("a"))) / (_length(node) or 1)) if _length(node) else 1.0


def _prose_left(body: LexborNode, skipped: set[int]) -> int:
    """Count characters outside of headings and of what is skipped, as far as the count matters."""
    length = 0
    stack = [body]
    while stack and length < _FEWEST_CHARACTERS_LEFT:
        for node in stack.pop().iter(include_text=True):
            if node.tag == "-text":
                length += len((node.text_content or "").strip())
            elif node.mem_id not in skipped and node.tag not in ("h1", "h2", "h3", "h4", "h5", "h6"):
                stack.append(node)
    return length


def _main_part(body: LexborNode, skipped: set[int]) -> LexborNode:
    """The element marked as the main part where it holds most of the text that is left, else the body."""
    candidates = body.css("main, [role=main]") or body.css("article")
    if len(candidates) != 1:
        return body
    whole = _visible_length(body, skipped)
    return candidates[0] if _visible_length(candidates[0], skipped) >= whole * _MAIN_SHARE else body


def _visible_length(root: LexborNode, skipped: set[int]) -> int:
    length = 0
    stack = [root]
    while stack:
        for node in stack.pop().iter(include_text=True):
            if node.tag == "-text":
                length += len((node.text_content or "").strip())
            elif node.mem_id not in skipped:
                stack.append(node)
    return length
