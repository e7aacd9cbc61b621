from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from docshelf.errors import IndexLockedError, IndexUnavailableError
from docshelf.index.lock import writer_lock

_HOLD = """
import sys
from pathlib import Path
from docshelf.index.lock import writer_lock
with writer_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_refused_and_told_who_holds_the_lock(root: Path) -> None:
    command = [sys.executable, "-c", _HOLD, str(root)]
    environment = {"PYTHONPATH": "layers", "PATH": ""}
    home = Path(__file__).parents[3]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=home
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(IndexLockedError, match=f"number {holder.pid}"), writer_lock(root):
            pytest.fail("two writers")
        holder.kill()
    with writer_lock(root):
        assert (root / "writer.lock").exists()


def test_the_lock_is_free_again_after_the_block(root: Path) -> None:
    for _ in range(2):
        with writer_lock(root), pytest.raises(IndexLockedError), writer_lock(root):
            pytest.fail("two writers")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(IndexUnavailableError, match="cannot be written"), writer_lock(tmp_path / "file"):
        pytest.fail("locked a file")
