"""PDFs written object by object, for what no library writes on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import reportlab

HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
_VERA = Path(reportlab.__file__).with_name("fonts") / "Vera.ttf"


def pdf_of(
    pages: Sequence[str], fonts: Sequence[str] = (HELVETICA,), more: Sequence[bytes] = (), box: str = ""
) -> bytes:
    """A PDF whose pages draw the content streams `pages` with `fonts`, which are named F0, F1 …

    `more` are further objects; the first has the number `first_of_more(pages, fonts)`. `box` goes into every page.
    """
    kids = [3 + 2 * number for number in range(len(pages))]
    named = [f"/F{number} {3 + 2 * len(pages) + number} 0 R" for number in range(len(fonts))]
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", _pages(kids)]
    for kid, content in zip(kids, pages, strict=True):
        page = f"/Resources << /Font << {' '.join(named)} >> >> /Contents {kid + 1} 0 R {box}"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] {page} >>".encode())
        objects.append(stream(content.encode("latin-1")))
    return _file([*objects, *(font.encode() for font in fonts), *more])


def first_of_more(pages: int, fonts: int) -> int:
    """The number of the first further object in a PDF of so many pages and fonts."""
    return 3 + 2 * pages + fonts


def composite_font(numbers: int, to_unicode: bool = False, embedded: bool = False) -> str:
    """A font whose characters are numbers of two bytes: its file is the object `numbers`, its map the one behind."""
    mapped = f"/ToUnicode {numbers + 1} 0 R" if to_unicode else ""
    file = f"/FontFile2 {numbers} 0 R" if embedded else ""
    descriptor = (
        f"<< /Type /FontDescriptor /FontName /Made /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 "
        f"/Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 {file} >>"
    )
    descendant = (
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Made /CIDToGIDMap /Identity /DW 600 "
        f"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor {descriptor} >>"
    )
    return (
        f"<< /Type /Font /Subtype /Type0 /BaseFont /Made /Encoding /Identity-H "
        f"/DescendantFonts [{descendant}] {mapped} >>"
    )


def unicode_map(pairs: dict[int, str]) -> bytes:
    """The stream that tells which text each number of a composite font stands for."""
    lines = "\n".join(f"<{code:04x}> <{text.encode('utf-16-be').hex()}>" for code, text in pairs.items())
    return stream(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Made def /CMapType 2 def "
        f"1 begincodespacerange <0000> <ffff> endcodespacerange {len(pairs)} beginbfchar\n{lines}\nendbfchar "
        f"endcmap end end".encode()
    )


def filled_form() -> bytes:
    """A PDF with a ruled table of two rows, a text field, a checked box, a note and a pinned file."""
    cells = [
        show(text, 110 + 100 * (n % 2), 700 - 20 * (n // 2)) for n, text in enumerate(["Item", "Sum", "Nuts", "12"])
    ]
    rules = [f"100 {y} m 300 {y} l S\n" for y in (715, 695, 675)] + [
        f"{x} 675 m {x} 715 l S\n" for x in (100, 200, 300)
    ]
    box = "/Subtype /Widget /Rect [110 600 200 620]"
    more = [
        f"<< {box} /FT /Tx /T (name) /TU (Your name) /V (Ada) >>".encode(),
        f"<< {box} /FT /Btn /T (yes) /V /On /AS /On >>".encode(),
        b"<< /Subtype /Text /Rect [0 0 9 9] /Contents (A note) >>",
        b"<< /Subtype /FileAttachment /Rect [0 0 9 9] /FS << /F (a.txt) /EF << /F 10 0 R >> >> >>",
        stream(b"attached words"),
    ]
    data = pdf_of(["".join(cells + rules)], more=more, box="/Annots [6 0 R 7 0 R 8 0 R 9 0 R]")
    return data.replace(b"/Type /Catalog", b"/Type /Catalog /AcroForm << /Fields [6 0 R 7 0 R] >>")


def vera() -> bytes:
    """The font Bitstream Vera as an embedded file."""
    return stream(_VERA.read_bytes())


def stream(data: bytes) -> bytes:
    """An object that is a stream of `data`."""
    return f"<< /Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream"


def _pages(kids: Sequence[int]) -> bytes:
    return f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>".encode()


def _file(objects: Sequence[bytes]) -> bytes:
    written = b"%PDF-1.7\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(written))
        written += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    tail = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
    return written + head.encode() + tail.encode()


def show(text: str, left: float, bottom: float, font: int = 0, size: float = 12) -> str:
    """The content that draws `text` in points from the left and bottom of the page."""
    return f"BT /F{font} {size} Tf {left:.2f} {bottom} Td ({text}) Tj ET\n"


def numbers(text: str, first: int) -> str:
    """The content that draws `text` by its characters' numbers in a composite font."""
    return f"BT /F1 20 Tf 72 700 Td <{''.join(f'{ord(one) - first:04x}' for one in text)}> Tj ET\n"
