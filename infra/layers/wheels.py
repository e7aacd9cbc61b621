"""Installing the dependencies' wheels for the functions' platform, whatever this machine is."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from uv import find_uv_bin

from infra.layers.errors import LayerError
from infra.layers.places import Architecture

_PLATFORMS: Mapping[Architecture, str] = {
    "arm64": "aarch64-manylinux_2_28",
    "x86_64": "x86_64-manylinux_2_28",
}
_LINES = 12


def install_wheels(requirements: Path, target: Path, architecture: Architecture, python: str) -> None:
    """Install what `requirements` pins into the new directory `target`, by the hashes that it lists.

    Raises:
        LayerError: a wheel cannot be fetched, is not the pinned one, or there is none for this platform.
    """
    done = subprocess.run(
        [
            *(find_uv_bin(), "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:"),
            *("--python-platform", _PLATFORMS[architecture], "--python-version", python),
            *("--target", str(target), "--requirements", str(requirements)),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        words = "\n".join(f"    {line}" for line in done.stderr.strip().splitlines()[-_LINES:])
        raise LayerError(
            f"The dependencies for {architecture} and Python {python} cannot be installed. uv's last words:\n{words}"
        )
