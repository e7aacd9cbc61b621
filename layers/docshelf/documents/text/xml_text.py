"""XML parts of documents: parsed without entities, asked for names and texts without regard to name spaces.

Office writes the same vocabulary in two sets of name spaces (transitional and strict), so elements are known by
their local names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from docshelf.errors import ParseFailedError

_DECLARATIONS = re.compile(rb"<!(?:DOCTYPE[^<>]*\[|ENTITY)", re.IGNORECASE)
_ENCODING = re.compile(rb"""\s*<\?xml[^<>]{0,200}?encoding\s*=\s*["']([^"'<>]{1,40})["']""")
_WHOLE = re.compile(r"-?[0-9]{1,15}")
# In these a declaration looks as it does in ASCII; in others (EBCDIC, say) it could hide.
_PLAIN_ENCODINGS = ("utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-", "iso8859-", "windows-125")


def refuse_entities(content: bytes, format_name: str) -> None:
    """Check that `content` declares no entities, which could expand to any size or name other files.

    Raises:
        ParseFailedError: it declares some, or is in an encoding in which they could hide.
    """
    plain = content.replace(b"\0", b"") if b"\0" in content[:64] else content
    declared = _ENCODING.match(plain.removeprefix(b"\xef\xbb\xbf"))
    hides = declared is not None and not declared[1].decode("latin-1").lower().startswith(_PLAIN_ENCODINGS)
    if hides or _DECLARATIONS.search(plain):
        raise ParseFailedError(f"The {format_name} file declares XML entities, which no editor writes; it is not read.")


def parse_xml(content: bytes, format_name: str) -> ET.Element:
    """Root element of `content`.

    Raises:
        ParseFailedError: it is not well-formed, or declares entities.
    """
    refuse_entities(content, format_name)
    try:
        return ET.fromstring(content)  # noqa: S314 - without a DOCTYPE of its own there is nothing to expand
    except (ET.ParseError, ValueError, LookupError) as error:
        raise ParseFailedError(f"The {format_name} file is damaged: a part of it is not well-formed XML.") from error


def local_name(element: ET.Element) -> str:
    """Name of `element` without its name space; empty for a comment or processing instruction."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: ET.Element, name: str) -> str | None:
    """Value of the attribute `name` in whichever name space."""
    value = element.get(name)
    if value is not None:
        return value
    ending = f"}}{name}"
    return next((found for key, found in element.items() if key.endswith(ending)), None)


def attributes(element: ET.Element) -> dict[str, str]:
    """All attributes by their local names."""
    return {key.rpartition("}")[2]: value for key, value in element.items()}


def whole_number(value: str | None, default: int = 0) -> int:
    """`value` as a whole number; `default` where it is None, not a number or too long to be real."""
    value = (value or "").strip()
    return int(value) if _WHOLE.fullmatch(value) else default


def number(element: ET.Element, name: str, default: int = 0) -> int:
    """Value of an attribute as `whole_number` reads it."""
    return whole_number(attribute(element, name), default)


def named(root: ET.Element | None, *names: str) -> Iterator[ET.Element]:
    """`root` and its descendants with one of the local `names`, in reading order."""
    if root is not None:
        for element in root.iter():
            if local_name(element) in names:
                yield element


def children(parent: ET.Element | None, *names: str) -> Iterator[ET.Element]:
    """Children of `parent` with one of the local `names` (all elements where none is given)."""
    for element in parent if parent is not None else ():
        name = local_name(element)
        if name and (not names or name in names):
            yield element


def child(parent: ET.Element | None, *path: str) -> ET.Element | None:
    """The first element down the `path` of local names, None where the path ends early."""
    for name in path:
        parent = next(children(parent, name), None)
    return parent


def text_of(element: ET.Element | None) -> str:
    """All text within `element`, white space collapsed."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""
