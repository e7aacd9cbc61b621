"""A machine where the browser cannot be had says so."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

from infra.deployment.node import record_of
from tests.support.chromium import chromium
from tests.support.chromium_files import ChromiumFiles, installed_chromium
from tests.support.node_clients import InstallError, NodeClients

NODE = NodeClients(Path("/no-node"), Path("/no-clients"))


def test_another_kind_of_machine_has_no_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(InstallError, match=r"no Chromium .* \(linux riscv64\).* Run them on such a machine"):
        installed_chromium(NODE, tmp_path)


def test_a_browser_that_does_not_start_says_why(tmp_path: Path) -> None:
    files = ChromiumFiles(tmp_path)
    files.program.write_text("#!/bin/sh\necho 'libnss3.so: cannot open shared object file' >&2\nexit 127\n", "utf-8")
    files.program.chmod(0o755)
    with (
        pytest.raises(InstallError, match=r"does not start on this machine:\nlibnss3\.so: cannot open"),
        chromium(files, tmp_path),
    ):
        pass


def test_a_browser_that_cannot_be_unpacked_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: object, **__: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 1, "", "no space left on device")

    record_of(tmp_path).parent.mkdir()
    record_of(tmp_path).write_text("clients", "utf-8")
    monkeypatch.setattr(NodeClients, "run", fail)
    with pytest.raises(InstallError, match=r"cannot be unpacked.*\n.*no space left"):
        installed_chromium(NodeClients(Path("/no-node"), tmp_path), tmp_path / "chromium")
    assert not (tmp_path / "chromium" / "unpacked.txt").exists()
