"""Sign-in, and browsers for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.support.browser import Browser
from tests.support.signin_endpoint import SigninEndpoint, signin_endpoint
from tests.support.site import Site, new_site

NewBrowser = Callable[[], Browser]


@pytest.fixture(scope="session")
def running_signin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SigninEndpoint]:
    """One instance of the sign-in function for all tests; nothing answers at `/mcp`."""
    with signin_endpoint(tmp_path_factory.mktemp("signin"), trust_local_documents="1") as made:
        yield made


@pytest.fixture
def signin(running_signin: SigninEndpoint) -> Iterator[SigninEndpoint]:
    """The sign-in, which may not break down in the test."""
    running_signin.reset()
    written = running_signin.log.stat().st_size
    yield running_signin
    print(running_signin.log.read_bytes()[written:].decode())
    assert [one for one in running_signin.exchanges if one.status == 500] == []
    running_signin.reset()


@pytest.fixture
def new_browser() -> Iterator[NewBrowser]:
    """Makes browsers of different people, or of one person's computers."""
    with ExitStack() as ends:

        def make() -> Browser:
            made = Browser()
            ends.callback(made.close)
            return made

        yield make


@pytest.fixture
def browser(new_browser: NewBrowser) -> Browser:
    """A new browser."""
    return new_browser()


@pytest.fixture
def site() -> Iterator[Site]:
    """A web site of somebody else's."""
    with new_site() as made:
        yield made
