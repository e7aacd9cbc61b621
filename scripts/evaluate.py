"""How well the search finds, in numbers; see `scripts/quality/`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "layers"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.quality.command import main

if __name__ == "__main__":
    sys.exit(main())
