"""The variables of a function fit into what AWS Lambda takes, or are refused before anything is deployed."""

from __future__ import annotations

import pytest

from infra.errors import InfrastructureError
from infra.function_environment import MOST_BYTES, check_size


def test_too_many_variables_are_refused_with_the_longest_named() -> None:
    fitting = {"DOCSHELF_ACCESS": "x" * (MOST_BYTES - len("DOCSHELF_ACCESS"))}
    check_size("search", fitting)
    with pytest.raises(InfrastructureError, match=r"function search are 4,097 bytes.*behind DOCSHELF_ACCESS"):
        check_size("search", {"DOCSHELF_ACCESS": fitting["DOCSHELF_ACCESS"] + "x"})


def test_names_that_are_not_known_yet_count_with_the_most_that_they_may_be() -> None:
    unknown = "${Token[TOKEN.42]}"
    check_size("signin", {"A": unknown * 20})
    with pytest.raises(InfrastructureError, match="behind A"):
        check_size("signin", {"A": unknown * 21})
