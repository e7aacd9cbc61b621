"""What every test shares: no network, the packaged model loaded once, and no test skipped without a reason."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator

import pytest

from docshelf.embedding.embedder import Embedder
from docshelf.embedding.model_files import ResolvedModel, resolve_model

# Before any test module is imported, and for the processes that tests start.
os.environ["DOCSHELF_OFFLINE"] = "1"

# A shell gives its background jobs a SIGINT that is ignored, and so to every process that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# What pytest gives where a test gives nothing.
_NO_REASONS = ("", "Skipped", "unconditional skip")


@pytest.fixture(scope="session")
def packaged_model() -> ResolvedModel:
    """The model that is installed with docshelf."""
    return resolve_model("all-minilm-l6-v2")


@pytest.fixture(scope="session")
def embedder(packaged_model: ResolvedModel) -> Iterator[Embedder]:
    """The packaged model, loaded; shared by all tests, so never close it."""
    with Embedder(packaged_model, threads=2) as loaded:
        yield loaded


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
