"""What AWS says about account, bootstrap, certificates, stacks and machines, and how it is said when it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from infra.deployment.aws import Account, AccountError, Certificate
from infra.deployment.smoke.target import deployed_target
from infra.errors import InfrastructureError
from tests.infra.deployment.conftest import REGION, MakeEnvironment
from tests.support.stacks_server import Stacks

Client = Callable[[str], Any]
OUTPUTS = {
    "McpUrl": "https://docs.example.com/mcp",
    "DocumentsBucket": "documents",
    "IndexAddress": "s3://index/index",
    "IngestQueueUrl": "https://sqs.eu-central-1.amazonaws.com/123456789012/ingest",
    "CommitQueueUrl": "https://sqs.eu-central-1.amazonaws.com/123456789012/commit.fifo",
    "IngestDeadLettersUrl": "https://sqs.eu-central-1.amazonaws.com/123456789012/dead",
    "UserPoolId": "eu-central-1_Example",
    "CognitoUrl": "https://docshelf.auth.eu-central-1.amazoncognito.com",
    "MachineClientIds": '{"smoke": "7example8machine9docshelf"}',
    "AlarmTopic": "arn:aws:sns:eu-central-1:123456789012:alarms",
}


def test_the_account_is_that_of_the_credentials(account: Client) -> None:
    assert Account(REGION).identity().account == "123456789012"


def test_without_credentials_the_sentence_says_to_log_in(account: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(AccountError, match=r"without AWS credentials .* log in"):
        Account(REGION).identity()


def test_a_profile_that_is_not_there_is_named_as_the_cause(account: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(AccountError, match="ProfileNotFound"):
        Account(REGION).identity()


def test_where_nothing_answers_the_sentence_names_the_region(account: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:9")
    with pytest.raises(AccountError, match=rf"AWS cannot be reached in {REGION} .* check the network"):
        Account(REGION).identity()


def test_the_bootstrap_is_missing_until_it_was_made(account: Client) -> None:
    assert Account("eu-west-1").bootstrap_version() is None
    account("ssm").put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Value="30", Type="String", Overwrite=True)
    assert Account(REGION).bootstrap_version() == 30


def test_a_certificate_has_its_status_and_names(account: Client) -> None:
    made = account("acm").request_certificate(DomainName="docs.example.com", SubjectAlternativeNames=["*.example.org"])[
        "CertificateArn"
    ]
    certificate = Account(REGION).certificate(made)
    assert certificate is not None
    assert certificate.status == "PENDING_VALIDATION"
    assert certificate.covers("docs.example.com")
    assert Account(REGION).certificate(f"{made[:-4]}0000") is None


@pytest.mark.parametrize(
    ("host", "covered"), [("a.example.org", True), ("example.org", False), ("a.b.example.org", False)]
)
def test_a_star_stands_for_one_part_of_a_name(host: str, covered: bool) -> None:
    assert Certificate("ISSUED", ("*.example.org",)).covers(host) is covered


def test_a_stack_has_its_outputs_and_one_that_is_not_there_has_none(account: Client, stacks: Stacks) -> None:
    stacks.stacks["docshelf-try"] = ("UPDATE_COMPLETE", {"McpUrl": "https://a/mcp?b&c"})
    found = Account(REGION).stack("docshelf-try")
    assert found is not None
    assert (found.status, found.outputs) == ("UPDATE_COMPLETE", {"McpUrl": "https://a/mcp?b&c"})
    assert Account(REGION).stack("docshelf-other") is None


def test_a_missing_permission_is_named(account: Client, stacks: Stacks) -> None:
    stacks.denied = True
    with pytest.raises(AccountError, match="cloudformation:DescribeStacks"):
        Account(REGION).stack("docshelf-try")


def test_the_smoke_test_finds_its_machine_and_the_secret(
    account: Client, stacks: Stacks, make_environment: MakeEnvironment
) -> None:
    pool = account("cognito-idp").create_user_pool(PoolName="try")["UserPool"]["Id"]
    machine = account("cognito-idp").create_user_pool_client(UserPoolId=pool, ClientName="smoke", GenerateSecret=True)
    client_id = machine["UserPoolClient"]["ClientId"]
    told = OUTPUTS | {"UserPoolId": pool, "MachineClientIds": f'{{"other": "x", "smoke": "{client_id}"}}'}
    stacks.stacks["docshelf-try"] = ("CREATE_COMPLETE", told)
    target = deployed_target(make_environment(), Account(REGION))
    assert (target.url, target.origin, target.bucket) == (
        "https://docs.example.com/mcp", "https://docs.example.com", "documents",
    )  # fmt: skip
    assert target.client_id == client_id
    assert target.secret() == machine["UserPoolClient"]["ClientSecret"]
    assert target.sees_marker


def test_a_client_without_a_secret_is_none_of_a_machine(account: Client) -> None:
    pool = account("cognito-idp").create_user_pool(PoolName="try")["UserPool"]["Id"]
    app = account("cognito-idp").create_user_pool_client(UserPoolId=pool, ClientName="people")["UserPoolClient"]
    with pytest.raises(AccountError, match="none of a machine"):
        Account(REGION).client_secret(pool, app["ClientId"])


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (None, r"There is no stack docshelf-try in eu-central-1: run \./scripts/deploy try"),
        ({"MachineClientIds": "{}"}, 'set machines = \\["smoke"\\]'),
        ({"MachineClientIds": "no json"}, "does not tell MachineClientIds"),
        ({"McpUrl": "", "UserPoolId": ""}, "does not tell McpUrl, UserPoolId"),
    ],
)
def test_a_stack_that_cannot_be_asked_says_what_to_do(
    account: Client, stacks: Stacks, make_environment: MakeEnvironment, told: dict[str, str] | None, sentence: str
) -> None:
    if told is not None:
        stacks.stacks["docshelf-try"] = ("CREATE_COMPLETE", OUTPUTS | told)
    with pytest.raises(InfrastructureError, match=sentence):
        deployed_target(make_environment(), Account(REGION))


@pytest.mark.parametrize(
    ("access", "seen"),
    [
        (None, True),
        ({"*": ("*",)}, True),
        ({"*": ("general", "docshelf-smoke")}, True),
        ({"*": ("general",), "board": ("*",)}, False),
        ({"board": ("*",)}, False),
    ],
)
def test_access_says_whether_machines_see_the_marker(
    account: Client, stacks: Stacks, make_environment: MakeEnvironment, access: object, seen: bool
) -> None:
    stacks.stacks["docshelf-try"] = ("CREATE_COMPLETE", OUTPUTS)
    assert deployed_target(make_environment(access=access), Account(REGION)).sees_marker is seen
