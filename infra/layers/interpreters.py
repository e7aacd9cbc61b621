"""Finding a CPython of the functions' version: only one of the same minor version writes bytecode that they read."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from uv import find_uv_bin

from infra.layers.errors import LayerArgumentError, LayerError

_MINOR = re.compile(r"3\.\d{1,2}")
_ASK = "import sys; print(sys.implementation.name, *sys.version_info[:4]); print(sys.executable)"
_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python. `release` is its full version, such as `3.13.5`."""

    path: Path
    release: str

    @property
    def minor(self) -> str:
        """Such as `3.13`."""
        return ".".join(self.release.split(".")[:2])


def find_interpreter(version: str, *, fetch: bool = True) -> Interpreter:
    """A CPython of the minor `version`, such as `3.13`, from this machine; else uv fetches one, if it may.

    Raises:
        LayerArgumentError: `version` is no minor version.
        LayerError: there is none.
    """
    if not _MINOR.fullmatch(version):
        raise LayerArgumentError(f"--python must be a minor version such as 3.13, not {version!r}.")
    for path in _candidates(version):
        found = _asked(path, version)
        if found is not None:
            return found
    if fetch and _uv("python", "install", version) is not None:
        found = _asked(_uv("python", "find", "--no-project", "--managed-python", version), version)
        if found is not None:
            return found
    raise LayerError(
        f"CPython {version}, which writes the functions' bytecode, is not on this machine and uv could not fetch it: "
        f"install Python {version} so that python{version} starts it, and run this again."
    )


def _candidates(version: str) -> Iterator[str | None]:
    if f"{sys.version_info[0]}.{sys.version_info[1]}" == version:
        yield sys.executable
    yield shutil.which(f"python{version}")
    yield _uv("python", "find", "--no-project", "--no-python-downloads", version)
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    yield from sorted(map(str, versions.glob(f"{version}.*/bin/python{version}")), reverse=True)


def _asked(path: str | None, version: str) -> Interpreter | None:
    """What the program at `path` says that it is; None where it does not start or is another Python."""
    if not path:
        return None
    try:
        done = subprocess.run([path, "-I", "-c", _ASK], capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    about, _, program = done.stdout.strip().partition("\n")
    match = re.fullmatch(r"cpython (\d+) (\d+) (\d+) final", about)
    if done.returncode or match is None or f"{match[1]}.{match[2]}" != version:
        return None
    # A launcher, such as pyenv's, tells where the program itself is.
    return Interpreter(Path(program), ".".join(match.groups()))


def _uv(*arguments: str) -> str | None:
    """What uv prints, or None where it ends with an error."""
    done = subprocess.run([find_uv_bin(), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None
