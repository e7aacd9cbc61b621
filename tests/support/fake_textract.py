"""A server that speaks as Amazon Textract does of jobs that detect text, in the shapes of its service model.

Jobs stay under way until a test ends them. What is asked and answered is held against botocore's model of the service.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import botocore.session
from botocore.model import ListShape, Shape, StringShape, StructureShape

_START, _GET = "StartDocumentTextDetection", "GetDocumentTextDetection"


@dataclass(slots=True)
class Job:
    """A job, as a test sees and ends it; `request` is what it was begun with."""

    id: str
    request: Mapping[str, Any]
    status: str = "IN_PROGRESS"
    message: str | None = None
    pages: int = 0
    blocks: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[dict[str, Any]] = field(default_factory=list)

    @property
    def key(self) -> str:
        """The object that it is about."""
        return str(self.request["DocumentLocation"]["S3Object"]["Name"])

    def succeed(self, *pages: Sequence[str], confidence: float = 99.0, status: str = "SUCCEEDED") -> None:
        """End with these lines on each page, one below the other."""
        self.status, self.pages = status, len(pages)
        self.blocks = [block for page, lines in enumerate(pages, 1) for block in _page(page, lines, confidence)]

    def fail(self, message: str = "INTERNAL_ERROR") -> None:
        """End without a text."""
        self.status, self.message = "FAILED", message

    def notification(self) -> str:
        """What is published when it has ended."""
        place = self.request["DocumentLocation"]["S3Object"]
        location = {"S3ObjectName": place["Name"], "S3Bucket": place["Bucket"]}
        told = {"JobId": self.id, "Status": self.status, "API": _START, "JobTag": self.request["JobTag"]}
        return json.dumps({**told, "Timestamp": 1_780_000_000_000, "DocumentLocation": location})


class FakeTextract:
    """Its jobs in the order of their beginnings, and the operations that were asked for."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.jobs: list[Job] = []
        self.asked: list[str] = []
        self.largest_part = 1_000
        self.before_an_answer: Callable[[], None] = lambda: None
        self.bent: Callable[[dict[str, Any]], dict[str, Any]] = lambda answer: answer
        """What becomes of a true answer about a job; the model of the service need not allow it."""
        self._refusals: dict[str, list[tuple[int, str, str]]] = {_START: [], _GET: []}
        self._by_token: dict[str, Job] = {}
        self._lock = threading.Lock()

    def refuse(self, operation: str, code: str, message: str = "no further words", times: int = 1_000) -> None:
        """Answer so many requests for `operation`, `Start` or `Get`, with an error."""
        status = 500 if code == "InternalServerError" else 400
        self._refusals[f"{operation}DocumentTextDetection"] = [(status, code, message)] * times

    def accept(self) -> None:
        """Refuse nothing more."""
        for refusals in self._refusals.values():
            refusals.clear()

    def forget(self, job: Job) -> None:
        """Keep the job's answer no longer."""
        self.jobs[self.jobs.index(job)].id += "-expired"

    def answer(self, operation: str, request: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and body for one request."""
        with self._lock:
            self.asked.append(operation)
            _check(_model(operation, "input"), request)
            if self._refusals[operation]:
                status, code, message = self._refusals[operation].pop()
                return status, {"__type": code, "message": message}
            found = self._start(request) if operation == _START else self._get(request)
            if found is None:
                return 400, {"__type": "InvalidJobIdException", "message": "An invalid job identifier was passed"}
            _check(_model(operation, "output"), found)
            return 200, self.bent(found) if operation == _GET else found

    def _start(self, request: Mapping[str, Any]) -> dict[str, Any]:
        token = request["ClientRequestToken"]
        if token not in self._by_token:
            self._by_token[token] = Job(f"job-{len(self.jobs) + 1}", request)
            self.jobs.append(self._by_token[token])
        return {"JobId": self._by_token[token].id}

    def _get(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        self.before_an_answer()
        job = next((one for one in self.jobs if one.id == request["JobId"]), None)
        if job is None:
            return None
        answer: dict[str, Any] = {"JobStatus": job.status, "DetectDocumentTextModelVersion": "1.0"}
        if job.message:
            answer["StatusMessage"] = job.message
        if job.status in ("IN_PROGRESS", "FAILED"):
            return answer
        start, most = int(request.get("NextToken", "0")), min(request["MaxResults"], self.largest_part)
        answer |= {"DocumentMetadata": {"Pages": job.pages}, "Blocks": job.blocks[start : start + most]}
        if start + most < len(job.blocks):
            answer["NextToken"] = str(start + most)
        return {**answer, "Warnings": job.warnings} if job.warnings else answer


@contextmanager
def fake_textract() -> Iterator[FakeTextract]:
    """The server, at an address of this machine, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is inherited
            """Say nothing."""

        def do_POST(self) -> None:
            service, _, operation = self.headers["X-Amz-Target"].partition(".")
            assert service == "Textract"
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, body = made.answer(operation, request)
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/x-amz-json-1.1")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = FakeTextract(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def line(
    text: str, page: int, *, left: float, top: float, width: float = 0.4, confidence: float = 99.0
) -> dict[str, Any]:
    """A block of a line, with places in shares of the page."""
    box = {"Left": left, "Top": top, "Width": width, "Height": 0.015}
    corners = [(left, top), (left + width, top), (left + width, top + 0.015), (left, top + 0.015)]
    geometry = {"BoundingBox": box, "Polygon": [{"X": x, "Y": y} for x, y in corners]}
    return {
        "BlockType": "LINE",
        "Id": f"line-{page}-{top}-{left}",
        "Text": text,
        "Confidence": confidence,
        "Geometry": geometry,
        "Page": page,
    }


def _page(number: int, lines: Sequence[str], confidence: float) -> Iterator[dict[str, Any]]:
    """A page, its lines and their words, as the service gives them."""
    yield {"BlockType": "PAGE", "Id": f"page-{number}", "Page": number}
    for place, text in enumerate(lines):
        made = line(text, number, left=0.1, top=0.05 + 0.02 * place, confidence=confidence)
        yield made
        for count, word in enumerate(text.split()):
            yield {**made, "BlockType": "WORD", "Text": word, "TextType": "PRINTED", "Id": f"{made['Id']}-{count}"}


def _model(operation: str, side: str) -> Shape:
    service = botocore.session.get_session().get_service_model("textract")
    model = service.operation_model(operation)
    shape = model.input_shape if side == "input" else model.output_shape
    assert shape is not None
    return shape


def _check(shape: Shape, value: Any) -> None:
    """Hold what is sent against the service's model: names, kinds, lengths and patterns."""
    if isinstance(shape, StructureShape):
        assert set(value) <= set(shape.members), (shape.name, set(value) - set(shape.members))
        for name, member in value.items():
            _check(shape.members[name], member)
    elif isinstance(shape, ListShape):
        for member in value:
            _check(shape.member, member)
    elif isinstance(shape, StringShape):
        assert not shape.enum or value in shape.enum, (shape.name, value)
        assert shape.metadata.get("min", 0) <= len(value) <= shape.metadata.get("max", len(value)), shape.name
        pattern = shape.metadata.get("pattern")
        assert pattern is None or re.search(pattern, value), (shape.name, value)
