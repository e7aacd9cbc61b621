"""The functions run from their layers alone: from an upload to an answer over MCP, and to nothing after the deletion.

Each is in a process of its own under AWS's runtime client, with what it would find in Lambda: see
`tests/support/layered_function.py`.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.browser import Browser
from tests.support.chaos_lanes import messages_in, wait_until_idle
from tests.support.cloud import Cloud
from tests.support.commands import EXAMPLES
from tests.support.event_source import EventSource, Habits
from tests.support.lambda_runtime import LambdaRuntime
from tests.support.layered_function import NAMES, Deployed
from tests.support.native_origin import from_elsewhere, own_places
from tests.support.oauth_client import OAuthClient
from tests.support.process_family import family, native_files
from tests.support.sdk_search import found
from tests.support.signin_endpoint import ANNA, SigninEndpoint, signin_endpoint

SECONDS = 120
QUESTIONS = {
    "finance/annual-report-2025.pdf": "Which bank provided the loan?",
    "people/leave-policy.docx": "How many days of leave are there?",
    "delivery/release-guide.md": "How is a release rolled back?",
}
LEFT_OUT = {
    "ingest": ("pdfium", "cryptography"),
    "commit": ("onnxruntime", "tokenizers", "pdfium", "cryptography"),
    "search": ("pdfium", "selectolax"),
    "signin": ("lancedb", "onnxruntime", "tokenizers", "numpy", "arrow", "pydantic"),
}
"""What the process of a function has no use for."""


@pytest.fixture
def writers(functions: Deployed, cloud: Cloud, tmp_path: Path) -> Iterator[dict[str, LambdaRuntime]]:
    """Ingest and commit; what they wrote is shown where a test fails."""
    logs = {name: tmp_path / f"{name}.log" for name in ("ingest", "commit")}
    with ExitStack() as ends:
        yield {
            name: ends.enter_context(
                LambdaRuntime(name, cloud.environment, log, seconds=SECONDS, home=functions.home(name))
            )
            for name, log in logs.items()
        }
    for name, log in logs.items():
        print(f"{name}: {log.read_text()}")


@pytest.fixture
def readers(functions: Deployed, cloud: Cloud, tmp_path: Path) -> Iterator[SigninEndpoint]:
    """Search and sign-in behind one front, before a pool of people."""
    index = {name: value for name, value in cloud.environment.items() if name.startswith("AWS_")}
    index |= {"DOCSHELF_INDEX": cloud.index, "DOCSHELF_MODEL": str(functions.opt("search") / "model")}
    with signin_endpoint(tmp_path, index=index, home_of=functions.home) as made:
        yield made
    for name in ("search", "signin"):
        print(f"{name}: {(tmp_path / f'{name}.log').read_text()}")


def settle(cloud: Cloud, writers: dict[str, LambdaRuntime]) -> None:
    """Let the queues drive the functions until nothing is left."""
    urls = {"ingest": cloud.ingest_queue_url, "commit": cloud.commit_queue_url}
    with ExitStack() as ends:
        sources = [
            ends.enter_context(EventSource(cloud.sqs, url, [writers[name]], random.Random(0), Habits()))
            for name, url in urls.items()
        ]
        places = {name: (lambda url=url: messages_in(cloud.sqs, url)) for name, url in urls.items()}
        wait_until_idle("at the end", places, sources, SECONDS)
        assert [source.errors for source in sources] == [[], []]


def send_events(cloud: Cloud) -> None:
    """Have the bucket tell the ingest queue about every change."""
    arn = cloud.sqs.get_queue_attributes(QueueUrl=cloud.ingest_queue_url, AttributeNames=["QueueArn"])["Attributes"]
    cloud.s3.put_bucket_notification_configuration(
        Bucket=cloud.bucket,
        NotificationConfiguration={
            "QueueConfigurations": [
                {"QueueArn": arn["QueueArn"], "Events": ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"]}
            ]
        },
    )


def test_the_places_of_a_function_cannot_be_written_to(functions: Deployed) -> None:
    program = "import pathlib, sys; pathlib.Path(sys.argv[1], 'new').write_bytes(b'')"
    for place in functions.read_only:
        refused = subprocess.run(
            functions.confined(str(functions.python), "-I", "-c", program, str(place)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert "PermissionError" in refused.stderr
        assert not (place / "new").exists()
    allowed = functions.confined(str(functions.python), "-I", "-c", program, str(functions.temporary("search")))
    subprocess.run(allowed, check=True)


def test_documents_are_found_by_who_signed_in_and_not_after_they_were_deleted(
    functions: Deployed, cloud: Cloud, writers: dict[str, LambdaRuntime], readers: SigninEndpoint
) -> None:
    send_events(cloud)
    for key in QUESTIONS:
        cloud.put(key, (EXAMPLES / key).read_bytes())
    settle(cloud, writers)
    browser = Browser()
    token = OAuthClient.registered(readers.origin).sign_in(browser, ANNA)["access_token"]
    browser.close()
    for key, question in QUESTIONS.items():
        assert key in found(readers.url, token, question)
    for key in QUESTIONS:
        cloud.remove(key)
    settle(cloud, writers)
    for key, question in QUESTIONS.items():
        assert key not in found(readers.url, token, question)
    for name in NAMES:
        process = writers.get(name) or readers.functions[name]
        assert isinstance(process, LambdaRuntime)
        check_native_files(functions, name, process.pid)
    (parser,) = family(writers["ingest"].pid)[1:]
    assert any("pdfium" in file.name for file in native_files(parser))
    assert from_elsewhere(functions, "ingest", native_files(parser)) == set()


def check_native_files(functions: Deployed, name: str, pid: int) -> None:
    """What a function has loaded comes from its own places, and is no more than it needs."""
    files = native_files(pid)
    assert from_elsewhere(functions, name, files) == set()
    for place in own_places(functions, name):
        assert any(file.is_relative_to(place) for file in files), f"nothing from {place}"
    names = [str(file.relative_to(functions.root)) for file in files if file.is_relative_to(functions.root)]
    assert [file for file in names if any(part in file for part in LEFT_OUT[name])] == []
