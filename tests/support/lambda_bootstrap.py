"""Starts AWS's runtime client as the bootstrap of Lambda does: `python lambda_bootstrap.py OPT HANDLER`.

Modules come from the function's directory, the layers below OPT, the standard library, and the directory of this file,
which holds the runtime client; from nowhere else. Run it with `-I -S`.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path


def use_places(opt: str) -> None:
    """Have modules come from where Lambda has them, for a process that began with the standard library alone."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    standard_library = list(sys.path)
    sys.path[:] = [
        os.environ["LAMBDA_TASK_ROOT"],
        f"{opt}/python/lib/{version}/site-packages",
        f"{opt}/python",
        *standard_library,
        str(Path(__file__).parent),
    ]


def main(opt: str, handler: str) -> None:
    """Run the handler until the process is ended."""
    use_places(opt)
    importlib.import_module("awslambdaric.__main__").main([__file__, handler])


if __name__ == "__main__":
    main(*sys.argv[1:])
