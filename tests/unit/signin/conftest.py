"""What the tests of the sign-in share."""

from __future__ import annotations

import pytest

from tests.unit.signin.begun import Begun


@pytest.fixture
def begun() -> Begun:
    """A sign-in that a test goes through, from its beginning."""
    return Begun()
