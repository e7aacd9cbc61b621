"""Functions as they are deployed: their code and unpacked layers in read-only directories, and nothing else to import.

The directories stand for those of an execution environment of Lambda: `var/task` (one a function), `opt` (one for the
functions with a model and one for those without), `var/runtime` with AWS's runtime client, `var/lang` with Python, and
`tmp` (one a function), the only one that may be written to.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from uv import find_uv_bin

from infra.layers.interpreters import find_interpreter
from infra.layers.places import Architecture
from tests.support import confined, lambda_bootstrap
from tests.support.built_layers import MODEL, built_layers
from tests.support.handler_processes import ROOT
from tests.support.lambda_runtime import Home

NAMES = ("ingest", "commit", "search", "signin")
WITH_MODEL = ("ingest", "search")
_PROCESSORS: Mapping[str, Architecture] = {"x86_64": "x86_64", "aarch64": "arm64"}
ARCHITECTURE = _PROCESSORS.get(platform.machine())
"""The layers that run on this machine; None where none do."""

_RUNTIME_CLIENT = ("awslambdaric", "simplejson", "snapshot-restore-py")
_NOWHERE = "/nowhere"


@dataclass(frozen=True, slots=True)
class Deployed:
    """All four functions below `root`; `python` is the interpreter there, `release` its minor version."""

    root: Path
    python: Path
    release: str

    @property
    def read_only(self) -> tuple[Path, ...]:
        """What stands for directories that a function cannot write to on Lambda."""
        return self.root / "opt", self.root / "opt-with-model", self.root / "var"

    def opt(self, name: str) -> Path:
        """What stands for `/opt` of the function `name`."""
        return self.root / ("opt-with-model" if name in WITH_MODEL else "opt")

    def temporary(self, name: str) -> Path:
        """What stands for `/tmp` of the function `name`."""
        return self.root / "tmp" / name

    def home(self, name: str) -> Home:
        """The function `name`, in a process that has the variables of Lambda and those that stand for its places."""
        bootstrap = str(self.root / "var/runtime/bootstrap.py")
        command = self.confined(str(self.python), "-I", "-S", bootstrap, str(self.opt(name)), "handler.handler")
        return Home(command, self.root / "var/task" / name, self._variables(name))

    def confined(self, *command: str) -> tuple[str, ...]:
        """The command that runs `command`, which begins with a path, as the functions are run."""
        return (sys.executable, confined.__file__, *command)

    def _variables(self, name: str) -> Mapping[str, str]:
        made = {
            "AWS_EXECUTION_ENV": f"AWS_Lambda_python{self.release}",
            "LAMBDA_RUNTIME_DIR": str(self.root / "var/runtime"),
            "LANG": "en_US.UTF-8",
            "LD_LIBRARY_PATH": str(self.opt(name) / "lib"),
            "PATH": f"/usr/local/bin:/usr/bin:/bin:{self.opt(name)}/bin",
            "TZ": ":UTC",
            "_HANDLER": "handler.handler",
            # Lambda has neither; here they stand between the function and the account of whoever runs the test.
            "AWS_CONFIG_FILE": _NOWHERE,
            "AWS_SHARED_CREDENTIALS_FILE": _NOWHERE,
            "TMPDIR": str(self.temporary(name)),
        }
        if name in WITH_MODEL:
            made |= {"DOCSHELF_MODEL": str(self.opt(name) / "model"), "DOCSHELF_OFFLINE": "1"}
        return made

    def contents(self) -> str:
        """A digest of every path, mode and content of the read-only directories."""
        found = hashlib.sha256()
        for path in sorted(item for place in self.read_only for item in (place, *place.rglob("*"))):
            found.update(f"{path.relative_to(self.root)}\0{path.lstat().st_mode:o}\0".encode())
            if path.is_symlink():
                found.update(str(path.readlink()).encode())
            elif path.is_file():
                found.update(hashlib.sha256(path.read_bytes()).digest())
        return found.hexdigest()


@contextmanager
def deployed(root: Path) -> Iterator[Deployed]:
    """The functions of the repository with the layers of this machine, in the empty directory `root`."""
    assert ARCHITECTURE is not None, "no layers run on this machine"
    layers = built_layers(ARCHITECTURE)
    base = find_interpreter(layers.python, fetch=False).path
    made = Deployed(root, root / "var/lang/bin/python", layers.python)
    _unzip(root / "opt", layers.dependencies, layers.docshelf)
    shutil.copytree(root / "opt", root / "opt-with-model", copy_function=os.link)
    _unzip(root / "opt-with-model", layers.model(MODEL))
    for name in NAMES:
        shutil.copytree(
            ROOT / "functions" / name, root / "var/task" / name, ignore=shutil.ignore_patterns("__pycache__")
        )
        made.temporary(name).mkdir(parents=True)
    # Without packages of its own, also for the processes that a function starts.
    subprocess.run([base, "-m", "venv", "--without-pip", root / "var/lang"], check=True)
    _install_runtime(made)
    try:
        for place in made.read_only:
            _set_modes(place, writable=False)
        yield made
    finally:
        for place in made.read_only:
            _set_modes(place, writable=True)


def _unzip(target: Path, *archives: Path) -> None:
    for archive in archives:
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(target)


def _install_runtime(made: Deployed) -> None:
    """The runtime client by the versions and hashes of the requirements."""
    pinned = (ROOT / "requirements-dev.txt").read_text("utf-8")
    wanted = []
    for name in _RUNTIME_CLIENT:
        found = re.search(rf"^{name}==.*?(?=^\S|\Z)", pinned, re.MULTILINE | re.DOTALL)
        assert found is not None, f"{name} is not among the requirements"
        wanted.append(found[0])
    requirements, target = made.root / "runtime.txt", made.root / "var/runtime"
    requirements.write_text("".join(wanted), "utf-8")
    command = [find_uv_bin(), "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--compile-bytecode"]
    # Copied, as links into the installer's cache would be made read-only there too.
    options = ["--link-mode", "copy", "--python", str(made.python), "--target", str(target)]
    subprocess.run([*command, *options, "-r", requirements], check=True)
    shutil.copyfile(lambda_bootstrap.__file__, target / "bootstrap.py")


def _set_modes(place: Path, *, writable: bool) -> None:
    if not place.exists():
        return
    directory, file = (0o755, 0o644) if writable else (0o555, 0o444)
    for item in (place, *place.rglob("*")):
        if not item.is_symlink():
            item.chmod(directory if item.is_dir() else file)
