"""What a person sees of indexing."""

from __future__ import annotations

import io
import threading
from dataclasses import replace

import pytest
from rich.console import Console

from docshelf.index.records import DocumentRecord
from docshelf.local import report
from docshelf.local.activity import Activity, Change, Snapshot
from docshelf.local.report import (
    DownloadReport,
    change_line,
    counted,
    duration,
    passed_over,
    progress_line,
    shown_key,
    shown_progress,
    shown_text,
    state_lines,
    summary_lines,
)
from docshelf.states import State
from tests.unit.index.made_up import make

COUNTS = Snapshot(
    True, 2_000, 500, 1_000, 250, 1_200, 60.0, {Change.UNCHANGED: 5, Change.ADDED: 3, Change.REMOVED: 1_000}
)


def documents(*states: State) -> list[DocumentRecord]:
    """A document in each state, named after it."""
    return [
        make(f"{place}.pdf", state=state, reason=None if state is State.INDEXED else f"It is {state}.").record
        for place, state in enumerate(states)
    ]


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 documents"), (1, "1 document"), (2, "2 documents"), (2_796, "2,796 documents")]
)
def test_numbers_have_their_nouns(number: int, text: str) -> None:
    assert counted(number, "document") == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (48.4, "48 s"),
        (89.4, "89 s"),
        (90, "2 min"),
        (700, "12 min"),
        (3_599, "1 h 00 min"),
        (3_900, "1 h 05 min"),
    ],
)
def test_times_are_short(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_progress_is_one_line_with_rate_and_time_left() -> None:
    line = progress_line(COUNTS)
    assert line == "500 of 2,000 documents, 1,200 chunks embedded (20 a second), about 3 min left"
    assert progress_line(replace(COUNTS, bytes_done=0)).endswith("(20 a second)")


def test_changes_are_named_in_a_fixed_order() -> None:
    assert change_line(COUNTS) == "3 added, 1,000 removed, 5 unchanged"
    assert change_line(replace(COUNTS, changes={})) == "nothing to do"


def test_the_summary_tells_states_and_each_file_that_is_not_searchable() -> None:
    found = documents(State.INDEXED, State.EMPTY, State.INDEXED, State.TOO_LARGE)
    lines = list(summary_lines(COUNTS, found, ["locked/: it cannot be read."]))
    assert lines == [
        "Done in 60 s: 3 added, 1,000 removed, 5 unchanged. 1,200 chunks embedded.",
        "",
        "state        documents",
        "indexed              2",
        "empty                1",
        "too large            1",
        "",
        "empty      1.pdf: It is empty.",
        "too large  3.pdf: It is too large.",
        "",
        "locked/: it cannot be read.",
    ]


def test_a_summary_without_problems_is_only_the_counts() -> None:
    assert list(state_lines(documents(State.INDEXED))) == ["state        documents", "indexed              1"]
    assert list(state_lines([])) == ["state        documents"]


def test_a_file_that_waits_has_a_word_instead_of_a_reason() -> None:
    waiting = [replace(one, reason=None) for one in documents(State.QUEUED)]
    assert list(state_lines(waiting))[-1] == "queued  0.pdf: waiting"


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("a/b c.md", "a/b c.md"),
        ("退货.md", "退货.md"),
        ("a\nb", "a\\nb"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\u202eb", "a\\u202eb"),
    ],
)
def test_a_key_cannot_write_on_the_terminal(key: str, shown: str) -> None:
    assert shown_key(key) == shown


class Screen(io.StringIO):
    """A terminal or a pipe that tells when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        if "of 4" in self.getvalue() or "4/4" in self.getvalue() or "1/4" in self.getvalue():
            self.written.set()
        return written


@pytest.mark.parametrize("terminal", [False, True])
def test_progress_is_shown_while_the_block_runs(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "PLAIN_SECONDS", 0.01)
    monkeypatch.setattr(report, "BAR_SECONDS", 0.01)
    screen, activity = Screen(), Activity()
    activity.begin(4, 400)
    activity.finished(Change.ADDED, 100)
    activity.embedded(7)
    with shown_progress(activity, Console(file=screen, force_terminal=terminal, width=120)):
        assert screen.written.wait(10)
    text = screen.getvalue()
    assert "7 chunks embedded" in text
    assert ("1/4" in text) if terminal else ("Indexing: 1 of 4 documents, 7 chunks embedded" in text)
    assert ("\x1b" in text) is terminal


def test_nothing_is_shown_while_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "PLAIN_SECONDS", 0.001)
    screen, activity = Screen(), Activity()
    with shown_progress(activity, Console(file=screen)):
        assert not screen.written.wait(0.05)
    assert screen.getvalue() == ""


def test_the_display_ends_with_the_block_even_when_it_fails() -> None:
    with pytest.raises(ValueError, match="broken"), shown_progress(Activity(), Console(file=Screen())):
        raise ValueError("broken")
    assert "docshelf-progress" not in [thread.name for thread in threading.enumerate()]


def test_a_download_is_told_at_every_tenth() -> None:
    screen = Screen()
    shown = DownloadReport(Console(file=screen))
    for done in range(0, 50_000_001, 100_000):
        shown(done, 50_000_000)
    lines = screen.getvalue().splitlines()
    assert len(lines) == 11
    assert lines[0] == "Fetching the model: 0 of 50 MB"
    assert lines[-1] == "Fetching the model: 50 of 50 MB"


def bar_threads() -> list[threading.Thread]:
    """Threads that draw a bar and do not end."""
    found = [thread for thread in threading.enumerate() if "Refresh" in type(thread).__name__]
    for thread in found:
        thread.join(2)
    return [thread for thread in found if thread.is_alive()]


def test_a_download_is_a_bar_on_a_terminal_and_can_follow_another() -> None:
    screen = Screen()
    with DownloadReport(Console(file=screen, force_terminal=True, width=100)) as shown:
        for total in (1_000, 2_000):
            for done in range(0, total + 1, 500):
                shown(done, total)
            assert bar_threads() == []
    assert "Fetching the model" in screen.getvalue()


def test_the_bar_of_a_download_that_fails_goes_away() -> None:
    screen = Screen()
    with DownloadReport(Console(file=screen, force_terminal=True, width=100)) as shown:
        shown(500, 1_000)
    assert bar_threads() == []


def test_what_was_not_looked_at_is_named_in_sentences_of_bounded_length() -> None:
    assert passed_over([], [], []) == []
    unreadable, ignored, outside = passed_over([("a/", "It cannot be read.")], [".git/"], [f"l{n}" for n in range(30)])
    assert unreadable == "a/: It cannot be read. Its documents are kept as they were."
    assert ignored == "Passed over, as they belong to tools: .git/."
    assert outside.startswith("Not followed, as these links lead out of the folder: l0, l1, ")
    assert outside.endswith("l19 and 10 more.")


def test_text_for_a_terminal_cannot_command_it() -> None:
    text = "a\tb\nc \x1b]0;title\x07 \x9b2J \u202egnp.exe 👩\u200d💻 é\r"
    assert shown_text(text) == "a\tb\nc \\x1b]0;title\\x07 \\x9b2J \\u202egnp.exe 👩\u200d💻 é\\r"
