"""The two functions that clients ask, and the clients."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from docshelf.signin.client_documents import ClientDocuments
from docshelf.signin.function import SigninFunction
from docshelf.signin.settings import SigninSettings
from tests.support.chromium import Chromium, chromium
from tests.support.chromium_files import installed_chromium
from tests.support.chromium_tab import Tab, new_tab
from tests.support.client_visits import Visit
from tests.support.coding_clients import installed_coding_clients
from tests.support.commands import EXAMPLES
from tests.support.layered_function import ARCHITECTURE, Deployed, deployed
from tests.support.node_clients import InstallError, NodeClients, installed_clients
from tests.support.person import browser_program
from tests.support.published_documents import published_documents
from tests.support.search_endpoint import SearchEndpoint, indexed, search_endpoint
from tests.support.signin_endpoint import ANNA, signin_endpoint
from tests.support.signin_recorder import Recorder, handling

KEYS = ("access/credentials.md", "delivery/release-guide.md", "finance/annual-report-2025.pdf")
ACCESS = {"everything": ["*"], "delivery": ["delivery"]}
SECONDS = 15.0
"""The longest that one request may take, on a machine that does other things too."""


@pytest.fixture(scope="session")
def node() -> NodeClients:
    """The clients from npm; a test fails with a sentence where they cannot be had."""
    try:
        return installed_clients()
    except InstallError as error:
        sentence = str(error)
    pytest.fail(sentence, pytrace=False)


@pytest.fixture(scope="session")
def chromium_browser(node: NodeClients, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """A real browser; a test fails with a sentence where it cannot be had."""
    try:
        with chromium(installed_chromium(node), tmp_path_factory.mktemp("chromium")) as started:
            yield started
            return
    except InstallError as error:
        sentence = str(error)
    pytest.fail(sentence, pytrace=False)


@pytest.fixture
def tab(chromium_browser: Chromium) -> Iterator[Tab]:
    """A new window of the browser, on a desktop, that remembers nothing of the others."""
    with new_tab(chromium_browser) as opened:
        opened.look(1280, 800)
        yield opened


@pytest.fixture(scope="module")
def running_endpoint(moto_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchEndpoint]:
    """One instance of the function for the tests of a module, over three of the examples."""
    documents = {key: (EXAMPLES / key).read_bytes() for key in KEYS}
    log = tmp_path_factory.mktemp("search") / "search.log"
    with search_endpoint(moto_url, documents, ACCESS, log) as made:
        yield made


@pytest.fixture
def endpoint(running_endpoint: SearchEndpoint) -> Iterator[SearchEndpoint]:
    """The endpoint, whose `exchanges` are those of this test. None of them may fail it or hold the function."""
    running_endpoint.exchanges.clear()
    written = running_endpoint.log.stat().st_size
    yield running_endpoint
    print(running_endpoint.log.read_bytes()[written:].decode())
    assert [one for one in running_endpoint.exchanges if one.status >= 500 or one.seconds > SECONDS] == []


@pytest.fixture(scope="module")
def running_signin(moto_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorder]:
    """One server for the clients of this module."""
    index = indexed(moto_url, {key: (EXAMPLES / key).read_bytes() for key in KEYS})
    with signin_endpoint(tmp_path_factory.mktemp("signin"), index=index, rotation=True) as endpoint:
        yield Recorder(endpoint)


@pytest.fixture
def recorder(running_signin: Recorder) -> Recorder:
    """The server, of which this test is the first to ask anything."""
    running_signin.cut()
    return running_signin


@pytest.fixture
def visit(node: NodeClients, recorder: Recorder, tmp_path: Path) -> Visit:
    """A client's stay, with Anna at its browser."""
    browser_program(tmp_path, ANNA)
    return Visit(node, tmp_path, recorder.endpoint.url)


@pytest.fixture(scope="module")
def published(running_signin: Recorder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SigninFunction]:
    """The function, for which the documents of clients are on the internet."""
    with published_documents(tmp_path_factory.mktemp("documents")) as fetch:
        settings = SigninSettings.from_environment(running_signin.endpoint.variables)
        yield SigninFunction(settings, published=ClientDocuments(fetch=fetch))


@pytest.fixture
def documents(published: SigninFunction, recorder: Recorder) -> Iterator[None]:
    """Client ID metadata documents can be fetched."""
    with recorder.answered_by("signin", handling(published)):
        yield


@pytest.fixture(scope="session")
def coding_clients(request: pytest.FixtureRequest) -> NodeClients:
    """Claude Code and Codex, which only a run with `--clients` installs."""
    if not request.config.getoption("--clients"):
        pytest.skip("Claude Code and Codex are 800 MB: ./scripts/test --clients installs and runs them")
    try:
        return installed_coding_clients()
    except InstallError as error:
        sentence = str(error)
    pytest.fail(sentence, pytrace=False)


@pytest.fixture(scope="session")
def functions() -> Iterator[Deployed]:
    """All functions as they are deployed; the tests leave their places as they are, and afterwards nothing is left."""
    if sys.platform != "linux" or ARCHITECTURE is None:
        pytest.skip("the layers hold libraries for Linux on x86-64 or 64-bit ARM, which this machine cannot run")
    with tempfile.TemporaryDirectory(prefix="docshelf-deployed-") as directory, deployed(Path(directory)) as made:
        before = made.contents()
        yield made
        assert made.contents() == before


@pytest.fixture
def coding_visit(coding_clients: NodeClients, documents: None, visit: Visit) -> Visit:
    """The stay of one of these two."""
    return replace(visit, node=coding_clients)
