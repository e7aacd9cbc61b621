"""What other engines read in a PDF: each in a process of its own, as they fail in many ways.

`python files_engines.py ENGINE PAGES` reads a PDF on standard input and prints its text. Where an engine can tell, text
outside the part of the page that is shown is left out, and text that is drawn several times to look bold is taken once.
"""

from __future__ import annotations

import contextlib
import io
import logging
import resource
import shutil
import subprocess
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PAGES = 25
"""As many pages of a file are compared: some engines need a second for each."""

_MODULES = {"pypdfium2": "pypdfium2", "pypdf": "pypdf", "pdfminer.six": "pdfminer", "pdfplumber": "pdfplumber"}
_PROGRAM = "pdftotext"
_SECONDS = 90
_MEMORY = 2_000_000_000


def installed() -> list[str]:
    """The engines that are here."""
    found = [engine for engine, module in _MODULES.items() if find_spec(module)]
    return [*found, _PROGRAM] if shutil.which(_PROGRAM) else found


def engine_text(engine: str, data: bytes) -> str | None:
    """Text of the first `PAGES` pages; None where the engine fails, takes too long, or finds nothing."""
    if engine == _PROGRAM:
        command = [_PROGRAM, "-q", "-l", str(PAGES), "-enc", "UTF-8", "-", "-"]
    else:
        command = [sys.executable, __file__, engine, str(PAGES)]
    try:
        ended = subprocess.run(command, input=data, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None
    text = ended.stdout.decode(errors="replace")
    return text if text.strip() else None


def _pypdfium2(data: bytes, pages: int) -> str:
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    texts = []
    for page in range(min(pages, len(document))):
        with contextlib.suppress(pypdfium2.PdfiumError):
            texts.append(document[page].get_textpage().get_text_bounded())
    return "\n".join(texts)


def _pypdf(data: bytes, pages: int) -> str:
    import pypdf

    return "\n".join(map(_pypdf_page, pypdf.PdfReader(io.BytesIO(data)).pages[:pages]))


def _pypdf_page(page: Any) -> str:
    """Text of a page without what starts outside the part that is shown."""
    left, bottom, right, top = map(float, page.cropbox)
    parts: list[str] = []

    def keep(text: str, outer: list[float], matrix: list[float], *_: object) -> None:
        across = matrix[4] * outer[0] + matrix[5] * outer[2] + outer[4]
        up = matrix[4] * outer[1] + matrix[5] * outer[3] + outer[5]
        if text.isspace() or (left <= across <= right and bottom <= up <= top):
            parts.append(text)

    whole = page.extract_text(visitor_text=keep)
    is_cropped = [float(edge) for edge in page.mediabox] != [left, bottom, right, top]
    return "".join(parts) if is_cropped else str(whole)


def _pdfminer(data: bytes, pages: int) -> str:
    from pdfminer.high_level import extract_pages
    from pdfminer.layout import LTTextContainer
    from pdfminer.pdfpage import PDFPage

    texts = []
    sheets = PDFPage.get_pages(io.BytesIO(data), maxpages=pages)
    for sheet, page in zip(sheets, extract_pages(io.BytesIO(data), maxpages=pages), strict=False):
        (x, y, *_), (left, bottom, right, top) = sheet.mediabox, sheet.cropbox
        shown = page.bbox if sheet.rotate else (left - x, bottom - y, right - x, top - y)
        texts += [part.get_text() for part in page if isinstance(part, LTTextContainer) and _meets(part.bbox, shown)]
    return "\n".join(texts)


def _pdfplumber(data: bytes, pages: int) -> str:
    pdfplumber: Any = import_module("pdfplumber")  # may be missing, and has no types
    with pdfplumber.open(io.BytesIO(data)) as document:
        shown = (page.crop(page.cropbox, strict=False) for page in document.pages[:pages])
        return "\n".join(page.dedupe_chars().extract_text() for page in shown)


def _meets(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and one[2] > other[0] and one[1] < other[3] and one[3] > other[1]


_READ = {"pypdfium2": _pypdfium2, "pypdf": _pypdf, "pdfminer.six": _pdfminer, "pdfplumber": _pdfplumber}


def main() -> None:
    """Read standard input with the engine named."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    logging.disable()
    warnings.simplefilter("ignore")
    text = _READ[sys.argv[1]](sys.stdin.buffer.read(), int(sys.argv[2]))
    sys.stdout.buffer.write(text.encode(errors="replace"))


if __name__ == "__main__":
    sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).resolve().parent]
    main()
