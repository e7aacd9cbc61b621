"""`scripts/smoke` against the functions themselves, over a local S3, SQS, front and user pool."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from infra.deployment.smoke.command import SECRET_VARIABLE
from infra.deployment.smoke.front_door import FrontDoor
from tests.support.api_gateway import api_gateway
from tests.support.commands import ROOT
from tests.support.fake_cognito import Fault
from tests.support.running_environment import EVERYTHING, Access, RunningEnvironment, running_environment
from tests.support.signin_endpoint import MACHINE_CLIENT, MACHINE_SECRET

STEPS = [
    "environment", "health", "challenge", "refusal", "metadata", "token", "tools", "upload", "found", "delete", "gone",
]  # fmt: skip
FOLDER = "docshelf-smoke/"
SETTINGS = 'region = "us-east-1"\n'


@dataclass(frozen=True)
class Smoke:
    """The command, over `running`."""

    running: RunningEnvironment
    directory: Path
    access: Access | None = None

    def start(self, *more: str, **variables: str) -> subprocess.Popen[str]:
        """Begin it; `more` comes behind the options that lead to the environment."""
        table = "".join(f'"{group}" = {json.dumps(names)}\n' for group, names in (self.access or {}).items())
        (self.directory / "try.toml").write_text(SETTINGS + (f"[access]\n{table}" if table else ""), "utf-8")
        endpoint = self.running.endpoint
        command = [
            *("try", "--environments", str(self.directory), "--url", endpoint.url, "--bucket", self.bucket),
            *("--pool-url", endpoint.cognito.url, "--client-id", MACHINE_CLIENT, "--wait", "60", "--pause", "0.1"),
        ]
        kept = {"PYTHONPATH": str(ROOT / "layers"), "PYTHONWARNINGS": "error", SECRET_VARIABLE: MACHINE_SECRET}
        return subprocess.Popen(
            [sys.executable, "-P", str(ROOT / "scripts" / "smoke.py"), *command, *more],
            env=os.environ | self.running.cloud.environment | kept | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *more: str, **variables: str) -> tuple[int, dict[str, Any]]:
        """Its status and its report."""
        with self.start("--json", *more, **variables) as process:
            output, errors = process.communicate(timeout=120)
        print(errors)
        return process.returncode, json.loads(output)

    @property
    def bucket(self) -> str:
        return self.running.cloud.bucket

    def markers(self) -> list[str]:
        """What runs have left in the bucket."""
        listed = self.running.cloud.s3.list_objects_v2(Bucket=self.bucket, Prefix=FOLDER)
        return [item["Key"] for item in listed.get("Contents", [])]


def outcomes(report: dict[str, Any]) -> dict[str, str]:
    return {step["name"]: step["outcome"] for step in report["steps"]}


def said(report: dict[str, Any], name: str) -> str:
    text = next(step["said"] for step in report["steps"] if step["name"] == name)
    assert isinstance(text, str)
    return text


@pytest.fixture(scope="module")
def running(moto_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEnvironment]:
    with running_environment(moto_url, tmp_path_factory.mktemp("environment"), EVERYTHING) as made:
        yield made


@pytest.fixture
def smoke(running: RunningEnvironment, tmp_path: Path) -> Smoke:
    running.endpoint.reset()
    return Smoke(running, tmp_path)


def test_an_environment_that_works_passes_every_step_and_is_left_as_it_was(smoke: Smoke) -> None:
    smoke.running.cloud.put("handbook/leave.md", "# Leave\n\nThirty days a year.\n")
    status, report = smoke.run()
    assert outcomes(report) == dict.fromkeys(STEPS, "ok")
    assert (status, report["well"], report["environment"]) == (0, True, "try")
    assert said(report, "found").startswith(FOLDER)
    assert "| lines 1-3 |" in said(report, "found")
    assert all(step["seconds"] >= 0 for step in report["steps"])
    assert smoke.markers() == []


def test_a_person_reads_a_line_a_step_and_a_verdict(smoke: Smoke) -> None:
    with smoke.start() as process:
        output, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    lines = [line for line in output.splitlines() if line.startswith("  ok ")]
    assert [line.split()[1] for line in lines] == STEPS
    assert output.endswith("docshelf-try works.\n")
    assert MACHINE_SECRET not in output


def test_a_marker_that_is_never_indexed_fails_and_is_taken_away(smoke: Smoke) -> None:
    with smoke.running.paused():
        status, report = smoke.run("--wait", "0.5")
    found = outcomes(report)
    assert (status, report["well"]) == (1, False)
    assert (found["found"], found["delete"], found["gone"]) == ("failed", "ok", "skipped")
    assert "list_documents says" in said(report, "found")
    assert smoke.markers() == []


def test_a_deletion_that_does_not_reach_the_index_fails(smoke: Smoke) -> None:
    with smoke.running.telling_of("s3:ObjectCreated:*"):
        status, report = smoke.run("--wait", "10")
    found = outcomes(report)
    assert (status, found["found"], found["delete"], found["gone"]) == (1, "ok", "ok", "failed")
    assert "search still has it" in said(report, "gone")
    assert "clean-up" not in found


def test_a_secret_that_the_pool_refuses_ends_before_anything_is_uploaded(smoke: Smoke) -> None:
    status, report = smoke.run(**{SECRET_VARIABLE: "another"})
    found = outcomes(report)
    assert (status, found["metadata"], found["token"]) == (1, "ok", "failed")
    assert "invalid_client" in said(report, "token")
    assert {found[name] for name in ("tools", "upload", "found", "delete", "gone")} == {"skipped"}
    assert MACHINE_SECRET not in json.dumps(report)


def test_a_pool_that_is_broken_is_said_to_be(smoke: Smoke) -> None:
    smoke.running.endpoint.cognito.fault = Fault.PAGE_INSTEAD
    assert "gives the machine client" in said(smoke.run()[1], "token")


def test_a_token_that_the_endpoint_refuses_ends_before_anything_is_uploaded(smoke: Smoke) -> None:
    with smoke.running.searching(DOCSHELF_CLIENT_IDS="another"):
        status, report = smoke.run()
    found = outcomes(report)
    assert (status, found["token"], found["tools"], found["upload"]) == (1, "ok", "failed", "skipped")


def test_where_machines_may_not_see_the_marker_the_index_is_asked(smoke: Smoke) -> None:
    hidden = {"*": ["general"]}
    closed = Smoke(smoke.running, smoke.directory, hidden)
    with smoke.running.searching(DOCSHELF_ACCESS=json.dumps(hidden)):
        status, report = closed.run("--index", smoke.running.cloud.index)
        assert "no index was named" in said(closed.run("--wait", "0.2")[1], "found")
    assert (status, outcomes(report)) == (0, dict.fromkeys(STEPS, "ok"))
    assert "rightly hides it" in said(report, "found")


def test_a_marker_that_access_should_hide_and_search_shows_fails(smoke: Smoke) -> None:
    closed = Smoke(smoke.running, smoke.directory, {"*": ["general"]})
    status, report = closed.run("--index", smoke.running.cloud.index)
    assert (status, outcomes(report)["found"]) == (1, "failed")
    assert "for which access does not open" in said(report, "found")


def test_ctrl_c_takes_the_marker_away(smoke: Smoke) -> None:
    with smoke.running.paused(), smoke.start() as process:
        assert process.stdout is not None
        while "upload" not in (line := process.stdout.readline()):
            assert line, "the command ended by itself"
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (130, "")
    assert "clean-up" in output
    assert smoke.markers() == []


def test_options_that_belong_together_are_asked_for_together(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", str(ROOT / "scripts" / "smoke.py"), "dev", "--bucket", "documents"],
        env=os.environ | {"PYTHONPATH": str(ROOT / "layers")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "--url, --bucket, --pool-url, --client-id are given together" in done.stderr


def _without_challenge(handle: Callable[[object], object]) -> Callable[[object], object]:
    def answer(event: object) -> object:
        given = handle(event)
        assert isinstance(given, dict)
        given["headers"] = {
            name: value for name, value in given["headers"].items() if name.lower() != "www-authenticate"
        }
        return given

    return answer


def test_the_header_of_the_refusal_is_reported_as_it_arrives(running: RunningEnvironment) -> None:
    endpoint = running.endpoint
    renamed = FrontDoor(endpoint.origin, endpoint.url).challenge()
    assert "arrives as x-amzn-remapped-www-authenticate, naming the metadata: " in renamed
    with (
        api_gateway(endpoint, rename_challenge=False) as kept,
        api_gateway(_without_challenge(endpoint)) as absent,
    ):
        said_of_kept = FrontDoor(endpoint.origin, f"{kept.replace('127.0.0.1', 'localhost')}/mcp").challenge()
        said_of_absent = FrontDoor(endpoint.origin, f"{absent.replace('127.0.0.1', 'localhost')}/mcp").challenge()
    assert said_of_kept == "401, and WWW-Authenticate arrives, naming the metadata"
    assert said_of_absent.startswith("401 without WWW-Authenticate under any name: ")
