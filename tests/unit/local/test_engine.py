"""Putting the parts together."""

from __future__ import annotations

import shlex
from pathlib import Path

from docshelf.local.activity import Activity, Change
from docshelf.local.engine import _progress, rebuild_command
from docshelf.mcp_server.shelf import Progress


def test_progress_is_told_from_the_listing_on_until_the_scan_ends() -> None:
    activity = Activity()
    assert _progress(activity) is None
    activity.begin(0, 0)
    assert _progress(activity) == Progress(0, 0, "the folder is being listed")
    activity.begin(3, 30)
    activity.finished(Change.ADDED, 10)
    assert _progress(activity) == Progress(1, 3)
    activity.end()
    assert _progress(activity) is None


def test_the_command_that_rebuilds_can_be_pasted_whatever_the_names() -> None:
    command = rebuild_command(Path("/my docs/it's"), Path("/an index"))
    assert shlex.split(command) == ["./scripts/local", "/my docs/it's", "--index", "/an index", "--rebuild"]
    assert rebuild_command(None, Path("/index")) == "./scripts/local FOLDER --index /index --rebuild"
