"""What every test shares: no network, the packaged model loaded once, and no test skipped without a reason."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from docshelf.embedding.embedder import Embedder
from docshelf.embedding.model_files import ResolvedModel, resolve_model
from tests.support.cloud import Cloud, new_cloud
from tests.support.moto_server import CREDENTIALS, moto_server
from tests.support.scripted_s3 import Script, scripted_s3

# Before any test module is imported, and for the processes that tests start.
os.environ["DOCSHELF_OFFLINE"] = "1"

# No test finds the account of whoever runs it, whatever it asks: not by variables, files or the machine's own role.
for _variable in [name for name in os.environ if name.startswith("AWS_")]:
    del os.environ[_variable]
_NOWHERE = str(Path(__file__).with_name("no-such-file"))
os.environ |= {
    "AWS_CONFIG_FILE": _NOWHERE,
    "AWS_SHARED_CREDENTIALS_FILE": _NOWHERE,
    "AWS_EC2_METADATA_DISABLED": "true",
}

# A shell gives its background jobs a SIGINT that is ignored, and so to every process that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

_LONGEST = ("tests/integration/test_chaos.py", "tests/quality/", "tests/infra/layers/")
"""What takes minutes: begun last, it would run on beside idle processes."""

# What pytest gives where a test gives nothing.
_NO_REASONS = ("", "Skipped", "unconditional skip")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files; the others keep their order."""
    items.sort(key=lambda item: not item.nodeid.startswith(_LONGEST))


@pytest.fixture(scope="session")
def packaged_model() -> ResolvedModel:
    """The model that is installed with docshelf."""
    return resolve_model("all-minilm-l6-v2")


@pytest.fixture(scope="session")
def embedder(packaged_model: ResolvedModel) -> Iterator[Embedder]:
    """The packaged model, loaded; shared by all tests, so never close it."""
    with Embedder(packaged_model, threads=2) as loaded:
        yield loaded


@pytest.fixture(scope="session")
def moto_url() -> Iterator[str]:
    """The address of a server that speaks S3 and SQS; shared by all tests, so give buckets and queues new names."""
    with moto_server() as url:
        yield url


@pytest.fixture
def cloud(moto_url: str, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    """New buckets and queues; the environment of the test names them, and leads to their server."""
    made = new_cloud(moto_url)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture(scope="session")
def scripted_server() -> Iterator[Script]:
    """The server of `scripted`: one address for all tests, so that they share the clients of it."""
    with scripted_s3() as script:
        yield script


@pytest.fixture
def scripted(scripted_server: Script, monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    """A server that answers as the test tells it to; the environment of the test leads to it, with short waiting."""
    variables = {**CREDENTIALS, "AWS_ENDPOINT_URL": scripted_server.url, "DOCSHELF_REQUEST_SECONDS": "1"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    yield scripted_server
    scripted_server.reset()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--clients`: also the coding clients, which are large."""
    parser.addoption("--clients", action="store_true", help="install and run Claude Code and Codex (800 MB)")


def _demand_a_reason(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip that gives no reason into a failure."""
    if report.outcome != "skipped" or not isinstance(report.longrepr, tuple) or hasattr(report, "wasxfail"):
        return
    reason = str(report.longrepr[2]).removeprefix("Skipped:").strip()
    if reason in _NO_REASONS:
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} is skipped without a reason: say why"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test may be skipped only for a stated reason."""
    report = yield
    _demand_a_reason(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module may be skipped only for a stated reason."""
    report = yield
    _demand_a_reason(report)
    return report
