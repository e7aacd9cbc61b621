"""Which requests of the handlers fail, and where handlers are killed: seeded, in the shares that the tests want."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.support.fault_proxy import Fault
from tests.support.http_wire import HttpMessage, request_line

_FAULT_SHARE = 0.05
_FAULTS = {
    Fault.SLOW_DOWN: 35,
    Fault.ERROR: 20,
    Fault.LOST_ANSWER: 20,
    Fault.ERROR_AFTER: 20,
    Fault.STALL: 5,
}
_KILL_SHARE = 0.003
# Between these steps a crash leaves something half done.
_KILL_SHARES = {
    "chunk commit": 0.1,
    "document commit": 0.1,
    "prepared file": 0.06,
    "message": 0.06,
    "prepared file removed": 0.08,
    "pointer": 0.04,
}


def point_of(request: HttpMessage) -> str:
    """The step of the pipeline that a request belongs to."""
    if "sqs" in request.headers.get("x-amz-target", "").lower():
        return "message"
    method, path, query = request_line(request)
    if method == "PUT" and "/_versions/" in path:
        return "document commit" if "/documents.lance/" in path else "chunk commit"
    if "/prepared/" in path and method == "PUT":
        return "prepared file"
    if method == "DELETE" or (method == "POST" and "delete" in query):
        return "prepared file removed"
    if path.endswith("/current.json") and method == "PUT":
        return "pointer"
    return "other"


@dataclass
class Tally:
    """What was done to the handlers so far; any thread may add."""

    faults: Counter[str] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)
    requests: int = 0


@dataclass
class Weather:
    """Shared by all plans of a run: bad until `calm` is set."""

    tally: Tally = field(default_factory=Tally)
    calm: threading.Event = field(default_factory=threading.Event)


class ChaosPlan:
    """The faults of one handler's requests to one service; `kill` ends that handler."""

    def __init__(self, weather: Weather, rng: random.Random, kill: Callable[[], None], lane: str) -> None:
        """`lane` names the handler in the tally."""
        self._weather, self._rng, self._lane = weather, rng, lane
        self.kill = kill

    def decide(self, request: HttpMessage) -> Fault:
        """Mostly nothing; a kill where the request's point is a likely one, else a fault."""
        tally = self._weather.tally
        tally.requests += 1
        if self._weather.calm.is_set():
            return Fault.NONE
        point = point_of(request)
        if self._rng.random() < _KILL_SHARES.get(point, _KILL_SHARE):
            fault = self._rng.choice((Fault.KILL_BEFORE, Fault.KILL_AFTER))
            tally.kills[f"{self._lane}: {fault} {point}"] += 1
            return fault
        if self._rng.random() < _FAULT_SHARE:
            (fault,) = self._rng.choices(list(_FAULTS), list(_FAULTS.values()))
            tally.faults[fault] += 1
            return fault
        return Fault.NONE
