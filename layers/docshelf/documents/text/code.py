"""Source code and configuration: groups of lines that begin at the margin after a blank line."""

from __future__ import annotations

import posixpath
import re

from docshelf.documents.model import Document, Kind
from docshelf.documents.text.plain import groups
from docshelf.documents.tiling import shortened

_CONTINUES = re.compile(r"[\s)\]}]|(?:end|else|elif|except|finally|fi|done|esac)\b")


def parse_code(text: str, key: str) -> Document:
    """Read `text` (line ends normalised, not blank); the title is the file's name with its extension."""
    return Document(
        title=shortened(posixpath.basename(key) or key),
        text=text,
        blocks=groups(text, Kind.CODE, _CONTINUES),
        media_type="code",
        source_lines=True,
    )
