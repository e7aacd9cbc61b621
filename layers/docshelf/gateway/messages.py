"""A request and its answer, whatever brought the one and takes the other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request.

    `path` is decoded and without a stage; `query` is still encoded and without its question mark. `headers` have names
    in lower case, of repeated ones the values joined with ", " (cookies with "; "). `source_ip` and `request_id` are
    empty where the gateway does not say. Shown are only parts that hold no secret.
    """

    method: str
    path: str
    query: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    source_ip: str
    request_id: str


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """One answer; a header may occur more than once."""

    status: int
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(default=b"", repr=False)

    def values(self, name: str) -> tuple[str, ...]:
        """The values of the header `name`, in any case."""
        return tuple(value for key, value in self.headers if key.lower() == name.lower())


def json_response(status: int, value: object, headers: Iterable[tuple[str, str]] = ()) -> HttpResponse:
    """An answer with `value` as compact JSON in ASCII, and `headers` besides its type."""
    body = json.dumps(value, separators=(",", ":")).encode()
    return HttpResponse(status, (("Content-Type", "application/json"), *headers), body)
