from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import docshelf

HEAVY = ("mcp", "starlette", "pydantic", "lancedb", "pyarrow", "onnxruntime", "boto3", "botocore", "httpx2")


def test_checking_tokens_loads_none_of_the_heavy_libraries() -> None:
    program = (
        "import sys\n"
        "import docshelf.access.challenge, docshelf.access.policy, docshelf.access.tokens\n"
        f"print(*(name for name in {HEAVY!r} if name in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(docshelf.__file__).parents[1])},
    )
    assert done.stdout.split() == []
