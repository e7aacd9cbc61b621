"""A server that answers as a test tells it to: what S3 and SQS say when something is wrong, which moto cannot.

A test gives each operation (`GET`, `HEAD`, `PUT`, `LIST`, `POST`) its answers in order; the last is repeated.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

LAST_MODIFIED = "Mon, 02 Mar 2026 10:20:30 GMT"
_LISTED_MODIFIED = "2026-03-02T10:20:30.000Z"
ETAG = "9a0364b9e99bb480dd25e1f0284c8555"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. `sent_bytes` less than the body cuts it short; a `silent` one never comes."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    sent_bytes: int | None = None
    silent: bool = False
    announced: bool = True


def error(status: int, code: str, message: str = "no further words") -> Answer:
    """What S3 answers when it refuses."""
    body = f"<Error><Code>{escape(code)}</Code><Message>{escape(message)}</Message></Error>"
    return Answer(status, body.encode(), {"Content-Type": "application/xml"})


def queue_error(status: int, code: str, message: str = "no further words") -> Answer:
    """What SQS answers when it refuses."""
    return Answer(status, json.dumps({"__type": f"com.amazonaws.sqs#{code}", "message": message}).encode())


def content(
    data: bytes, *, sent_bytes: int | None = None, announced: bool = True, amazon: Mapping[str, str] | None = None
) -> Answer:
    """An object, as GET gives it; `amazon` has headers without their `x-amz-`."""
    return Answer(
        body=data,
        headers={"ETag": f'"{ETAG}"', "Last-Modified": LAST_MODIFIED}
        | {f"x-amz-{name}": value for name, value in (amazon or {}).items()},
        sent_bytes=sent_bytes,
        announced=announced,
    )


def listing(*keys: str, storage_class: str = "STANDARD", restore_status: str = "", more: str = "") -> Answer:
    """A listing of these keys; `more` is the token of the next page."""
    items = "".join(
        f"<Contents><Key>{escape(key)}</Key><LastModified>{_LISTED_MODIFIED}</LastModified>"
        f"<ETag>&quot;{ETAG}&quot;</ETag><Size>5</Size><StorageClass>{storage_class}</StorageClass>"
        f"{restore_status}</Contents>"
        for key in keys
    )
    following = f"<NextContinuationToken>{more}</NextContinuationToken>" if more else ""
    truncated = f"<IsTruncated>{'true' if more else 'false'}</IsTruncated>"
    return Answer(body=f"<ListBucketResult>{truncated}{following}{items}</ListBucketResult>".encode())


class Script:
    """The answers of each operation, and the requests in order: `asked` has their operations, `bodies` their bodies."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._lock = threading.Lock()
        self.ended = threading.Event()
        self.reset()

    def reset(self) -> None:
        """Forget everything, and end the answers that never come."""
        self.ended.set()
        self.ended = threading.Event()
        self.asked: list[str] = []
        self.bodies: list[bytes] = []
        self.sent = 0
        self._answers: dict[str, list[Answer]] = {}

    def on(self, operation: str, *answers: Answer) -> None:
        """Give `operation` its answers from now on."""
        self._answers[operation] = list(answers)

    def next(self, operation: str, body: bytes) -> Answer:
        """The answer to one request."""
        with self._lock:
            self.asked.append(operation)
            self.bodies.append(body)
            answers = self._answers[operation]
            return answers.pop(0) if len(answers) > 1 else answers[0]


@contextmanager
def scripted_s3() -> Iterator[Script]:
    """A server of S3 and SQS at an address of this machine, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is inherited
            """Say nothing."""

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            listed = "list-type" in parse_qs(urlsplit(self.path).query)
            answer = script.next("LIST" if listed else self.command, body)
            if answer.silent:
                script.ended.wait()
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.announced:
                self.send_header("Content-Length", str(len(answer.body)))
            else:
                self.send_header("Connection", "close")
            self.end_headers()
            if self.command == "HEAD":
                return
            self.close_connection = answer.sent_bytes is not None or not answer.announced
            self._write(answer.body[: answer.sent_bytes])

        def _write(self, data: bytes) -> None:
            try:
                for start in range(0, len(data), 1 << 16):
                    script.sent += self.wfile.write(data[start : start + (1 << 16)])
            except ConnectionError:
                self.close_connection = True

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _answer  # noqa: N815  the names that are called

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    script = Script(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        script.reset()
        server.shutdown()
        server.server_close()
        thread.join()
