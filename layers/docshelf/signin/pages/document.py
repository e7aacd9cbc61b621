"""The frame of every page, and the headers that go with it."""

from __future__ import annotations

import base64
import hashlib

from docshelf.gateway.messages import HttpResponse
from docshelf.signin.pages.markup import Markup, Page, source

_FRAME = Page("frame.html")
_STYLE = source("style.css")
_SCRIPT = Page("script.html")

# Nothing on these pages wants any of it, so nothing that gets into them has it.
_DENIED_FEATURES = (
    "camera",
    "display-capture",
    "geolocation",
    "microphone",
    "payment",
    "publickey-credentials-get",
    "usb",
)
_HEADERS = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", ", ".join(f"{name}=()" for name in _DENIED_FEATURES)),
)


def document(
    status: int,
    title: str,
    heading: str,
    main: Markup,
    *,
    script: str = "",
    form_action: str = "'none'",
    referrer: str = "no-referrer",
    wide: bool = False,
) -> HttpResponse:
    """A whole page with the headers that guard it.

    `title` names the installation, `heading` the page; `script` is one of ours and the only one that may run;
    `form_action` says in the words of a content security policy where a form may lead.
    """
    scripts = _SCRIPT.fill(script=Markup(script)) if script else Markup("")
    body = _FRAME.fill(
        title=title,
        heading=heading,
        style=Markup(_STYLE),
        main=main,
        scripts=scripts,
        width="wide" if wide else "narrow",
    )
    headers = (
        *_HEADERS,
        ("Content-Security-Policy", _policy(script, form_action)),
        ("Referrer-Policy", referrer),
    )
    # A lone surrogate, which JSON can carry, has no bytes.
    return HttpResponse(status, headers, body.encode("utf-8", "replace"))


def _policy(script: str, form_action: str) -> str:
    parts = {
        "default-src": "'none'",
        "style-src": _source_of(_STYLE),
        "img-src": "data:",  # the icon of the tab
        "form-action": form_action,
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
    }
    if script:
        parts["script-src"] = _source_of(script)
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def _source_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
