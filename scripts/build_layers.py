"""Builds the layers of the functions; see `infra/layers/command.py`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from infra.layers.command import main

if __name__ == "__main__":
    sys.exit(main())
