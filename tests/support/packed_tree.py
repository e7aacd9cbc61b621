"""Directories of packages with packed libraries, made of packages that are installed here."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from pathlib import Path

from infra.layers.packing import Packing, pack
from infra.layers.places import PACKAGE, Architecture
from infra.layers.recipe import Beside, InPlace, Pack

ARCHITECTURE: Architecture = "arm64" if platform.machine() in ("aarch64", "arm64") else "x86_64"
"""Of this machine."""

_INSTALLED = Path(sysconfig.get_path("platlib"))


def installed_tree(root: Path, *names: str) -> Path:
    """Copies of what is installed under `names` in the new directory `root`, with docshelf beside them."""
    root.mkdir(parents=True)
    for name in names:
        source = _INSTALLED / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("tests", "__pycache__", "*.pyi"))
        else:
            shutil.copyfile(source, root / name)
    (root / PACKAGE.name).symlink_to(PACKAGE)
    return root


def packed_tree(
    root: Path,
    *names: str,
    at_least_bytes: int = 100_000,
    in_place: Iterable[str] = (),
    beside: Mapping[str, str] | None = None,
) -> Packing:
    """The same with the libraries packed that have so many bytes."""
    rules = Pack(
        at_least_bytes=at_least_bytes,
        in_place=tuple(InPlace(library=pattern, reason="as the test says") for pattern in in_place),
        beside=tuple(
            Beside(library=pattern, file=file, reason="as the test says") for pattern, file in (beside or {}).items()
        ),
    )
    return pack(installed_tree(root, *names), ARCHITECTURE, rules)


def started(root: Path, temporary: Path, program: str) -> subprocess.Popen[str]:
    """A Python that runs `program` with the packages in `root` first, and `temporary` as its temporary directory."""
    # It is not measured: a test may leave it no disk to write to, and what it imports is a copy.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        env={**kept, "PYTHONPATH": str(root), "TMPDIR": str(temporary)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output_of(root: Path, temporary: Path, program: str) -> str:
    """What `program` prints, without white space around it; an assertion that it ends well and warns of nothing."""
    with started(root, temporary, program) as process:
        out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    return out.strip()


def unpacked(temporary: Path) -> list[str]:
    """The paths of the libraries that were unpacked, below their directory."""
    return sorted(
        path.relative_to(directory).as_posix()
        for directory in temporary.glob("docshelf-libraries-*")
        for path in directory.rglob("*")
        if path.is_file()
    )
