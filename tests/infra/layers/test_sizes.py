"""Functions are held against what Lambda takes."""

from __future__ import annotations

import pytest

from infra.layers.errors import LayersTooLargeError
from infra.layers.sizes import MEBIBYTE, FunctionSize, check_sizes


def of(unzipped: int) -> FunctionSize:
    return FunctionSize("search", unzipped, 0, 0)


def test_a_function_over_the_limit_of_lambda_is_refused() -> None:
    assert check_sizes([of(100)]) == []
    with pytest.raises(
        LayersTooLargeError, match=r"search would have 250\.1 MiB with its layers, and Lambda takes 250\.0"
    ):
        check_sizes([of(100), of(250 * MEBIBYTE + MEBIBYTE // 10)])


def test_a_function_near_the_limit_is_warned_of() -> None:
    assert check_sizes([of(235 * MEBIBYTE)]) == []
    (warning,) = check_sizes([of(235 * MEBIBYTE + 1), of(1)])
    assert warning == "The function search has 235.0 MiB with its layers; Lambda takes 250.0."
    assert len(check_sizes([of(250 * MEBIBYTE)])) == 1
