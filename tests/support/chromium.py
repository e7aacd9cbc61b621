"""A headless Chromium, driven over the pipe of its DevTools protocol."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.chromium_files import ChromiumFiles
from tests.support.node_clients import InstallError

Message = dict[str, Any]

SECONDS = 30.0
"""The longest that the browser may take for anything, on a machine that does other things too."""

_END = b"\0"
_SHOWN_LINES = 12
_READ = 1 << 16
# The browser takes commands from descriptor 3 and answers to 4.
_START = ("sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null >&2', "sh")
_OPTIONS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",  # it needs rights that containers lack, and every page here is ours
    "--no-first-run",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
)


class BrowserError(Exception):
    """The browser refused a command, ended, or did not do in time what it was to do."""


class Chromium:
    """The connection to a browser: commands, their results, and the events in between.

    `events` are all so far, each with `method`, `params` and, of a tab, `sessionId`.
    """

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._number = 0
        self._read = b""
        self.events: list[Message] = []

    def call(self, method: str, session: str | None = None, **parameters: object) -> Message:
        """The result of a command, in a tab if its session is given.

        Raises:
            BrowserError: the browser refuses it, has ended, or takes too long.
        """
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        text = json.dumps(message | ({"sessionId": session} if session else {})).encode() + _END
        while text:
            text = text[os.write(self._commands, text) :]
        until = time.monotonic() + SECONDS
        while (answer := self._next(until, method)).get("id") != self._number:
            self.events.append(answer)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        result: Message = answer["result"]
        return result

    def wait(self, what: str, done: Callable[[], bool]) -> None:
        """Take in events until it is `done`; `what` says for the error what that is.

        Raises:
            BrowserError: it was not in time.
        """
        until = time.monotonic() + SECONDS
        while not done():
            self.events.append(self._next(until, what))

    def _next(self, until: float, what: str) -> Message:
        while _END not in self._read:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise BrowserError(f"The browser did not do this within {SECONDS:.0f} s: {what}")
            piece = os.read(self._answers, _READ)
            if not piece:
                raise BrowserError(f"The browser ended before it did this: {what}")
            self._read += piece
        text, _, self._read = self._read.partition(_END)
        message: Message = json.loads(text)
        return message


@contextmanager
def chromium(files: ChromiumFiles, home: Path) -> Iterator[Chromium]:
    """A browser with nothing in it; `home` takes its files and its log.

    Raises:
        InstallError: it does not start; the sentence has what it said.
    """
    log = home / "chromium.log"
    program = [str(files.program), *_OPTIONS, f"--user-data-dir={home / 'profile'}"]
    with (
        log.open("wb") as output,
        subprocess.Popen(
            [*_START, *program],
            env={"PATH": os.defpath, **files.environment(home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            bufsize=0,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            browser = Chromium(process.stdin.fileno(), process.stdout.fileno())
            _greet(browser, log)
            yield browser
            browser.call("Browser.close")
            process.wait(SECONDS)
        finally:
            process.kill()


def _greet(browser: Chromium, log: Path) -> None:
    try:
        browser.call("Browser.getVersion")
    except (BrowserError, BrokenPipeError):
        said = "\n".join(log.read_text("utf-8", "replace").strip().splitlines()[:_SHOWN_LINES])
        raise InstallError(f"Chromium for the page tests does not start on this machine:\n{said}") from None
