"""The function starts at once: it is called for the first request of every client."""

from __future__ import annotations

from tests.support.started_program import loaded_by, output_of

HEAVY = (
    *("mcp", "starlette", "pydantic", "anyio", "jinja2", "httpx2", "jwt"),
    *("lancedb", "pyarrow", "numpy", "onnxruntime", "tokenizers"),
    # Of botocore the logging library looks for the name alone.
    *("boto3", "botocore.session", "botocore.client"),
)
MOST_SECONDS = 0.15


def test_signing_in_loads_none_of_the_heavy_libraries() -> None:
    assert loaded_by("import docshelf.signin.function", HEAVY) == set()


def test_it_costs_little_to_import() -> None:
    program = (
        "import time\n"
        "begun = time.process_time()\n"
        "import docshelf.signin.function\n"
        "print(time.process_time() - begun)\n"
    )
    # The least of a few: the machine may be doing something else.
    assert min(float(output_of(program)) for _ in range(4)) < MOST_SECONDS
