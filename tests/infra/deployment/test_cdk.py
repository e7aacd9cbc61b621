"""CDK's command line is installed as its lock file says, and said to be missing where that cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from infra.deployment.cdk import APP, Cdk, CdkError, installed_cdk
from infra.deployment.layers import BuildError, build_layers
from infra.deployment.node import InstallError, node_version
from infra.settings import Environment

NO_REGISTRY = "registry=http://127.0.0.1:9/\nfetch-retries=0\n"


def test_it_has_the_version_of_the_lock_file_and_is_installed_once() -> None:
    record = APP / "node_modules" / ".docshelf-installed"
    wanted = json.loads((APP / "package-lock.json").read_bytes())["packages"]["node_modules/aws-cdk"]["version"]
    assert installed_cdk().version() == wanted
    written = record.stat().st_mtime_ns
    assert installed_cdk().version() == wanted
    assert record.stat().st_mtime_ns == written


def test_without_the_registry_the_sentence_says_what_to_check(tmp_path: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        (tmp_path / name).write_bytes((APP / name).read_bytes())
    (tmp_path / ".npmrc").write_text(NO_REGISTRY + (APP / ".npmrc").read_text("utf-8"), "utf-8")
    with pytest.raises(
        InstallError, match=r"cannot be installed: npm ended with status \d+\. The packages come from the npm registry"
    ):
        installed_cdk(tmp_path)


def test_a_command_line_that_does_not_run_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(CdkError, match=r"does not run: delete .*node_modules and start again"):
        Cdk(program=tmp_path / "nothing.js").version()


def test_node_is_one_that_cdk_runs_on() -> None:
    assert int(node_version().partition(".")[0]) >= 20


def test_layers_are_built_for_the_environment(tmp_path: Path) -> None:
    program, notes = tmp_path / "build.py", tmp_path / "notes"
    program.write_text(
        f"import sys\nopen({str(notes)!r}, 'w').write(' '.join(sys.argv[1:]))\nsys.exit(len(sys.argv) > 5)\n"
    )
    environment = Environment(name="try", region="eu-central-1", architecture="x86_64", model="all-minilm-l6-v2")
    build_layers(environment, program=program)
    assert notes.read_text("utf-8") == "--arch x86_64 --model all-minilm-l6-v2"
    with pytest.raises(BuildError, match="nothing was deployed"):
        build_layers(environment, tmp_path, program)
    assert notes.read_text("utf-8").endswith(f" --model-dir {tmp_path}")
