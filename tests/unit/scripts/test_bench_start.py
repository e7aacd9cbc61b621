"""The bench of a start, with one process."""

from __future__ import annotations

import sys

import pytest

from scripts.bench.start import child


@pytest.mark.skipif(sys.platform != "linux", reason="the bench reads the memory of its processes from /proc")
def test_each_step_of_a_start_is_measured() -> None:
    steps = child("all-minilm-l6-v2", {})
    assert list(steps) == ["imports", "the model", "200 queries embedded"]
    cpu, now, most = (list(column) for column in zip(*steps.values(), strict=True))
    assert all(milliseconds > 0 for milliseconds in cpu)
    assert most == sorted(most)
    assert all(20 < megabytes <= at_most for megabytes, at_most in zip(now, most, strict=True))
