"""What the randomized test of the parsers starts from, by family: small files made here, real ones beside us."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.support.archives import encrypted_zip, tar_of, zip_of
from tests.support.binary_workbooks import binary_record, number_cell, old_workbook, percent_style, text_cell
from tests.support.binary_workbooks import wide as wide_cell
from tests.support.made_pdfs import HELVETICA, filled_form, pdf_of, show
from tests.support.office_files import (
    book_parts,
    flat_open_document,
    open_document_parts,
    package,
    presentation_parts,
    relations,
    shape,
    sheet_rows,
    workbook_parts,
)
from tests.support.outlook_messages import Tree, binary, container, fixed, narrow, wide

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
LARGEST = 200_000
MOST_REAL = 60

# Endings of the files of each family.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "archive": ("zip", "tar", "tgz", "xz"),
    "code": ("py", "json", "xml", "yaml"),
    "docx": ("docx",),
    "epub": ("epub",),
    "html": ("html",),
    "mail": ("eml", "mbox", "mht"),
    "markdown": ("md", "mdx"),
    "markup": ("rst", "adoc"),
    "msg": ("msg",),
    "notebook": ("ipynb",),
    "opendocument": ("odt", "ods", "odp", "fodt", "fods"),
    "pdf": ("pdf",),
    "pptx": ("pptx",),
    "rtf": ("rtf",),
    "spreadsheet": ("xlsx", "xlsb", "xls"),
    "table": ("csv", "tsv"),
    "text": ("txt", ""),
}

ROWS = [["Bank", "Rate"], ["North", "4.1"], ["South", "3.9"]]
_STYLES = '<numFmts><numFmt numFmtId="164" formatCode="#,##0.00"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs>'
WRITTEN = (
    '<text:h text:outline-level="1">Part</text:h><text:list><text:list-item><text:p>a<text:s text:c="2"/></text:p>'
    "</text:list-item></text:list><table:table><table:table-row><table:table-cell table:number-rows-spanned='2'>"
    "<text:p>x</text:p></table:table-cell></table:table-row></table:table>"
)
SHEET = (
    '<table:table table:name="A"><table:table-row table:number-rows-repeated="2"><table:table-cell '
    'office:value-type="float" office:value="5" table:number-columns-repeated="3"/></table:table-row></table:table>'
)
FRAME = '<draw:page><draw:frame svg:y="1cm"><draw:text-box><text:p>x</text:p></draw:text-box></draw:frame></draw:page>'
BINARY: dict[str, str | bytes] = {
    "xl/workbook.bin": binary_record(156, b"\0" * 8 + wide_cell("rId1") + wide_cell("Loans")),
    "xl/_rels/workbook.bin.rels": relations({"rId1": ("worksheet", "worksheets/sheet1.bin")}),
    "xl/worksheets/sheet1.bin": binary_record(0, b"\0" * 4) + binary_record(6, b"\0" * 8 + wide_cell("Bank")),
}
_HEAD = (
    b"From: =?utf-8?q?Ad=C3=A0?= <a@example.org>\nTo: b@x\nDate: Fri, 1 Mar 2024 10:15:00 +0100\nMIME-Version: 1.0\n"
)
_MIXED = (
    _HEAD + b'Subject: =?utf-8?B?UmVsZWFzZQ==?=\nContent-Type: multipart/mixed; boundary="X"\n\n--X\n'
    b"Content-Type: multipart/alternative; boundary=Y\n\n--Y\nContent-Type: text/plain; charset=utf-8; format=flowed\n"
    b"Content-Transfer-Encoding: quoted-printable\n\nA =\nb \n> c \n> d=E9\n--Y\nContent-Type: text/html\n\n<h1>A</h1>"
    b"<p>b<table><tr><td>c</table>\n--Y--\n--X\nContent-Type: message/rfc822\n\nSubject: Inner\n\nWords\n--X\n"
    b"Content-Type: text/csv; name*0=a; name*1*=utf-8''b.csv\nContent-Transfer-Encoding: base64\n"
    b"Content-Disposition: attachment; filename*=utf-8''c%C3%A9.csv\n\nYSxi\n--X--\n"
)
_INNER: dict[str, bytes | Tree] = {
    "__substg1.0_0037001F": "x".encode("utf-16-le"),
    "__properties_version1.0": bytes(24),
}
_PACKED = b"\x20\0\0\0\x14\0\0\0LZFu\0\0\0\0\x01\0\x031 Words\0 kept.}"
_MESSAGE: dict[str, bytes | Tree] = dict(
    [
        fixed({0x0039: 133_500_000_000_000_000, 0x3FFD: 1252, 0x3FDE: 65_001}, 32),
        wide(0x0037, "Rollout"),
        narrow(0x1000, b"caf\xe9\r\n\r\nwords"),
        binary(0x1013, b"<p>Words <b>in</b> HTML</p>" * 20),
        binary(0x1009, _PACKED),
    ]
)
_ATTACHED: dict[str, bytes | Tree] = {
    "__attach_version1.0_#00000000": dict([fixed({}, 8), wide(0x3707, "a.csv"), binary(0x3701, b"a,b\n" * 1_100)]),
    "__attach_version1.0_#00000001": {"__properties_version1.0": bytes(8), "__substg1.0_3701000D": _INNER},
}
_CELLS = [
    {"cell_type": "markdown", "source": "# A"},
    {"cell_type": "code", "source": ["x"], "outputs": [{"text": "y"}]},
]
_MARKDOWN = (
    b"---\ntitle: T\n---\n# A\n\n- a\n  1. b\n\n> c\n\n```py\nx\n```\n\n| a | b |\n|---|---|\n| c | d |\n\n<p>e</p>\n"
)
_RST = b"A\n=\n\n.. note:: b\n\n   c\n\n- d\n\n+---+---+\n| a | b |\n+===+===+\n| c | d |\n+---+---+\n\n::\n\n  code\n"

_FILES = {"a.md": b"# A\n\nWords.\n", "docs/\u00e9.txt": b"More words.\n" * 20, "empty.txt": b""}

_MADE: Mapping[str, bytes] = {
    "a.zip": zip_of(_FILES),
    "b.zip": zip_of({**_FILES, "inner.zip": zip_of(_FILES), "docs/": b""}, stored=True),
    "c.zip": encrypted_zip("secret.md"),
    "a.tar": tar_of(_FILES),
    "a.tgz": tar_of(_FILES, "w:gz"),
    "a.tar.xz": tar_of(_FILES, "w:xz"),
    "a.py": b"def f():\n    return 1\n\n\nclass A:\n    pass\n",
    "a.json": json.dumps({"a": [{"b": "x" * 40, "c": 1.5}] * 150}).encode(),
    "a.xml": b"<a>" + b"<b c='d'>e</b>" * 500 + b"</a>",
    "a.epub": package(book_parts({"a.xhtml": "<h1>A</h1><p>Words.</p>"}, contents='<a href="a.xhtml">A</a>')),
    "a.html": b"<html><head><title>T</title></head><body><h1>A</h1><ul><li>b<ol><li>c</ol></ul><table><tr><th>d</th>"
    b"<td colspan=2>e</td></tr></table><pre><code class=language-py>f</code></pre><dl><dt>g<dd>h</dl></body></html>",
    "a.eml": _MIXED,
    "b.eml": _HEAD + b"Subject: Plain\n\nWords.\n> quoted\n\nbegin 644 a\n#86)C\n`\nend\n",
    "a.mbox": b"From a@x Fri Mar  1 10:15:00 2024\n"
    + _HEAD
    + b"\nOne.\n\nFrom b@x Fri Mar  1 10:15:00 2024\n"
    + _MIXED,
    "a.md": _MARKDOWN,
    "a.rst": _RST,
    "a.adoc": b"= A\n\n== B\n\n* a\n** b\n\n|===\n|a |b\n|===\n\n----\ncode\n----\n\nNOTE: c\n",
    "a.msg": container(_MESSAGE),
    "b.msg": container(_MESSAGE | _ATTACHED),
    "a.ipynb": json.dumps({"cells": _CELLS, "nbformat": 4, "metadata": {}}).encode(),
    "a.odt": package(open_document_parts("text", WRITTEN)),
    "a.ods": package(open_document_parts("spreadsheet", SHEET)),
    "a.odp": package(open_document_parts("presentation", FRAME)),
    "a.fodt": flat_open_document("text", WRITTEN),
    "a.fods": flat_open_document("spreadsheet", SHEET),
    "a.pdf": pdf_of([show("Words on a page", 72, 700) + show("and more", 72, 680)], [HELVETICA]),
    "b.pdf": filled_form(),
    "a.pptx": package(presentation_parts([shape("Title", holder="title") + shape("Text", place=(1, 2))])),
    "a.rtf": rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset204 A;}}{\stylesheet{\s1 heading 1;}}\pard\s1 H\par"
    rb"\trowd\intbl a\cell b\cell\row\pard{\listtext 1.}\u8364?\'e9\par{\footnote n}{\field{\*\fldinst X}{"
    rb"\fldrslt y}}\bin3 abc}",
    "a.xlsx": package(workbook_parts({"Loans": sheet_rows(ROWS)}, shared=["<t>x</t>"], styles=_STYLES)),
    "a.xlsb": package(BINARY),
    "a.xls": old_workbook(percent_style(), text_cell(0, 0, "Bank") + number_cell(1, 0, 0.25, 1)),
    "a.csv": b'Bank,Rate\nNorth,"4\n1"\nSouth,3.9\n',
    "a.tsv": b"Bank\tRate\nNorth\t4\n",
    "a.txt": "One.\n\nTwo – café Ω.\r\n\fThree.\n".encode(),
    "b.txt": "证明書 Größe".encode("utf-16"),
    "c.txt": "Кафе закрыто.\n".encode("cp1251") * 3,
}


def seeds_of(family: str) -> dict[str, bytes]:
    """Name and content of the files of a family: those made here, then real ones, small ones first."""
    endings = FAMILIES[family]
    made = {name: data for name, data in _MADE.items() if name.rpartition(".")[2] in endings}
    wanted = {f".{ending}" if ending else "" for ending in endings}
    real = sorted(
        (path.stat().st_size, str(path))
        for path in CORPUS.rglob("*")
        if path.suffix.lower() in wanted and path.is_file() and path.stat().st_size <= LARGEST
    )
    return made | {place: Path(place).read_bytes() for _, place in real[:: max(1, len(real) // MOST_REAL)]}
