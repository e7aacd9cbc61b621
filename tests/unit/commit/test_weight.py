"""What the commit function must not load: it writes what others have read, cut and embedded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import docshelf

PARSERS = ("mammoth", "markdown_it", "pypdfium2", "selectolax")
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
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(docshelf.__file__).parents[1])},
    )
    assert done.stdout.split() == []
