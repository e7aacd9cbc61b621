"""The function starts at once: it is called for the first request of every client."""

from __future__ import annotations

from tests.support.started_program import loaded_by, output_of

HEAVY = (
    *("mcp", "starlette", "pydantic", "anyio", "jinja2", "httpx2", "jwt"),
    *("lancedb", "pyarrow", "numpy", "onnxruntime", "tokenizers"),
    # Of botocore the logging library looks for the name alone.
    *("boto3", "botocore.session", "botocore.client"),
)
MOST_MODULES = 400


def test_signing_in_loads_none_of_the_heavy_libraries() -> None:
    assert loaded_by("import docshelf.signin.function", HEAVY) == set()


def test_it_loads_few_modules() -> None:
    program = "import sys; import docshelf.signin.function; print(len(sys.modules))"
    assert int(output_of(program)) < MOST_MODULES
