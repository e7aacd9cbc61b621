"""Small files of the office formats, made part by part, for tests of their parsers."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_OFFICE = f'xmlns:r="{_RELATION}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_SHEETS = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_SLIDES = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_OPEN_DOCUMENT = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "draw": "drawing",
        "style": "style",
        "meta": "meta",
        "presentation": "presentation",
        "svg": "svg-compatible",
        "manifest": "manifest",
    }.items()
)
_MIME = "application/vnd.oasis.opendocument"


def package(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP file of `parts` by name."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), content)
    return written.getvalue()


def relations(targets: Mapping[str, tuple[str, str]]) -> str:
    """A part of relations: by identifier, the type's last word and the target."""
    entries = "".join(
        f'<Relationship Id="{identifier}" Type="{_RELATION}/{kind}" Target="{target}"/>'
        for identifier, (kind, target) in targets.items()
    )
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{entries}</Relationships>'
    )


def workbook_parts(
    sheets: Mapping[str, str],
    *,
    shared: Sequence[str] = (),
    styles: str = "",
    attributes: Mapping[str, str] | None = None,
) -> dict[str, str | bytes]:
    """Parts of an XLSX workbook: by name, the content of each sheet's `worksheet`; extra attributes by name."""
    listed, targets = "", {}
    parts: dict[str, str | bytes] = {"[Content_Types].xml": "<Types/>"}
    for number, (name, content) in enumerate(sheets.items(), 1):
        extra = (attributes or {}).get(name, "")
        listed += f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}" {extra}/>'
        targets[f"rId{number}"] = ("worksheet", f"worksheets/sheet{number}.xml")
        parts[f"xl/worksheets/sheet{number}.xml"] = f"<worksheet {_SHEETS}>{content}</worksheet>"
    if shared:
        items = "".join(f"<si>{text}</si>" for text in shared)
        parts["xl/sharedStrings.xml"] = f"<sst {_SHEETS}>{items}</sst>"
    if styles:
        parts["xl/styles.xml"] = f"<styleSheet {_SHEETS}>{styles}</styleSheet>"
    parts["xl/workbook.xml"] = f"<workbook {_SHEETS} {_OFFICE}><sheets>{listed}</sheets></workbook>"
    parts["xl/_rels/workbook.xml.rels"] = relations(targets)
    return parts


def sheet_rows(rows: Sequence[Sequence[str]]) -> str:
    """The cells of a sheet: numbers as numbers, other texts within their cells, empty ones left out."""
    written = ""
    for number, row in enumerate(rows, 1):
        cells = ""
        for column, text in enumerate(row):
            reference = f"{chr(65 + column)}{number}"
            if text.replace(".", "", 1).isdigit():
                cells += f'<c r="{reference}"><v>{text}</v></c>'
            elif text:
                cells += f'<c r="{reference}" t="inlineStr"><is><t>{text}</t></is></c>'
        if cells:
            written += f'<row r="{number}">{cells}</row>'
    return f"<sheetData>{written}</sheetData>"


def presentation_parts(slides: Sequence[str], *, attributes: str = "") -> dict[str, str | bytes]:
    """Parts of a PPTX presentation: the content of each slide's tree of shapes."""
    listed = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number}"/>' for number in range(1, len(slides) + 1))
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "ppt/presentation.xml": (
            f"<p:presentation {_SLIDES} {_OFFICE} {attributes}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>"
        ),
        "ppt/_rels/presentation.xml.rels": relations(
            {f"rId{number}": ("slide", f"slides/slide{number}.xml") for number in range(1, len(slides) + 1)}
        ),
    }
    for number, shapes in enumerate(slides, 1):
        parts[f"ppt/slides/slide{number}.xml"] = slide(shapes)
    return parts


def slide(shapes: str, *, attributes: str = "") -> str:
    """A slide (or page of notes) with the given shapes."""
    return f"<p:sld {_SLIDES} {_OFFICE} {attributes}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"


def shape(*paragraphs: str, holder: str = "", place: tuple[int, int] | None = None) -> str:
    """A shape with plain paragraphs; `holder` is a placeholder's type, `place` its left and top."""
    mark = f'<p:nvPr><p:ph type="{holder}"/></p:nvPr>' if holder else "<p:nvPr/>"
    position = f'<a:xfrm><a:off x="{place[0]}" y="{place[1]}"/><a:ext cx="90" cy="90"/></a:xfrm>' if place else ""
    text = "".join(f"<a:p><a:r><a:t>{paragraph}</a:t></a:r></a:p>" for paragraph in paragraphs)
    return f"<p:sp><p:nvSpPr>{mark}</p:nvSpPr><p:spPr>{position}</p:spPr><p:txBody>{text}</p:txBody></p:sp>"


def open_document_parts(kind: str, body: str, *, styles: str = "", title: str = "") -> dict[str, str | bytes]:
    """Parts of an OpenDocument file; `kind` is "text", "spreadsheet" or "presentation"."""
    whole = f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    content = f"<office:automatic-styles>{styles}</office:automatic-styles>{whole}"
    meta = f'<office:meta><dc:title xmlns:dc="http://purl.org/dc/elements/1.1/">{title}</dc:title></office:meta>'
    return {
        "mimetype": f"{_MIME}.{kind}",
        "content.xml": f"<office:document-content {_OPEN_DOCUMENT}>{content}</office:document-content>",
        "meta.xml": f"<office:document-meta {_OPEN_DOCUMENT}>{meta}</office:document-meta>",
        "META-INF/manifest.xml": f"<manifest:manifest {_OPEN_DOCUMENT}/>",
    }


def flat_open_document(kind: str, body: str) -> bytes:
    """The same content as one XML file."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document {_OPEN_DOCUMENT} office:version="1.3" '
        f'office:mimetype="{_MIME}.{kind}"><office:body><office:{kind}>{body}</office:{kind}></office:body>'
        "</office:document>"
    ).encode()


def book_parts(chapters: Mapping[str, str], *, metadata: str = "", contents: str = "") -> dict[str, str | bytes]:
    """Parts of an EPUB book: each chapter's body by its file name; `contents` are the links of its navigation."""
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in chapters)
    spine = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    parts: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfile full-path="OEBPS/book.opf"/></container>',
        "OEBPS/book.opf": (
            f'<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>{metadata}</metadata><manifest>{items}'
            '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/></manifest>'
            f"<spine>{spine}</spine></package>"
        ),
        "OEBPS/nav.xhtml": f"<html><body><nav>{contents}</nav></body></html>",
    }
    for name, body in chapters.items():
        parts[f"OEBPS/{name}"] = (
            '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>'
            f"<body>{body}</body></html>"
        )
    return parts
