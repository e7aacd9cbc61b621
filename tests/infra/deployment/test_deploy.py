"""`scripts/deploy`: what is checked, what CDK is told to do, and what a person reads."""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from infra.deployment.aws import Account
from infra.deployment.cdk import Cdk, CdkError
from infra.deployment.checks import Preparations
from infra.deployment.deploy import deploy, main, parser
from infra.deployment.next_steps import deployed_lines
from infra.deployment.outputs import Outputs
from infra.deployment.teardown import KeptError
from infra.settings import Environment
from tests.infra.deployment.conftest import REGION, MakeEnvironment
from tests.infra.deployment.test_aws import OUTPUTS
from tests.support.assembly import NAMES, Assembly
from tests.support.stacks_server import Stacks

Client = Callable[[str], Any]
STAND_IN = Path(__file__).with_name("stand_in_cdk.mjs")
ARN = f"arn:aws:acm:{REGION}:123456789012:certificate/0a1b2c3d-0000-4000-8000-00000000000a"


@dataclass
class Run:
    """Runs the command with a stand-in for CDK's; `built` has what layers were asked for."""

    directory: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]
    built: list[tuple[str, str, Path | None]] = field(default_factory=list)

    def __call__(self, environment: Environment, *options: str, outputs: object = None, status: int = 0) -> int:
        told = {environment.stack_name: OUTPUTS} if outputs is None else outputs
        self.monkeypatch.setenv("STAND_IN_NOTES", str(self.directory / "notes"))
        self.monkeypatch.setenv("STAND_IN_OUTPUTS", json.dumps(told))
        self.monkeypatch.setenv("STAND_IN_STATUS", str(status))
        cdk = Cdk(program=STAND_IN, directory=self.directory)
        found = Preparations(environment, Account(environment.region), destroying="--destroy" in options, cdk=cdk)
        given = parser().parse_args([environment.name, "--require-approval", "never", *options])
        return deploy(given, found, self._build)

    def _build(self, environment: Environment, model_dir: Path | None) -> None:
        self.built.append((environment.architecture, environment.model, model_dir))

    def calls(self) -> Sequence[dict[str, Any]]:
        """How CDK was called, but for its version."""
        notes = self.directory / "notes"
        lines = notes.read_text("utf-8").splitlines() if notes.exists() else []
        return [call for call in map(json.loads, lines) if call["command"] != "--version"]

    def said(self) -> str:
        """What was printed since last asked, with each run of white space as one space."""
        return " ".join("".join(self.capsys.readouterr()).split())


@pytest.fixture
def run(account: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    bootstrap(account, "30")
    return Run(tmp_path, monkeypatch, capsys)


def bootstrap(account: Client, version: str) -> None:
    account("ssm").put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Value=version, Type="String", Overwrite=True)


def test_an_environment_is_checked_built_and_deployed_and_the_next_steps_are_said(
    run: Run, make_environment: MakeEnvironment
) -> None:
    assert run(make_environment(architecture="x86_64", model="all-minilm-l6-v2")) == 0
    assert run.built == [("x86_64", "all-minilm-l6-v2", None)]
    (call,) = run.calls()
    assert call["command"] == "deploy"
    assert call["rest"][:5] == ["docshelf-try", "--context", "environment=try", "--require-approval", "never"]
    assert (call["directory"], call["region"], call["telemetry"]) == (str(run.directory), REGION, "true")
    assert (Path(call["node"]) / "node").is_file()
    said = run.said()
    for part in (
        "ok credentials arn:aws:sts::123456789012:", "ok CDK 2.1148.1", "ok bootstrap version 30",
        "MCP URL https://docs.example.com/mcp", "documents s3://documents", "to nobody yet",
        "./scripts/upload FOLDER s3://documents", "admin-create-user", "--user-pool-id eu-central-1_Example",
        "claude mcp add --transport http docshelf https://docs.example.com/mcp", "./scripts/smoke try",
    ):  # fmt: skip
        assert part in said


def test_only_checking_builds_and_deploys_nothing(run: Run, make_environment: MakeEnvironment, stacks: Stacks) -> None:
    stacks.stacks["docshelf-try"] = ("UPDATE_COMPLETE", {})
    assert run(make_environment(), "--check") == 0
    assert (run.built, list(run.calls())) == ([], [])
    assert "ok stack UPDATE_COMPLETE Everything is ready." in run.said()


def test_everything_that_is_not_ready_is_said_at_once(
    run: Run, account: Client, make_environment: MakeEnvironment, stacks: Stacks
) -> None:
    bootstrap(account, "5")
    stacks.stacks["docshelf-try"] = ("UPDATE_IN_PROGRESS", {})
    domain = {"name": "docs.example.com", "certificate_arn": ARN}
    assert run(make_environment(domain=domain)) == 1
    said = run.said()
    assert "FAILED bootstrap CDK's bootstrap of this account in eu-central-1 is at version 5, and 6 is needed" in said
    assert "FAILED stack docshelf-try is being changed by somebody else (UPDATE_IN_PROGRESS)" in said
    assert "FAILED certificate There is no certificate of that ARN in this account" in said
    assert "nothing was built or changed" in said
    assert (run.built, list(run.calls())) == ([], [])


def test_credentials_of_another_account_are_refused(run: Run, make_environment: MakeEnvironment) -> None:
    assert run(make_environment(account="210987654321")) == 1
    said = run.said()
    assert "FAILED account These are credentials of the account 123456789012, and try belongs into 210987654321" in said
    assert "- bootstrap not looked at: account comes first" in said


def test_a_certificate_that_is_not_issued_is_said_to_be(
    run: Run, account: Client, make_environment: MakeEnvironment
) -> None:
    made = account("acm").request_certificate(DomainName="docs.example.com")["CertificateArn"]
    assert run(make_environment(domain={"name": "docs.example.com", "certificate_arn": made})) == 1
    assert "The certificate of docs.example.com is not issued (PENDING_VALIDATION)" in run.said()


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (
            "UPDATE_ROLLBACK_FAILED",
            "run aws cloudformation continue-update-rollback --stack-name docshelf-try --region eu-central-1.",
        ),
        ("DELETE_FAILED", "./scripts/deploy try --destroy"),
        (
            "ROLLBACK_COMPLETE",
            "--no-enable-termination-protection --stack-name docshelf-try --region eu-central-1. Buckets, user pool,",
        ),
    ],
)
def test_a_stack_that_is_stuck_says_what_frees_it(
    run: Run, make_environment: MakeEnvironment, stacks: Stacks, status: str, sentence: str
) -> None:
    stacks.stacks["docshelf-try"] = (status, {})
    stacks.guarded = True
    assert run(make_environment()) == 1
    assert sentence in run.said()


@pytest.mark.parametrize("status", ["REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"])
def test_what_a_deployment_that_did_not_come_about_left_is_in_nobodys_way(
    run: Run, make_environment: MakeEnvironment, stacks: Stacks, status: str
) -> None:
    stacks.stacks["docshelf-try"] = (status, {})
    assert run(make_environment()) == 0
    assert status in run.said()


@pytest.mark.parametrize("status", ["UPDATE_ROLLBACK_FAILED", "DELETE_FAILED"])
def test_a_stack_that_is_stuck_can_be_deleted(
    run: Run, make_environment: MakeEnvironment, stacks: Stacks, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    stacks.stacks["docshelf-try"] = (status, {})
    monkeypatch.setattr("sys.stdin", io.StringIO("try\n"))
    assert run(make_environment(), "--destroy") == 0
    assert [call["command"] for call in run.calls()] == ["destroy"]


def test_the_bootstrap_is_made_outside_of_the_app_when_asked_for(
    run: Run, account: Client, make_environment: MakeEnvironment
) -> None:
    account("ssm").delete_parameter(Name="/cdk-bootstrap/hnb659fds/version")
    assert run(make_environment()) == 1
    assert "never was: run ./scripts/deploy try --bootstrap" in run.said()
    # The stand-in prepares nothing, so that the second look finds the same.
    assert run(make_environment(), "--bootstrap") == 1
    (call,) = run.calls()
    assert (call["command"], call["rest"]) == ("bootstrap", [f"aws://123456789012/{REGION}"])
    assert call["directory"] != str(run.directory)
    assert run.built == []


def test_a_deployment_that_fails_says_where_to_look(run: Run, make_environment: MakeEnvironment) -> None:
    with pytest.raises(CdkError, match=r"not deployed \(status 1\).*CREATE_FAILED.*describe-stack-events"):
        run(make_environment(), status=1)


def test_a_deployment_without_outputs_is_said_to_be(run: Run, make_environment: MakeEnvironment) -> None:
    with pytest.raises(CdkError, match="without telling its outputs"):
        run(make_environment(), outputs={"another": {}})


def test_alarms_and_a_company_sign_in_are_told_of(run: Run, make_environment: MakeEnvironment) -> None:
    provider = {"kind": "saml", "name": "Company", "metadata_url": "https://login.example.com/saml"}
    topic = "arn:aws:sns:eu-central-1:123456789012:alarms"
    outputs = {"docshelf-try": OUTPUTS | {"AlarmTopic": topic}}
    assert (
        run(make_environment(identity_provider=provider, alarms={"emails": ("a@example.com",)}), outputs=outputs) == 0
    )
    said = run.said()
    assert "people sign in at Company" in said
    assert "to a@example.com, once each has confirmed" in said
    without = {name: value for name, value in OUTPUTS.items() if name != "AlarmTopic"}
    assert run(make_environment(), outputs={"docshelf-try": without}) == 0
    assert "alarms none (alarms.enabled is false)" in run.said()


def test_an_environment_is_deleted_once_its_name_was_typed(
    run: Run, make_environment: MakeEnvironment, monkeypatch: pytest.MonkeyPatch, stacks: Stacks
) -> None:
    stacks.stacks["docshelf-try"] = ("DELETE_FAILED", {})
    monkeypatch.setattr("sys.stdin", io.StringIO("prod\n"))
    assert run(make_environment(), "--destroy") == 1
    assert list(run.calls()) == []
    monkeypatch.setattr("sys.stdin", io.StringIO("try\n"))
    assert run(make_environment(), "--destroy") == 0
    (call,) = run.calls()
    assert (call["command"], call["rest"][:4]) == (
        "destroy", ["docshelf-try", "--context", "environment=try", "--force"],
    )  # fmt: skip


def test_an_environment_that_keeps_its_data_is_not_deleted(run: Run, make_environment: MakeEnvironment) -> None:
    with pytest.raises(KeptError, match="Teardown"):
        run(make_environment(retain_data=True), "--destroy")
    assert list(run.calls()) == []


def test_the_variables_of_the_other_commands_are_printed_for_a_shell(
    run: Run, stacks: Stacks, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dev", "--variables"]) == 1
    assert "There is no stack docshelf-dev in eu-central-1" in capsys.readouterr().err
    stacks.stacks["docshelf-dev"] = ("CREATE_COMPLETE", OUTPUTS)
    assert main(["dev", "--variables"]) == 0
    shell = f'{capsys.readouterr().out}\nprintf "%s " "$DOCSHELF_BUCKET" "$DOCSHELF_INDEX" "$DOCSHELF_MAX_PAGES"'
    done = subprocess.run(["/bin/sh", "-c", shell], capture_output=True, text=True, check=True)
    assert done.stdout == "documents s3://index/index 5000 "


def test_the_record_of_a_domain_that_is_still_to_be_made_is_said(
    run: Run, account: Client, make_environment: MakeEnvironment
) -> None:
    domain = {"name": "docs.example.com", "certificate_arn": ARN}
    outputs = Outputs.of("docshelf-try", OUTPUTS | {"DomainTarget": "d-1.execute-api.eu-central-1.amazonaws.com"})
    said = "\n".join(deployed_lines(make_environment(domain=domain), outputs))
    assert "docs.example.com must be a CNAME of d-1.execute-api.eu-central-1.amazonaws.com" in said


@pytest.mark.parametrize("name", NAMES)
def test_every_output_that_is_read_is_in_the_template(assembly: Assembly, name: str) -> None:
    told = assembly.template(name).content["Outputs"]
    given = {output: "{}" if output == "MachineClientIds" else "a text" for output in told}
    outputs = Outputs.of(f"docshelf-{name}", given)
    settings = assembly.environment(name)
    assert (outputs.alarm_topic_arn is not None) == settings.alarms.enabled
    by_hand = settings.domain is not None and settings.domain.hosted_zone_id is None
    assert (outputs.domain_target is not None) == by_hand


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "There is no environment 'nowhere'"),
        (["dev", "--model-dir", "/no/such/directory"], "is no directory"),
        (["dev"], "there is no terminal: add --require-approval never"),
    ],
)
def test_what_cannot_be_used_ends_with_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert main(arguments) == 2
    assert sentence in capsys.readouterr().err
