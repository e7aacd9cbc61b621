"""The app makes what it is asked for, or says in a sentence what is wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.support.assembly import Assembly
from tests.support.synthesis import run_app
from tests.support.template import Template
from tests.support.tiny_layers import tiny_layers


def refusal(output: Path, context: Mapping[str, str | Path]) -> str:
    done = run_app(output, context)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr.strip()


def environment_file(directory: Path, content: str = "") -> Path:
    directory.mkdir()
    (directory / "here.toml").write_text(f'region = "eu-central-1"\n{content}', "utf-8")
    return directory


def test_the_environment_that_is_named_is_made_alone_for_the_account_at_hand(tmp_path: Path) -> None:
    environments = environment_file(tmp_path / "environments", 'architecture = "x86_64"\n')
    (environments / "broken.toml").touch()
    layers = tiny_layers(tmp_path / "layers", "x86_64")
    context: dict[str, str | Path] = {"environments": environments, "environment": "here", "layers": layers}
    done = run_app(tmp_path / "out", context, CDK_DEFAULT_ACCOUNT="210987654321")
    assert done.returncode == 0, done.stderr
    artifacts = json.loads((tmp_path / "out" / "manifest.json").read_bytes())["artifacts"]
    stacks = {name: one["environment"] for name, one in artifacts.items() if one["type"] == "aws:cloudformation:stack"}
    assert stacks == {"docshelf-here": "aws://210987654321/eu-central-1"}
    template = Template.read(tmp_path / "out", "docshelf-here")
    for function in template.ids("AWS::Lambda::Function", "Functions"):
        assert template.properties(function)["Architectures"] == ["x86_64"]


def test_an_environment_without_a_file_is_refused(assembly: Assembly, tmp_path: Path) -> None:
    said = refusal(tmp_path / "out", {"environment": "nowhere", "layers": assembly.layers})
    assert said.startswith("There is no environment 'nowhere'")
    assert said.endswith("There are: dev, prod.")


def test_a_directory_without_environments_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    said = refusal(tmp_path / "out", {"environments": tmp_path / "empty"})
    assert said == f"There is no environment in {tmp_path / 'empty'}: write a file NAME.toml."


def test_a_wrong_setting_is_named(tmp_path: Path) -> None:
    environments = environment_file(tmp_path / "environments", "[search]\nmemory_mb = 64\n")
    said = refusal(tmp_path / "out", {"environments": environments})
    assert said == "here.toml: search.memory_mb must be greater than or equal to 128; it is 64."


def test_layers_that_were_not_built_are_refused_with_the_command(tmp_path: Path) -> None:
    said = refusal(tmp_path / "out", {"environment": "dev", "layers": tmp_path / "arm64"})
    assert said.startswith(f"There are no layers in {tmp_path / 'arm64'}")
    assert "scripts/build_layers --arch arm64" in said


def test_layers_of_another_architecture_are_refused_with_the_command(assembly: Assembly, tmp_path: Path) -> None:
    environments = environment_file(tmp_path / "environments", 'architecture = "x86_64"\n')
    said = refusal(tmp_path / "out", {"environments": environments, "layers": assembly.layers})
    assert "are for arm64" in said
    assert "scripts/build_layers --arch x86_64 --model bge-small-en-v1.5 to build them." in said


def test_a_model_that_was_not_built_is_refused_with_the_command(tmp_path: Path) -> None:
    layers = tiny_layers(tmp_path / "arm64", models=["all-minilm-l6-v2"])
    said = refusal(tmp_path / "out", {"environment": "dev", "layers": layers})
    assert "scripts/build_layers --arch arm64 --model bge-small-en-v1.5" in said


def test_access_that_does_not_fit_into_the_variables_is_refused(assembly: Assembly, tmp_path: Path) -> None:
    groups = "".join(f'group-{number} = ["a-collection-with-a-long-name"]\n' for number in range(120))
    environments = environment_file(tmp_path / "environments", f"[access]\n{groups}")
    said = refusal(tmp_path / "out", {"environments": environments, "layers": assembly.layers})
    assert said.startswith("The variables of the function search are ")
    assert "shorten the setting behind DOCSHELF_ACCESS" in said
