"""The binary documents of the example shelf: a report (PDF), a policy (DOCX) and a scan (PDF without text).

All of it is made up. The output is the same for the same versions of the libraries.
"""

from __future__ import annotations

import datetime as dt
import io
from pathlib import Path

import docx
from PIL import Image, ImageDraw
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen import canvas
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table

REPORT_PAGES = (
    """Annual report 2025

Pinewick Instruments AB builds gauges that measure the level of rivers and reservoirs. In 2025 the company had 148
employees at three sites and delivered 6,320 gauges to water authorities in eleven countries.

Sales grew by 9 percent to EUR 41.7 million. The result before tax was EUR 3.9 million. The order book at the end of the
year covered seven months of production.""",
    """Financing

The new calibration laboratory in Lund was financed by a loan of EUR 4.2 million. The loan was provided by Nordhamn Bank
in March 2025 at a fixed rate of 3.85 percent a year and runs for eight years.

Repayment begins in 2027 in equal quarterly instalments. The laboratory building serves as security. The covenant asks
for an equity ratio of at least 30 percent; at the end of 2025 it was 44 percent.""",
    """Outlook

For 2026 the board expects sales between EUR 44 and 46 million. The radar gauge PW-7 enters production in the second
quarter. Its first customer is the reservoir authority of Trondheim.

The main risk is the supply of pressure sensors: two of the three suppliers are in the same region.""",
)
"""A page each: the heading, then paragraphs."""

ALLOWANCES = (
    ("Years with the company", "Days of leave a year", "Carried over at most"),
    ("0 to 2", "25", "5"),
    ("3 to 7", "28", "7"),
    ("8 and more", "31", "10"),
)


def write_examples(folder: Path) -> list[Path]:
    """Write the three documents under `folder` and return their paths."""
    made = {
        folder / "finance" / "annual-report-2025.pdf": _report(),
        folder / "people" / "leave-policy.docx": _policy(),
        folder / "archive" / "signed-lease-scan.pdf": _scan(),
    }
    for path, data in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return list(made)


def _report() -> bytes:
    out, styles = io.BytesIO(), getSampleStyleSheet()
    story: list[Flowable] = []
    for page in REPORT_PAGES:
        heading, *paragraphs = page.split("\n\n")
        story += [Paragraph(heading, styles["Heading1"]), Spacer(1, 12)]
        for text in paragraphs:
            story += [Paragraph(text, styles["BodyText"]), Spacer(1, 8)]
        if heading == "Financing":
            rows = [["Loan", "Bank", "Rate"], ["EUR 4.2 million", "Nordhamn Bank", "3.85 %"]]
            story.append(Table(rows, hAlign="LEFT"))
        story.append(PageBreak())
    title = "Pinewick Instruments annual report 2025"
    SimpleDocTemplate(out, pagesize=A4, title=title, author="Pinewick Instruments AB", invariant=1).build(story)
    return out.getvalue()


def _policy() -> bytes:
    out, document = io.BytesIO(), docx.Document()
    document.core_properties.title = "Leave policy"
    document.core_properties.created = document.core_properties.modified = dt.datetime(2026, 1, 12, tzinfo=dt.UTC)
    document.add_heading("Leave policy", level=1)
    document.add_paragraph("Leave is planned with the team lead at least four weeks ahead. July needs six weeks.")
    document.add_heading("Days of leave", level=2)
    table = document.add_table(rows=0, cols=3)
    for row in ALLOWANCES:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.add_heading("Parental leave", level=2)
    document.add_paragraph("Parents may take up to 18 months. The workplace is kept; the laptop is returned.")
    document.save(out)
    return out.getvalue()


def _scan() -> bytes:
    picture = Image.new("L", (620, 877), 244)
    pen = ImageDraw.Draw(picture)
    for line in range(24):
        pen.rectangle((70, 90 + line * 28, 240 + (line * 97) % 310, 98 + line * 28), fill=90)
    out = io.BytesIO()
    page = canvas.Canvas(out, pagesize=A4, invariant=1)
    page.drawImage(ImageReader(picture), 0, 0, *A4)
    page.showPage()
    page.save()
    return out.getvalue()
