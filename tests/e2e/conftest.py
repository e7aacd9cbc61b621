"""The search function, and the clients that ask it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.commands import EXAMPLES
from tests.support.node_clients import InstallError, NodeClients, installed_clients
from tests.support.search_endpoint import SearchEndpoint, search_endpoint

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
