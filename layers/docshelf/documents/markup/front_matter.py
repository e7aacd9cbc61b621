"""Front matter: the title and description that a text file states about itself before its text begins.

Read are YAML between `---` lines, TOML between `+++` lines and a JSON object in an opening HTML comment. Only two
scalar entries are wanted, so a small reader of their lines does; nothing else of the languages is interpreted.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from docshelf.documents.tiling import shortened

MAX_FRONT_MATTER_CHARACTERS = 65_536
MAX_DESCRIPTION_CHARACTERS = 1_000

_FENCED = re.compile(r"(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--(\{.*?\})-->[ \t]*(?:\n|\Z)", re.DOTALL)
_YAML_ENTRY = re.compile(r"^([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*))?$", re.MULTILINE)
_NOT_YAML = re.compile(r"^(?![^\n]*:(?:[ \t]|$)|[ \t#\-\]}]|$)", re.MULTILINE)
_TOML_ENTRY = re.compile(r"^([A-Za-z_][\w.-]*)[ \t]*=[ \t]*(.*)$", re.MULTILINE)
_TITLES = ("title", "page_title")
_DESCRIPTIONS = ("description", "summary")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What was read; `length` characters and `lines` lines come before the document's own text."""

    title: str = ""
    description: str = ""
    length: int = 0
    lines: int = 0


def split_front_matter(text: str) -> tuple[FrontMatter, str, int]:
    """Front matter, the text without it, and the line of `text` (from 1) on which that begins.

    A text that is nothing but front matter stays whole: it is all there is to find.
    """
    front = read_front_matter(text)
    body = text[front.length :]
    return (front, body, 1 + front.lines) if body.strip() else (front, text, 1)


def read_front_matter(text: str) -> FrontMatter:
    """Front matter at the very start of `text` (`\\n` line ends); all fields empty when there is none."""
    head = text[:MAX_FRONT_MATTER_CHARACTERS]
    fenced = _FENCED.match(head)
    if fenced:
        entries = _toml(fenced[2]) if fenced[1] == "+++" else _yaml(fenced[2])
        if entries or not fenced[2].strip():
            return _result(entries, fenced[0])
        return FrontMatter()
    comment = _COMMENT.match(head)
    if comment:
        try:
            value = json.loads(comment[1])
        except (ValueError, RecursionError):
            return FrontMatter()
        return _result({str(name).lower(): str(entry) for name, entry in value.items()}, comment[0])
    return FrontMatter()


def _result(entries: dict[str, str], source: str) -> FrontMatter:
    title = next((entries[name] for name in _TITLES if entries.get(name)), "")
    description = next((entries[name] for name in _DESCRIPTIONS if entries.get(name)), "")
    return FrontMatter(
        title=shortened(title),
        description=" ".join(description.split())[:MAX_DESCRIPTION_CHARACTERS],
        length=len(source),
        lines=source.count("\n"),
    )


def _yaml(source: str) -> dict[str, str]:
    """Top-level entries; the values of those that are wanted, "" for all others; none when it is other text."""
    entries: dict[str, str] = {}
    if _NOT_YAML.search(source):
        return entries
    for match in _YAML_ENTRY.finditer(source):
        name = match[1].lower()
        if name not in entries:
            wanted = name in _TITLES or name in _DESCRIPTIONS
            entries[name] = _yaml_scalar(match[2] or "", source[match.end() :]) if wanted else ""
    return entries


def _yaml_scalar(first: str, rest: str) -> str:
    """A scalar that starts as `first` and goes on over the indented lines that lead `rest`."""
    following: list[str] = []
    for line in rest.split("\n")[1:]:
        if line.strip() and not line.startswith((" ", "\t")):
            break
        following.append(line.strip())
    first = first.strip()
    if re.fullmatch(r"[|>][-+0-9]*(?:\s+#.*)?", first):
        return " ".join(following).strip()
    value = " ".join([first, *following]).strip()
    if value.startswith(("'", '"')):
        return _quoted(value)
    return re.split(r"(?:^|\s)#", value, maxsplit=1)[0].strip()


def _quoted(value: str) -> str:
    """The text of a quoted scalar; what is written after its closing quote is dropped."""
    if value.startswith("'"):
        closed = re.match(r"'((?:[^']|'')*)'", value)
        return closed[1].replace("''", "'") if closed else value[1:]
    closed = re.match(r'"((?:[^"\\]|\\.)*)"', value)
    if closed is None:
        return value[1:]
    try:
        return str(json.loads(f'"{closed[1]}"', strict=False))
    except ValueError:
        return closed[1].replace('\\"', '"')


def _toml(source: str) -> dict[str, str]:
    top_level = re.split(r"^\[", source, maxsplit=1, flags=re.MULTILINE)[0]
    entries: dict[str, str] = {}
    for match in _TOML_ENTRY.finditer(top_level):
        value = match[2].strip()
        entries.setdefault(match[1].lower(), _quoted(value) if value.startswith(("'", '"')) else value)
    return entries
