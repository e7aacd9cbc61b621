from __future__ import annotations

from tests.support.started_program import loaded_by

HEAVY = ("mcp", "starlette", "pydantic", "lancedb", "pyarrow", "onnxruntime", "boto3", "botocore", "httpx2")


def test_checking_tokens_loads_none_of_the_heavy_libraries() -> None:
    program = "import docshelf.access.challenge, docshelf.access.policy, docshelf.access.tokens"
    assert loaded_by(program, HEAVY) == set()
