"""Programs in a terminal of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.terminal import run_in_terminal

ASKS = "import sys; print([stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)]); sys.exit(3)"


def test_a_program_sees_a_terminal_and_its_status_and_words_come_back(tmp_path: Path) -> None:
    ran = run_in_terminal([sys.executable, "-c", ASKS], {}, tmp_path, 30)
    assert (ran.status, ran.text) == (3, "[True, True, True]\r\n")


def test_colours_movements_and_links_are_left_out(tmp_path: Path) -> None:
    written = r"\033[1;31mred\033[0m \033]8;;http://a/\007link\033]8;;\007 \033[?25hend"
    ran = run_in_terminal(["printf", written], {}, tmp_path, 30)
    assert ran.text == "red link end"


def test_a_program_that_does_not_end_is_killed_and_what_it_said_is_told(tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired) as told:
        run_in_terminal(["sh", "-c", "echo waiting; read answer"], {}, tmp_path, 0.5)
    assert told.value.output == "waiting\r\n"
