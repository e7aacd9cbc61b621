"""Progress on a terminal and elsewhere."""

from __future__ import annotations

import io
import threading

import pytest
from rich.console import Console

from docshelf.cloud import progress
from docshelf.cloud.progress import Step, shown_steps
from docshelf.cloud.tally import Outcome, Tally


@pytest.mark.parametrize("terminal", [True, False])
def test_the_latest_step_is_shown_while_the_block_runs(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PLAIN_SECONDS", 0.01)
    monkeypatch.setattr(progress, "BAR_SECONDS", 0.01)
    out, looks = io.StringIO(), threading.Semaphore(0)
    steps = iter([Step(), Step(3, 4_000, "[b] 1.5 MB sent"), Step(4, 4_000)])

    def look() -> Step:
        looks.release()
        return next(steps, Step(4, 4_000))

    with shown_steps("Uploading", look, Console(file=out, force_terminal=terminal, width=100)):
        for _ in range(4):
            assert looks.acquire(timeout=30)
    if terminal:
        assert "Uploading" in out.getvalue()
        assert "4/4000" in out.getvalue()
    else:
        lines = out.getvalue().splitlines()
        assert lines[0] == "Uploading: 3 of 4,000, [b] 1.5 MB sent"
        assert set(lines[1:]) == {"Uploading: 4 of 4,000"}


def test_a_tally_counts_what_is_done_in_a_row_and_since_when() -> None:
    times = iter([10.0, 12.5])
    tally = Tally(lambda: next(times))
    tally.total = 4
    tally.failed("a", "A reason.")
    tally.failed("b", "A reason.")
    assert tally.failures_in_a_row == 2
    tally.finished(Outcome.NEW)
    tally.sent(2_500_000)
    assert tally.failures_in_a_row == 0
    assert tally.step() == Step(3, 4, "2.5 MB sent")
    assert tally.seconds == 2.5
