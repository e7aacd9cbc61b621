"""What the control words of RTF mean: parts that are passed over, characters, kept places."""

from __future__ import annotations

import re

from docshelf.documents.html.text import BREAK

SKIPPED = frozenset(
    """
    colortbl pict objdata objclass themedata colorschememapping latentstyles datastore listtable listoverridetable
    rsidtbl generator header headerl headerr headerf footer footerl footerr footerf xmlnstbl fldinst bkmkstart bkmkend
    nonshppict shppict annotation atnid atnauthor atndate atnref atntime ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn
    sn sv filetbl revtbl pnseclvl userprops template datafield private background do shprslt
    """.split()  # noqa: SIM905 - reads better as words
)
READ_IF_STARRED = frozenset(("shpinst", "shptxt", "ud", "moMath", "moMathPara", "footnote", "pntext", "listtext"))
CAPTURED = frozenset(("footnote", "shptxt", "listtext", "pntext", "title", "doccomm", "fonttbl", "stylesheet"))
CHARACTERS = {
    "tab": "\t", "line": BREAK, "lbr": BREAK, "softline": BREAK, "nbsp": " ", "nbhyphen": "-", "emdash": "—",
    "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "emspace": " ",
    "enspace": " ", "qmspace": " ", "nestcell": " ", "nestrow": BREAK, "zwj": "\u200d", "zwnj": "\u200c",
}  # fmt: skip
PAGES = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
HEADING = re.compile(r"(?:heading|überschrift|titre|título|заголовок)\s*([1-9])\b.*", re.IGNORECASE)
PARAGRAPH_ENDS = frozenset(("par", "sect", "page", "column"))
WITHIN_A_LINE = frozenset(("footnote", "listtext", "pntext", "title", "doccomm"))
READ_IF_SKIPPED = frozenset(("*", "ud", "title", "doccomm"))
