"""Ctrl-C that is not lost: an exception that a signal raises in the middle of foreign code may end there unseen."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Self


class Interruption:
    """Within the block Ctrl-C is remembered as well as raised; `pause` raises it again where it was swallowed."""

    def __init__(self) -> None:
        self._came = threading.Event()
        self._is_main = threading.current_thread() is threading.main_thread()

    def pause(self, seconds: float) -> None:
        """Sleep.

        Raises:
            KeyboardInterrupt: Ctrl-C came, now or earlier in the block.
        """
        if self._came.is_set():
            raise KeyboardInterrupt
        time.sleep(seconds)

    def __enter__(self) -> Self:
        if self._is_main:  # signals are for the main thread only
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_main:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came.set()
        raise KeyboardInterrupt
