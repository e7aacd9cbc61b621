"""The function starts at once: it is called for the first request of every client."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import docshelf

HEAVY = (
    *("mcp", "starlette", "pydantic", "anyio", "jinja2", "httpx2", "jwt"),
    *("lancedb", "pyarrow", "numpy", "onnxruntime", "tokenizers"),
    # Of botocore the logging library looks for the name alone.
    *("boto3", "botocore.session", "botocore.client"),
)
MOST_SECONDS = 0.15


def started(program: str) -> str:
    """What `program` says in a process of its own, with bytecode at hand."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        # Nothing else, so that nobody measures along.
        env={"PYTHONPATH": str(Path(docshelf.__file__).parents[1])},
    )
    return done.stdout


def test_signing_in_loads_none_of_the_heavy_libraries() -> None:
    program = (
        f"import sys\nimport docshelf.signin.function\nprint(*(name for name in {HEAVY!r} if name in sys.modules))\n"
    )
    assert started(program).split() == []


def test_it_costs_little_to_import() -> None:
    program = (
        "import time\n"
        "begun = time.process_time()\n"
        "import docshelf.signin.function\n"
        "print(time.process_time() - begun)\n"
    )
    # The least of a few: the machine may be doing something else.
    assert min(float(started(program)) for _ in range(4)) < MOST_SECONDS
