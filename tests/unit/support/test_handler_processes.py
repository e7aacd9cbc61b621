"""Handlers run in processes of their own that answer, raise, are killed and are measured by their time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.handler_processes import HandlerEndedError, HandlerFailedError, HandlerServer

TOY = """
import os, time
MADE_FOR = os.environ["TOY"]
print("started for", MADE_FOR, flush=True)
def handler(event, context):
    if event == "raise":
        raise ValueError("as asked")
    if event == "wait":
        time.sleep(60)
    return [event, MADE_FOR, os.getpid(), context.function_name, context.get_remaining_time_in_millis()]
"""


@pytest.fixture(scope="module")
def server() -> Iterator[HandlerServer]:
    with HandlerServer() as server:
        yield server


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    path = tmp_path / "toy" / "handler.py"
    path.parent.mkdir()
    path.write_text(TOY)
    return path


def test_each_process_has_its_own_environment_and_answers_many_events(
    server: HandlerServer, toy: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    processes = [server.start(toy, {"TOY": name}, log) for name in ("one", "two")]
    for name, process in zip(("one", "two"), processes, strict=True):
        for event in ({"a": "\u00fc"}, [1, 2]):
            answer = process.invoke("id", 20, event)
            assert isinstance(answer, list)
            assert answer[:4] == [event, name, process.pid, "toy"]
            assert 0 < answer[4] <= 20_000
        process.close()
    assert sorted(log.read_text().splitlines()) == ["started for one", "started for two"]


def test_an_error_is_told_and_the_process_goes_on(server: HandlerServer, toy: Path, tmp_path: Path) -> None:
    process = server.start(toy, {"TOY": "x"}, tmp_path / "log")
    with pytest.raises(HandlerFailedError, match="ValueError: as asked"):
        process.invoke("id", 20, "raise")
    assert process.invoke("id", 20, 1)
    process.close()


def test_a_killed_process_is_told_and_the_next_one_works(server: HandlerServer, toy: Path, tmp_path: Path) -> None:
    process = server.start(toy, {"TOY": "x"}, tmp_path / "log")
    process.invoke("id", 20, 1)
    killer = threading.Timer(0.1, process.kill)
    killer.start()
    with pytest.raises(HandlerEndedError):
        process.invoke("id", 20, "wait")
    killer.join()
    process.kill()
    process.close()
    other = server.start(toy, {"TOY": "y"}, tmp_path / "log")
    assert other.invoke("id", 20, 1)
    other.close()


def test_a_process_that_takes_too_long_is_ended(server: HandlerServer, toy: Path, tmp_path: Path) -> None:
    process = server.start(toy, {"TOY": "x"}, tmp_path / "log")
    with pytest.raises(HandlerEndedError, match=r"no answer within 0\.2 s"):
        process.invoke("id", 0.2, "wait")
    process.close()


def test_a_handler_that_cannot_be_imported_says_why_in_its_log(
    server: HandlerServer, toy: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    process = server.start(toy, {}, log)
    with pytest.raises(HandlerEndedError):
        process.invoke("id", 20, 1)
    process.close()
    assert "KeyError: 'TOY'" in log.read_text()
