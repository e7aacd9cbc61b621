"""Cutting a stream into batches that are bounded in number and in weight."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def batches(items: Iterable[T], weight: Callable[[T], int], *, most: int, heaviest: int) -> Iterator[list[T]]:
    """The items in order, at most `most` in a batch and `heaviest` in weight; a heavier one is a batch by itself."""
    batch: list[T] = []
    total = 0
    for item in items:
        if batch and (len(batch) >= most or total + weight(item) > heaviest):
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += weight(item)
    if batch:
        yield batch
