"""The recipe of the dependencies."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.layers.errors import LayerError
from infra.layers.places import FUNCTIONS, RECIPE
from infra.layers.recipe import Recipe

PACK = "[pack]\nat_least_bytes = 1\n[functions]\n"


def test_every_function_is_in_the_recipe() -> None:
    assert Recipe.read(RECIPE).functions.keys() == {path.parent.name for path in FUNCTIONS.glob("*/handler.py")}


def test_every_rule_has_a_name_of_its_own() -> None:
    names = [rule.name for rule in Recipe.read(RECIPE).remove]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("remove = [", "is not TOML"),
        (f'[[remove]]\nname = "a"\npaths = ["b"]\n{PACK}', r"remove\.0\.reason: Field required"),
        (f'[[remove]]\nname = "a"\nreason = "b"\npath = ["b"]\n{PACK}', r"remove\.0\.path: Extra inputs"),
        ("remove = []\n[pack]\nat_least_bytes = 0\n[functions]\n", r"pack\.at_least_bytes: .* greater than 0"),
    ],
)
def test_what_is_wrong_with_a_recipe_is_told_in_a_sentence(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(LayerError, match=said):
        Recipe.read(path)


def test_a_recipe_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(LayerError, match="cannot be read"):
        Recipe.read(tmp_path / "recipe.toml")
