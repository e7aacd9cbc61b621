"""The randomized test of the parsers; see `tests/support/fuzz_command.py`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "layers"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support.fuzz_command import main

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
