"""Spreadsheets: headers, numbers and dates as they show, merged cells, hidden sheets, cells far away."""

from __future__ import annotations

import struct

import pytest

from docshelf.documents import Document, Kind, parse
from docshelf.errors import DocumentTooLargeError, EmptyDocumentError, EncryptedDocumentError, ParseFailedError
from docshelf.settings import Limits
from tests.support.binary_workbooks import binary_record, number_cell, old_workbook, percent_style, text_cell, wide
from tests.support.office_files import (
    flat_open_document,
    open_document_parts,
    package,
    relations,
    sheet_rows,
    workbook_parts,
)

LOANS = [["Bank", "Rate"], ["North", "4.1"], ["South", "3.9"]]


def read(data: bytes, key: str = "loans.xlsx") -> Document:
    return parse(data, key, Limits())


def workbook(content: str, shared: tuple[str, ...] = (), styles: str = "") -> bytes:
    return package(workbook_parts({"Loans": content}, shared=shared, styles=styles))


def row(cells: str, number: int = 1) -> str:
    return f'<row r="{number}">{cells}</row>'


def shown(code: str, value: str, *, number: int = 164) -> str:
    """What a cell with the number format `code` shows."""
    styles = (
        f'<numFmts><numFmt numFmtId="164" formatCode="{code}"/></numFmts>'
        f'<cellXfs><xf numFmtId="0"/><xf numFmtId="{number}"/></cellXfs>'
    )
    cell = f'<c r="A1" s="1"><v>{value}</v></c>'
    return read(workbook(f"<sheetData>{row(cell)}</sheetData>", styles=styles)).text.split("\n")[2]


def test_a_sheet_is_a_heading_over_a_table_that_repeats_its_header() -> None:
    document = read(package(workbook_parts({"Loans": sheet_rows(LOANS), "Other": sheet_rows([["only"]])})))
    assert document.text == "# Loans\n\n| Bank | Rate |\n| North | 4.1 |\n| South | 3.9 |\n\n# Other\n\nonly\n"
    table = document.blocks[1]
    assert (table.kind, table.headings, table.opening) == (Kind.TABLE, ("Loans",), "| Bank | Rate |\n")
    assert (document.media_type, document.title, document.source_lines) == ("xlsx", "loans", False)


@pytest.mark.parametrize(
    ("rows", "opening"),
    [
        ([["Region", "2023", "2024"], ["East", "1", "2"]], "| Region | 2023 | 2024 |\n"),
        ([["a", "b"], ["unit", "EUR"], ["1", "2"]], "| a | b |\n| unit | EUR |\n"),
        ([["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"], ["i", "j"]], "| a | b |\n"),
        ([["1", "2"], ["3", "4"]], ""),
        ([["a", "b"]], ""),
    ],
)
def test_the_header_is_what_stands_in_words_above_the_figures(rows: list[list[str]], opening: str) -> None:
    assert read(workbook(sheet_rows(rows))).blocks[1].opening == opening


def test_lines_above_a_table_are_a_paragraph_and_a_blank_row_does_not_lose_the_header() -> None:
    rows = [["Loans of 2024"], ["as of May"], *LOANS, [""], ["West", "4"], [""], ["Name", "Town"], ["Ada", "Bonn"]]
    document = read(workbook(sheet_rows(rows)))
    assert [block.kind for block in document.blocks[1:]] == [Kind.PARAGRAPH, *[Kind.TABLE] * 3]
    assert [block.opening for block in document.blocks[2:]] == [
        "| Bank | Rate |\n",
        "| Bank | Rate |\n",
        "| Name | Town |\n",
    ]


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("General", "0.30000000000000004", "0.3"),
        ("General", "12345678901234", "12345678901234"),
        ("0.0%", "0.0415", "4.2%"),
        ("#,##0.00", "1234567.5", "1,234,567.50"),
        ("#,##0.00;(#,##0.00)", "-2.5", "(2.50)"),
        ("0.00", "-2.5", "-2.50"),
        ("[$€-407] #,##0", "1200", "€ 1,200"),
        ("0 &quot;kg&quot;", "3", "3 kg"),
        ("00000", "42", "00042"),
        ("0.0,,", "2500000", "2.5"),
        ("0.##", "1.5", "1.5"),
        ("# ?/?", "0.5", "0.5"),
        ("0.00E+00", "12345", "12345"),
        ("yyyy-mm-dd", "45292", "2024-01-01"),
        ("d. mmmm yyyy hh:mm", "45292.75", "2024-01-01 18:00"),
        ("mmm yyyy", "45292", "2024-01"),
        ("h:mm AM/PM", "0.5625", "13:30"),
        ("#,##0 CHF", "1200", "1,200 CHF"),
        ("GENERAL", "5", "5"),
        ("yyyy年m月d日", "45292", "2024-01-01"),
        ("[h]:mm", "1.25", "30:00:00"),
        ("yyyy-mm-dd", "1", "1900-01-01"),
        ("yyyy-mm-dd", "-5", "-5"),
        ("yyyy-mm-dd", "1e300", "1e+300"),
    ],
)  # fmt: skip
def test_numbers_and_dates_are_written_as_a_reader_sees_them(code: str, value: str, text: str) -> None:
    assert shown(code, value) == text


@pytest.mark.parametrize(
    ("number", "value", "text"), [(9, "0.25", "25%"), (14, "45292", "2024-01-01"), (4, "5", "5.00")]
)
def test_formats_that_have_only_a_number_are_known(number: int, value: str, text: str) -> None:
    assert shown("", value, number=number) == text


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('<c r="A1" t="s"><v>0</v></c>', "Bold word"),
        ('<c r="A1" t="s"><v>7</v></c><c r="B1" t="str"><v>x</v></c>', "x"),
        ('<c r="A1" t="b"><v>1</v></c>', "TRUE"),
        ('<c r="A1" t="e"><v>#N/A</v></c>', "#N/A"),
        ('<c r="A1" t="d"><v>2024-03-01T00:00:00</v></c>', "2024-03-01"),
        ('<c r="A1"><f>SUM(B1:B9)</f><v>12</v></c>', "12"),
        ('<c r="A1" t="str"><f>A2&amp;"x"</f><v>two  words</v></c>', "two words"),
        ('<c r="A1"><f>SUM(B1:B9)</f></c>', "=SUM(B1:B9)"),
        ("<c><v>no number</v></c>", "no number"),
    ],
)
def test_each_kind_of_cell_is_read(cell: str, text: str) -> None:
    shared = ("<r><t>Bold</t></r><r><t> word</t></r><rPh><t>reading aid</t></rPh>",)
    assert read(workbook(f"<sheetData>{row(cell)}</sheetData>", shared)).text == f"# Loans\n\n{text}\n"


def test_what_a_merged_cell_holds_is_said_in_each_of_its_rows() -> None:
    content = sheet_rows([["Region", "Town"], ["North", "Kiel"], ["", "Flensburg"]])
    text = read(workbook(content + '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>')).text
    assert "| North | Kiel |\n| North | Flensburg |" in text


def test_hidden_sheets_are_read_and_named_as_such() -> None:
    parts = workbook_parts(
        {"Seen": sheet_rows([["a"]]), "Rates": sheet_rows([["b"]])}, attributes={"Rates": 'state="hidden"'}
    )
    document = read(package(parts))
    assert "# Rates (hidden sheet)\n" in document.text
    assert document.warnings == ("1 hidden sheet was read too; the headings say which.",)


def test_text_boxes_and_comments_of_a_sheet_follow_its_cells() -> None:
    parts = workbook_parts({"Loans": "", "Empty": ""})
    parts["xl/worksheets/_rels/sheet1.xml.rels"] = relations(
        {"rId1": ("drawing", "../drawings/drawing1.xml"), "rId2": ("comments", "../comments1.xml")}
    )
    box = "<x:txBody><a:p><a:r><a:t>Draft only</a:t></a:r></a:p></x:txBody>"
    parts["xl/drawings/drawing1.xml"] = f'<x:wsDr xmlns:x="x" xmlns:a="a">{box}</x:wsDr>'
    comment = '<comment ref="B2"><text><r><t>Ask </t></r><r><t>Ada</t></r></text></comment>'
    parts["xl/comments1.xml"] = f"<comments><commentList>{comment}</commentList></comments>"
    assert read(package(parts)).text == "# Loans\n\nDraft only\n\nComment on B2: Ask Ada\n"
    parts["xl/comments1.xml"] = "<broken"
    document = read(package(parts))
    assert (document.text, len(document.warnings)) == ("# Loans\n\nDraft only\n", 1)


def test_a_cell_in_the_last_corner_costs_nothing() -> None:
    first, last = '<c r="A1"><v>1</v></c>', '<c r="XFD1048576"><v>9</v></c>'
    assert read(workbook(f"<sheetData>{row(first)}{row(last, 1_048_576)}</sheetData>")).text == "# Loans\n\n1\n\n9\n"


def test_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docshelf.documents.spreadsheets.sheets.MOST_CELLS", 5)
    with pytest.raises(DocumentTooLargeError, match="cells"):
        read(workbook(sheet_rows(LOANS)))


def test_a_workbook_in_the_strict_form_and_with_other_names_for_its_parts_is_read() -> None:
    parts = {
        name: content.replace("schemas.openxmlformats.org/spreadsheetml/2006", "purl.oclc.org/ooxml/spreadsheetml")
        for name, content in workbook_parts({"Loans": sheet_rows(LOANS)}).items()
        if isinstance(content, str)
    }
    assert (
        "| North | 4.1 |" in read(package({name.replace("/", "\\"): content for name, content in parts.items()})).text
    )


def test_declared_entities_are_refused() -> None:
    parts = workbook_parts({"Loans": sheet_rows(LOANS)})
    parts["xl/worksheets/sheet1.xml"] = '<!DOCTYPE d [<!ENTITY a "xx">]><worksheet>&a;</worksheet>'
    with pytest.raises(ParseFailedError, match="entities"):
        read(package(parts))


def test_an_empty_workbook_is_empty() -> None:
    with pytest.raises(EmptyDocumentError):
        read(workbook("<sheetData/>"))


def test_an_old_workbook_is_read_with_its_number_formats() -> None:
    cells = text_cell(0, 0, "Bank") + text_cell(0, 1, "Räte") + text_cell(1, 0, "North") + number_cell(1, 1, 0.25, 1)
    document = read(old_workbook(percent_style(), cells), "loans.xls")
    assert (document.text, document.media_type) == ("# Loans\n\n| Bank | Räte |\n| North | 25% |\n", "xls")


def test_an_old_workbook_with_a_password_is_encrypted() -> None:
    with pytest.raises(EncryptedDocumentError):
        read(old_workbook(struct.pack("<HHHHHH", 0x2F, 6, 0, 1, 2, 0), b""), "loans.xls")


def test_a_binary_workbook_is_read_with_its_number_formats() -> None:
    def cell(kind: int, column: int, payload: bytes, style: int = 0) -> bytes:
        return binary_record(kind, struct.pack("<II", column, style) + payload)

    cells = (
        binary_record(0, struct.pack("<I", 0)) + cell(7, 0, struct.pack("<I", 0)) + cell(6, 1, wide("Rate"))
        + binary_record(0, struct.pack("<I", 1)) + cell(8, 0, wide("North")) + cell(5, 1, struct.pack("<d", 0.25), 1)
        + binary_record(0, struct.pack("<I", 2)) + cell(4, 0, b"\1") + cell(2, 1, struct.pack("<I", 1234 << 2 | 3))
        + cell(3, 2, b"\x2a")
    )  # fmt: skip
    styles = (
        binary_record(617) + binary_record(47, struct.pack("<HH", 0, 0)) + binary_record(47, struct.pack("<HH", 0, 9))
    )
    parts: dict[str, str | bytes] = {
        "xl/workbook.bin": binary_record(156, struct.pack("<II", 1, 1) + wide("rId1") + wide("Loans")),
        "xl/_rels/workbook.bin.rels": relations({"rId1": ("worksheet", "worksheets/sheet1.bin")}),
        "xl/sharedStrings.bin": binary_record(19, b"\0" + wide("Bank")),
        "xl/styles.bin": styles,
        "xl/worksheets/sheet1.bin": cells,
    }
    document = read(package(parts), "loans.xlsb")
    assert document.text == ("# Loans (hidden sheet)\n\n| Bank | Rate |\n| North | 25% |\n| TRUE | 12.34 | #N/A |\n")
    parts["xl/worksheets/sheet1.bin"] = binary_record(5, b"\0" * 9)
    with pytest.raises(ParseFailedError, match="damaged"):
        read(package(parts), "loans.xlsb")


def ods_cell(kind: str, value: str, text: str, more: str = "") -> str:
    paragraph = f"<text:p>{text}</text:p>" if text else ""
    return f'<table:table-cell office:value-type="{kind}" office:{value} {more}>{paragraph}</table:table-cell>'


def ods_row(*cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(cells)}</table:table-row>"


ODS = f"""
<table:table table:name="Loans">
{ods_row(*(ods_cell("string", "x=''", name) for name in ("Bank", "Rate", "From")))}
{
    ods_row(
        ods_cell("string", "x=''", "North", 'table:number-rows-spanned="2"'),
        ods_cell("percentage", "value='0.041'", "4.10 %"),
        ods_cell("date", "date-value='2024-03-01T00:00:00'", "01.03.24"),
    )
}
{ods_row("<table:covered-table-cell/>", ods_cell("float", "value='5.0'", ""))}
{ods_row("<table:table-cell/>", more='table:number-rows-repeated="1048000"')}
</table:table>"""


@pytest.mark.parametrize(
    "data", [package(open_document_parts("spreadsheet", ODS)), flat_open_document("spreadsheet", ODS)]
)
def test_an_open_document_spreadsheet_is_read_packed_or_flat(data: bytes) -> None:
    document = read(data, "loans.ods")
    assert document.text == "# Loans\n\n| Bank | Rate | From |\n| North | 4.10 % | 2024-03-01 |\n| North | 5 |\n"
    assert (document.media_type, document.blocks[1].opening) == ("ods", "| Bank | Rate | From |\n")


def test_a_cell_repeated_without_end_is_bounded() -> None:
    cell = ods_cell("string", "x=''", "x", 'table:number-columns-repeated="16384"')
    row_of_them = ods_row(cell, more='table:number-rows-repeated="1048576"')
    body = f'<table:table table:name="A">{row_of_them}</table:table>'
    assert len(read(package(open_document_parts("spreadsheet", body)), "a.ods").text) < 100_000


def test_a_table_of_text_under_a_workbooks_name_is_read_as_one() -> None:
    document = read(b"Bank\tRate\nNorth\t4.1\n", "export.xls")
    assert (document.media_type, document.blocks[0].opening) == ("csv", "Bank\tRate\n")
