"""An account on this machine, as a deployment finds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import boto3
import pytest

from infra.settings import Environment
from tests.support.moto_server import CREDENTIALS, moto_server
from tests.support.stacks_server import Stacks, stacks_server

MakeEnvironment = Callable[..., Environment]
REGION = "eu-central-1"


@pytest.fixture(scope="module")
def own_moto_url() -> Iterator[str]:
    """A server for these tests alone: what an account holds once, such as CDK's bootstrap, is there or not."""
    with moto_server() as url:
        yield url


@pytest.fixture
def stacks() -> Iterator[Stacks]:
    """The account's stacks."""
    with stacks_server() as made:
        yield made


@pytest.fixture
def account(own_moto_url: str, stacks: Stacks, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], object]:
    """The environment of the test leads to the account; gives clients of it, for a test to put things there."""
    variables = CREDENTIALS | {"AWS_ENDPOINT_URL": own_moto_url, "AWS_ENDPOINT_URL_CLOUDFORMATION": stacks.url}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    def client(service: str) -> object:
        return boto3.client(service, region_name=REGION)  # type: ignore[call-overload]  # the service is any

    return client


@pytest.fixture
def make_environment() -> MakeEnvironment:
    """Makes environments, with settings as they are written in Python."""

    def make(**settings: object) -> Environment:
        return Environment.model_validate({"name": "try", "region": REGION, "retain_data": False, **settings})

    return make
