"""What the commit function must not load: it writes what others have read, cut and embedded."""

from __future__ import annotations

import pytest

from tests.support.started_program import output_of

PARSERS = ("mammoth", "markdown_it", "olefile", "pdfminer", "pypdfium2", "selectolax", "xlrd")
SERVING = ("cryptography", "httpx2", "jwt", "lance_namespace_urllib3_client", "mcp", "starlette")
MODEL = ("onnxruntime", "tokenizers", "docshelf.embedding")


@pytest.mark.parametrize(
    ("function", "unwanted"),
    [
        ("docshelf.commit.lane", (*PARSERS, *SERVING, *MODEL)),
        # Parsers have a process of their own.
        ("docshelf.ingest.function", (*PARSERS, *SERVING)),
    ],
)
def test_a_writing_function_loads_nothing_that_it_has_no_use_for(function: str, unwanted: tuple[str, ...]) -> None:
    # What stands in for a module that was left out comes from no file.
    loaded = "{name for name, module in sys.modules.items() if hasattr(module, '__file__')}"
    program = f"import sys, {function}\nprint(*{loaded}.intersection({unwanted!r}))\n"
    assert output_of(program).split() == []
