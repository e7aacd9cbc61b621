"""Every environment synthesized in one run of the CDK, for all tests of the templates together."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from filelock import FileLock

from infra.settings import DIRECTORY, Environment, environment_names, read_environment
from tests.support.commands import ROOT
from tests.support.synthesis import synthesize
from tests.support.template import Template
from tests.support.tiny_layers import tiny_layers

FURTHER = ROOT / "tests" / "infra" / "environments"
"""Environments for tests alone, besides those that the repository comes with."""

NAMES = sorted([*environment_names(), *environment_names(FURTHER)])


@dataclass(frozen=True, slots=True)
class Assembly:
    """What one run of `cdk synth` wrote, what it was given, and what it said."""

    directory: Path
    environments: Path
    layers: Path
    status: int
    said: str

    @classmethod
    def at(cls, place: Path) -> Assembly:
        """The assembly in the directory `place`; the first process that asks for it makes it for the others."""
        with FileLock(f"{place}.lock"):
            if not (place / _RECORD).exists():
                _make(place)
        record = json.loads((place / _RECORD).read_text("utf-8"))
        return cls(place / "out", place / "environments", place / "layers", record["status"], record["said"])

    def template(self, name: str) -> Template:
        """The template of an environment."""
        return _template(self.directory, name)

    def environment(self, name: str) -> Environment:
        """The settings of an environment."""
        return read_environment(name, self.environments)


_RECORD = "done.json"


@cache
def _template(directory: Path, name: str) -> Template:
    return Template.read(directory, f"docshelf-{name}")


def _make(place: Path) -> None:
    environments = place / "environments"
    environments.mkdir(parents=True)
    for file in [*DIRECTORY.glob("*.toml"), *FURTHER.glob("*.toml")]:
        shutil.copy(file, environments)
    layers = tiny_layers(place / "layers")
    done = synthesize(place / "out", {"environments": environments, "layers": layers})
    record = {"status": done.returncode, "said": done.stdout + done.stderr}
    (place / _RECORD).write_text(json.dumps(record), "utf-8")
