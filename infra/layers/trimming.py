"""Leaving out what the functions never use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path

from infra.layers.errors import LayerError
from infra.layers.recipe import Removal

# What a licence asks to be passed on with the work.
_LEGAL = re.compile(r"(licen[cs]e|copying|notice|authors|thirdpartynotices)", re.IGNORECASE)


def trim(root: Path, rules: Iterable[Removal]) -> None:
    """Delete what `rules` name from `root`, where wheels were installed, and directories that are empty then.

    Texts of licences stay, unless their whole distribution goes.

    Raises:
        LayerError: a pattern or a distribution matches nothing, so that the rule is not about these versions.
    """
    installed = {_normal(found.name): found for found in distributions(path=[str(root)])}
    for rule in rules:
        for name in rule.distributions:
            _remove_distribution(root, rule, installed.get(_normal(name)))
        kept = {path for pattern in rule.keep for path in _matches(root, rule, pattern)}
        for pattern in rule.paths:
            for path in _matches(root, rule, pattern):
                if path not in kept:
                    _remove(path)
    _remove_empty_directories(root)


def _matches(root: Path, rule: Removal, pattern: str) -> Sequence[Path]:
    found = sorted(root.glob(pattern))
    if not found:
        raise LayerError(
            f"The rule {rule.name!r} of the recipe names {pattern!r}, which matches no file of the dependencies any "
            "more: see what their new versions have in its place, and correct the recipe."
        )
    return found


def _remove(path: Path) -> None:
    if path.is_file():
        if not _LEGAL.match(path.name):
            path.unlink()
    else:
        for child in sorted(path.rglob("*")):
            if child.is_file() and not _LEGAL.match(child.name):
                child.unlink()


def _remove_distribution(root: Path, rule: Removal, distribution: Distribution | None) -> None:
    if distribution is None or not distribution.files:
        raise LayerError(
            f"The rule {rule.name!r} of the recipe leaves out a distribution that is not among the dependencies any "
            f"more ({', '.join(rule.distributions)}): correct the recipe."
        )
    for file in distribution.files:
        path = Path(str(distribution.locate_file(file))).resolve()
        if path.is_relative_to(root.resolve()):
            path.unlink(missing_ok=True)


def _remove_empty_directories(root: Path) -> None:
    for path in sorted(root.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
