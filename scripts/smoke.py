"""Asks a deployed environment whether it works; see `infra/deployment/smoke/`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from infra.deployment.smoke.command import main

if __name__ == "__main__":
    sys.exit(main())
