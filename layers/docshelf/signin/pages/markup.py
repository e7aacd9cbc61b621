"""Templates that escape what is put into them."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template

_DIRECTORY = Path(__file__).with_name("templates")


class Markup(str):
    """Text that is HTML already, and of ours: it is put into a template as it is."""

    __slots__ = ()


def source(name: str) -> str:
    """The text of a file beside the templates: a style or a script."""
    return (_DIRECTORY / name).read_text("utf-8").strip()


class Page:
    """A template of the package, with places like `${name}`."""

    def __init__(self, name: str) -> None:
        self._template = Template(source(name))

    def fill(self, **values: str) -> Markup:
        """The template with each place filled; whatever is not `Markup` is escaped, for text and quoted attributes.

        Raises:
            KeyError: a place has no value.
        """
        return Markup(self._template.substitute({name: _escaped(value) for name, value in values.items()}))


def lines(parts: list[Markup]) -> Markup:
    """The parts, one below the other."""
    return Markup("\n".join(parts))


def shown(text: str, most: int | None = None) -> str:
    """What a stranger wrote, as one line that shows what it is, of at most `most` characters.

    Characters that cannot be seen, or that turn the direction of what follows them, become spaces.
    """
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return line if most is None or len(line) <= most else f"{line[: most - 1].rstrip()}…"


def address(text: str) -> Markup:
    """An address that is broken after its dots where it is too long for a line."""
    return Markup(_escaped(text).replace(".", ".<wbr>"))


def _escaped(value: str) -> str:
    return value if isinstance(value, Markup) else escape(value, quote=True)
