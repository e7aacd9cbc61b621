"""How large everything is, against what Lambda takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from infra.layers.built import BuiltLayers
from infra.layers.errors import LayersTooLargeError
from infra.layers.manifest import Layer
from infra.layers.places import DEPENDENCIES, DOCSHELF, FUNCTIONS
from infra.layers.recipe import Function

MEBIBYTE = 1_048_576
MOST_BYTES = 250 * MEBIBYTE
"""What Lambda takes, a function with its layers, unzipped."""

WARNED_BYTES = 235 * MEBIBYTE


@dataclass(frozen=True, slots=True)
class FunctionSize:
    """A function with its layers. Sizes are in bytes; `zipped` is without the function's own few."""

    name: str
    unzipped: int
    zipped: int
    unpacked: int


def function_sizes(built: BuiltLayers, functions: Mapping[str, Function], model: str) -> list[FunctionSize]:
    """The size of each function with the layer `model`, in the order of their names."""
    return [_size(built, name, function, model) for name, function in sorted(functions.items())]


def check_sizes(sizes: list[FunctionSize]) -> list[str]:
    """Warnings about functions that are close to the limit.

    Raises:
        LayersTooLargeError: a function is over it.
    """
    for size in sizes:
        if size.unzipped > MOST_BYTES:
            raise LayersTooLargeError(
                f"The function {size.name} would have {_mib(size.unzipped)} MiB with its layers, and Lambda takes "
                f"{_mib(MOST_BYTES)}: take a smaller model, or leave more out by layers/dependencies/recipe.toml."
            )
    return [
        f"The function {size.name} has {_mib(size.unzipped)} MiB with its layers; Lambda takes {_mib(MOST_BYTES)}."
        for size in sizes
        if size.unzipped > WARNED_BYTES
    ]


def print_sizes(built: BuiltLayers, sizes: list[FunctionSize], model: str, console: Console) -> None:
    """Print one table of the layers, one of the functions, and the largest packages."""
    layers = Table("layer", "unzipped MiB", "zipped MiB", title=f"Layers for {built.architecture}, {built.python}")
    for name in (DEPENDENCIES, DOCSHELF, model):
        layers.add_row(name, _mib(built.layer(name).unzipped), _mib(built.layer(name).zipped))
    table = Table("function", "unzipped MiB", "zipped MiB", "MiB in /tmp", title="Functions with their layers")
    for size in sizes:
        table.add_row(size.name, *map(_mib, (size.unzipped, size.zipped, size.unpacked)))
    largest = Table("package", "MiB", title="The largest packages of the dependencies, packed and with bytecode")
    for name, size_of_package in built.layer(DEPENDENCIES).largest.items():
        largest.add_row(name, _mib(size_of_package))
    for each in (layers, table, largest):
        for column in each.columns[1:]:
            column.justify = "right"
        console.print(each)


def _size(built: BuiltLayers, name: str, function: Function, model: str) -> FunctionSize:
    layers: list[Layer] = [built.layer(each) for each in (DEPENDENCIES, DOCSHELF, *([model] if function.model else []))]
    own = sum(path.stat().st_size for path in (FUNCTIONS / name).rglob("*.py"))
    return FunctionSize(
        name,
        own + sum(layer.unzipped for layer in layers),
        sum(layer.zipped for layer in layers),
        built.layer(DEPENDENCIES).unpacked[name],
    )


def _mib(count: int) -> str:
    return f"{count / MEBIBYTE:.1f}"
