"""The Content-Type that a name says."""

from __future__ import annotations

import pytest

from docshelf.cloud.content_types import content_type_of


@pytest.mark.parametrize(
    ("key", "content_type"),
    [
        ("handbook/a.md", "text/markdown; charset=utf-8"),
        ("notes.TXT", "text/plain; charset=utf-8"),
        ("guide.rst", "text/plain; charset=utf-8"),
        ("guide.adoc", "text/plain; charset=utf-8"),
        ("src/main.py", "text/plain; charset=utf-8"),
        ("Dockerfile", "text/plain; charset=utf-8"),
        ("page.html", "text/html"),
        ("report.pdf", "application/pdf"),
        ("leave.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("photo.png", "image/png"),
        ("packed/notes.txt.gz", "application/gzip"),
        ("packed/notes.txt.xz", "application/octet-stream"),
        ("unknown.zzz", "application/octet-stream"),
        ("no-extension", "application/octet-stream"),
        ("data:text/html,x", "application/octet-stream"),
        ("md/", "application/octet-stream"),
    ],
)
def test_a_browser_shows_what_the_name_promises(key: str, content_type: str) -> None:
    assert content_type_of(key) == content_type
