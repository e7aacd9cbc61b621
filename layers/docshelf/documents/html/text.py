"""Clean runs of text taken out of markup."""

from __future__ import annotations

BREAK = "\x00"  # stands for <br> within collected text: an HTML parser never lets NUL through
_UNSEEN = {0xAD: None, 0x200B: None, 0x2060: None, 0xFEFF: None}
_CONTROLS = {code: None for code in (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0)) if code != 0x0D}


def lines(text: str) -> str:
    """Collapse white space, with a line end only where the page has a break."""
    text = text.translate(_UNSEEN)
    kept = (" ".join(line.split()) for line in text.split(BREAK))
    return "\n".join(line for line in kept if line).translate(_CONTROLS)


def one_line(text: str) -> str:
    """Collapse all white space, breaks too, to single spaces."""
    return lines(text.replace(BREAK, " "))


def verbatim(text: str) -> str:
    """Keep white space as it is, without blank lines around and without control characters."""
    text = text.replace(BREAK, "\n").replace("\r\n", "\n").replace("\r", "\n")
    kept = text.translate(_CONTROLS).replace("\xa0", " ").split("\n")
    while kept and not kept[0].strip():
        del kept[0]
    while kept and not kept[-1].strip():
        del kept[-1]
    return "\n".join(line.rstrip() for line in kept)
