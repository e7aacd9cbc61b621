"""Where the native modules come from that a deployed function has loaded."""

from __future__ import annotations

import subprocess
from collections.abc import Collection
from pathlib import Path

from tests.support.layered_function import Deployed

_SYSTEM = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/")


def own_places(functions: Deployed, name: str) -> tuple[Path, ...]:
    """The layers of the function `name`, what was unpacked from them, and the runtime client."""
    return functions.opt(name), functions.temporary(name), functions.root / "var/runtime"


def from_elsewhere(functions: Deployed, name: str, files: Collection[Path]) -> set[Path]:
    """Those of `files` that are in none of these, nor part of the system or of the standard library."""
    command = [str(functions.python), "-I", "-c", "import sys; print(sys.base_prefix)"]
    base = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    places, found = own_places(functions, name), set()
    for file in files:
        text = str(file)
        common = text.startswith((*_SYSTEM, f"{base}/lib/")) and "-packages/" not in text
        if not common and not any(file.is_relative_to(place) for place in places):
            found.add(file)
    return found
