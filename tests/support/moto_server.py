"""moto's S3 and SQS as a process of its own, at an address of this machine.

Three things are mended that S3 and SQS do otherwise. moto looks whether a conditional PUT may write and then writes,
without a lock between the two, so that two writers may both win: PUTs take turns here. A message that is deleted takes
others with it that come at the same moment, or brings deleted ones back: these take turns too. And a key may hold line
breaks.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_REGION": "us-east-1",
    "AWS_DEFAULT_REGION": "us-east-1",
}
_END_SECONDS = 10


@contextmanager
def moto_server() -> Iterator[str]:
    """The address of a new, empty server, as `http://127.0.0.1:PORT`; it ends with the block, or with this process."""
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **CREDENTIALS},
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        # The line comes when the port is open: the system queues requests from then on.
        address = process.stdout.readline().strip()
        if not address:
            raise RuntimeError("moto's server did not start")
        try:
            yield address
        finally:
            process.stdin.close()
            try:
                process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def _serve() -> None:
    from moto import backends
    from moto.moto_server.utilities import RegexConverter
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from moto.s3 import responses
    from moto.sqs.models import Queue
    from werkzeug.serving import make_server

    lock = threading.RLock()
    put_object = responses.S3Response.put_object

    build_converter = RegexConverter.__init__

    def converter_with_line_breaks(self: RegexConverter, url_map: object, *items: str) -> None:
        build_converter(self, url_map, *items)
        self.regex = f"(?s:{self.regex})"

    def put_in_turn(self: responses.S3Response) -> object:
        with lock:
            return put_object(self)

    delete_message = Queue.delete_message

    def delete_in_turn(self: Queue, receipt_handle: str) -> None:
        with self._messages_lock:  # the one under which a message is added
            delete_message(self, receipt_handle)

    # It reads a directory for every request.
    services = tuple(backends.list_of_moto_modules())
    backends.list_of_moto_modules = lambda: services
    Queue.delete_message = delete_in_turn  # type: ignore[method-assign]
    responses.S3Response.put_object = put_in_turn  # type: ignore[assignment,method-assign]
    RegexConverter.__init__ = converter_with_line_breaks  # type: ignore[method-assign]
    server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    # The pipe closes when the parent ends, in whatever way.
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    _serve()
