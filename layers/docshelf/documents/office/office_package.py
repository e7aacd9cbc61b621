"""What the packages of XLSX and PPTX share: relations between parts and the document's properties."""

from __future__ import annotations

import posixpath
import re

from docshelf.documents.office.package import Package
from docshelf.documents.text.xml_text import children, named, text_of
from docshelf.documents.tiling import shortened, title_from_key
from docshelf.errors import ParseFailedError

_GENERIC_TITLE = re.compile(
    r"(?:powerpoint presentation|pr[aä]sentation|presentation|slide ?1|workbook|book ?1|tabelle|untitled.*|"
    r"document ?[0-9]*|.*\.(?:pptx?|xlsx?|odt|odp|ods|rtf|docx?))|",
    re.IGNORECASE,
)
_LONGEST_DESCRIPTION = 500
_GENERATED = re.compile(r"generated (?:by|using) python-", re.IGNORECASE)


class Relations:
    """Where a part's references lead."""

    def __init__(self, package: Package, part: str) -> None:
        folder, name = posixpath.split(part)
        root = package.tree(posixpath.join(folder, "_rels", f"{name}.rels"))
        self._targets: dict[str, str] = {}
        self._types: list[tuple[str, str]] = []
        for relation in children(root, "Relationship"):
            if relation.get("TargetMode") == "External":
                continue
            target = relation.get("Target") or ""
            path = target if target.startswith("/") else posixpath.join(folder, target)
            path = posixpath.normpath(path).lstrip("/")
            self._targets[relation.get("Id") or ""] = path
            self._types.append(((relation.get("Type") or "").rpartition("/")[2], path))

    def target(self, identifier: str) -> str | None:
        """Name of the part that `identifier` stands for, None where there is none."""
        return self._targets.get(identifier)

    def target_of_type(self, kind: str) -> str | None:
        """Name of the first part that is related as `kind`, None where there is none."""
        return next((path for name, path in self._types if name == kind), None)


def core_properties(package: Package) -> tuple[str, str]:
    """Title and description that the document's properties state; empty where they do not, or are damaged."""
    try:
        root = package.tree("docProps/core.xml")
    except ParseFailedError:
        return "", ""
    title, description = (text_of(next(named(root, name), None)) for name in ("title", "description"))
    return title, "" if _GENERATED.match(description) else description[:_LONGEST_DESCRIPTION]


def titled(stated: str, first_heading: str, key: str) -> str:
    """The title that a document states, but none that programs fill in; else its first heading, else its name."""
    return shortened("" if _GENERIC_TITLE.fullmatch(stated) else stated) or first_heading or title_from_key(key)
