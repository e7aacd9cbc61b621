"""`scripts/build_layers`: build the layers of the functions and say how large they are."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from docshelf.embedding.profiles import DEFAULT_PROFILE
from infra.layers.places import ARCHITECTURES, OUTPUT, PYTHON, RECIPE, model_layer

_DESCRIPTION = (
    "Build the layers of the functions (dependencies, docshelf, model), print their sizes, and fail where a function "
    "would be larger than Lambda takes. What has not changed is not built again."
)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="scripts/build_layers", description=_DESCRIPTION)
    made.add_argument(
        "--arch", choices=ARCHITECTURES, default="arm64", help="the functions' processor (default: arm64)"
    )
    made.add_argument(
        "--model",
        metavar="NAME",
        help=f"the model to put into its layer, one that docshelf knows (default: {DEFAULT_PROFILE.name})",
    )
    made.add_argument(
        "--model-dir",
        type=Path,
        metavar="DIR",
        help="take the model from this directory: with --model its pinned files, alone a model of your own",
    )
    made.add_argument("--python", default=PYTHON, metavar="VERSION", help=f"the functions' Python (default: {PYTHON})")
    made.add_argument(
        "--output",
        type=Path,
        default=OUTPUT,
        metavar="DIR",
        help="where the directory of each processor is made (default: .docshelf/layers)",
    )
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    given = parser().parse_args(arguments)
    # Imports that --help need not wait for, here and below.
    from infra.command_line import run

    return run(lambda: _build(given))


def _build(given: argparse.Namespace) -> int:
    from rich.console import Console

    from infra.command_line import say
    from infra.layers.builder import LayerBuilder
    from infra.layers.models import wanted_model
    from infra.layers.recipe import Recipe
    from infra.layers.sizes import check_sizes, function_sizes, print_sizes

    model = wanted_model(given.model, given.model_dir)
    builder = LayerBuilder(given.output.resolve() / given.arch, given.arch, given.python, say)
    built = builder.build(model)
    name = model_layer(model.name)
    assert name is not None  # the builder has refused others
    sizes = function_sizes(built, Recipe.read(RECIPE).functions, name)
    print_sizes(built, sizes, name, Console(soft_wrap=True))
    for warning in check_sizes(sizes):
        say(f"Warning: {warning}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
