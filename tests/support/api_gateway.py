"""An HTTP API of API Gateway in front of a function, on this machine: its events, its limits and its own answers.

One that begins before the function does, whose settings name its address, is given a function that looks it up:
`api_gateway(lambda event: runtime(event))`.
"""

from __future__ import annotations

import json
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager

from tests.support.api_gateway_answers import answer_of
from tests.support.api_gateway_events import Version, event_of
from tests.support.api_gateway_server import WireAnswer, WireRequest, http_front, own_answer

MAX_PAYLOAD_BYTES = 6 << 20
SECONDS = 30.0

Handle = Callable[[object], object]


@contextmanager
def api_gateway(
    handle: Handle,
    *,
    version: Version = "2.0",
    rename_challenge: bool = True,
    seconds: float = SECONDS,
    at_once: int = 1,
) -> Iterator[str]:
    """The address of a new front, as `http://127.0.0.1:PORT`, which ends with the block.

    `handle` gets events of the payload `version` and gives the function's answer, or raises; a `LambdaRuntime` is one.
    `rename_challenge`: `WWW-Authenticate` goes out as `x-amzn-remapped-www-authenticate`. `seconds` is the time an
    answer may take; what it began is not ended. `at_once` is how many events `handle` gets before it has answered.
    """
    function = _Function(handle, seconds, at_once)

    def respond(request: WireRequest) -> WireAnswer:
        return _respond(request, function, version, rename_challenge=rename_challenge)

    with http_front(respond) as url:
        yield url


class _TooSlowError(Exception):
    """The function has no answer in the time that the gateway gives it."""


class _Function:
    """Events for the function, one thread each, as many of them at once as it has instances."""

    def __init__(self, handle: Handle, seconds: float, at_once: int) -> None:
        self._handle, self._seconds = handle, seconds
        self._instances = threading.Semaphore(at_once)

    def __call__(self, event: object) -> object:
        """The function's answer.

        Raises:
            _TooSlowError: there is none in time.
            Exception: what the function raised.
        """
        outcome: Future[object] = Future()
        threading.Thread(target=self._run, args=(event, outcome), daemon=True).start()
        if not wait([outcome], self._seconds).done:
            outcome.cancel()  # an event that still waits for its turn never reaches the function
            raise _TooSlowError
        return outcome.result()

    def _run(self, event: object, outcome: Future[object]) -> None:
        with self._instances:
            if not outcome.set_running_or_notify_cancel():
                return
            try:
                answer = self._handle(event)
            except Exception as error:  # noqa: BLE001  any error is the invocation's outcome, as in Lambda
                outcome.set_exception(error)
            else:
                outcome.set_result(answer)


def _respond(request: WireRequest, function: Handle, version: Version, *, rename_challenge: bool) -> WireAnswer:
    event = json.dumps(event_of(request, version))
    if len(event) > MAX_PAYLOAD_BYTES:
        return own_answer(413, "Request Entity Too Large")
    try:
        result = json.dumps(function(json.loads(event)))
        if len(result) > MAX_PAYLOAD_BYTES:
            return own_answer(500, "Internal Server Error")
        return answer_of(json.loads(result), version, rename_challenge=rename_challenge)
    except _TooSlowError:
        return own_answer(503, "Service Unavailable")
    except Exception:  # noqa: BLE001  whatever the function raised or gave, the client gets this answer
        traceback.print_exc()
    return own_answer(500, "Internal Server Error")
