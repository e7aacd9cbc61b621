"""The templates of every environment, synthesized once by the real command line of the CDK."""

from __future__ import annotations

import os

import pytest

from infra.settings import Environment
from tests.support.assembly import NAMES, Assembly
from tests.support.template import Template


@pytest.fixture(scope="session")
def assembly(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """The assembly; where tests run in several processes, they share it."""
    base = tmp_path_factory.getbasetemp()
    return Assembly.at((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "assembly")


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    """Each environment in turn."""
    return str(request.param)


@pytest.fixture
def template(assembly: Assembly, name: str) -> Template:
    """The template of each environment in turn."""
    return assembly.template(name)


@pytest.fixture
def environment(assembly: Assembly, name: str) -> Environment:
    """The settings of each environment in turn."""
    return assembly.environment(name)
