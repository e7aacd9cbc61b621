"""Environments' files: what they say is read as it is written, and what is wrong is named in a sentence."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from docshelf.access.policy import AccessPolicy
from docshelf.settings import CloudSettings, SearchSettings
from docshelf.settings import Limits as LimitsOfDocshelf
from infra.errors import EnvironmentFileError
from infra.settings import Environment, environment_names, read_environment
from infra.settings.parts import Commit, Ingest, Limits, Search

REGION = 'region = "eu-central-1"\n'
PROVIDER = """
[identity_provider]
kind = "oidc"
name = "Company"
issuer = "https://login.example.com"
client_id = "docshelf"
client_secret_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:company-AbCdEf"
"""


def written(directory: Path, content: str) -> Path:
    (directory / "here.toml").write_text(content, "utf-8")
    return directory


def refusal(directory: Path, content: str) -> str:
    with pytest.raises(EnvironmentFileError) as caught:
        read_environment("here", written(directory, content))
    return str(caught.value)


@pytest.mark.parametrize("name", environment_names())
def test_every_environment_that_the_repository_comes_with_can_be_read(name: str) -> None:
    assert read_environment(name).stack_name == f"docshelf-{name}"


def test_what_people_rely_on_is_retained_and_what_they_try_is_not() -> None:
    assert {name: read_environment(name).retain_data for name in environment_names()} == {"dev": False, "prod": True}


def test_a_region_is_all_that_must_be_said(tmp_path: Path) -> None:
    made = read_environment("here", written(tmp_path, REGION))
    assert (made.name, made.region, made.retain_data) == ("here", "eu-central-1", True)
    assert made.access_text is None
    assert made.groups == ()


def test_defaults_are_those_of_docshelf() -> None:
    cloud = CloudSettings("b", "i", "q", "c")
    environment = Environment(name="here", region="eu-central-1")
    recognition = {"ocr": environment.ocr, "ocr_max_pages": environment.ocr_max_pages}
    assert {**Limits().model_dump(), **recognition} == dataclasses.asdict(LimitsOfDocshelf())
    assert Ingest().max_receives == cloud.max_receives
    assert Commit().keep_versions_seconds == cloud.keep_versions_seconds
    assert Search().answer_seconds == SearchSettings("i", "u", "t").answer_seconds


def test_access_is_what_the_search_function_reads(tmp_path: Path) -> None:
    content = f'{REGION}[access]\n"*" = ["general"]\nengineering = ["handbook", "löwe"]\nboard = ["*"]\n'
    made = read_environment("here", written(tmp_path, content))
    assert made.groups == ("board", "engineering")
    assert AccessPolicy.parse(made.access_text).groups == {
        "*": frozenset({"general"}),
        "engineering": frozenset({"handbook", "löwe"}),
        "board": None,
    }


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "here.toml: region must be set."),
        (f'{REGION}nothing = "x"\n', "here.toml: there is no setting nothing."),
        (f"{REGION}[search]\nmemory = 512\n", "here.toml: there is no setting search.memory."),
        (f'{REGION}name = "other"\n', "here.toml: name is not a setting; an environment has the name of its file."),
        ('region = "Frankfurt"\n', "here.toml: region must be like eu-central-1; it is 'Frankfurt'."),
        (f'{REGION}log_days = "7"\n', "here.toml: log_days must be 1, 3, 5, 7,"),
        (f'{REGION}retain_data = "no"\n', "here.toml: retain_data must be a valid boolean; it is 'no'."),
        (f"{REGION}account = 123456789012\n", "here.toml: account must be a valid string; it is 123456789012."),
        (f'{REGION}model = "gpt"\n', "here.toml: model must be one of "),
        (f'{REGION}machines = ["ci", "ci"]\n', "here.toml: machines has ci twice."),
        (f"{REGION}[ingest]\nconcurrency = 1\n", "here.toml: ingest.concurrency must be greater than or equal to 2;"),
        (f"{REGION}[ingest]\ntimeout_seconds = 100\n", "here.toml: ingest.timeout_seconds must be at least 20 more"),
        (f'{REGION}[access]\n"*" = ["a/b"]\n', "here.toml: access has 'a/b' at the group '*'"),
        ('region = "ap-east-2"\n[search]\nsnap_start = true\n', "here.toml: search.snap_start is not to be had"),
        ('region = "ap-east-2"\n[signin]\nsnap_start = true\n', "here.toml: signin.snap_start is not to be had"),
        (f'{REGION}[budget]\nmonthly_usd = 5\nemails = ["nobody"]\n', "here.toml: budget.emails.0 must be like name@"),
        ('region = "cn-north-1"\n', "here.toml: region must be an ordinary region of AWS: "),
        (f'{REGION}account = "١٢٣٤٥٦٧٨٩٠١٢"\n', "here.toml: account must be like 123456789012;"),
        (f'{REGION}title = "a\\u0007"\n', "here.toml: title must be words, without control characters."),
        (f'{REGION}title = " "\n', "here.toml: title must be words, without control characters."),
        (f"{REGION}search = 3\n", "here.toml: search must be a table, like [search] on a line of its own; it is 3."),
        (f'{REGION}machines = "ci"\n', "here.toml: machines must be a list, like [ … ]; it is 'ci'."),
        (f"{REGION}[search]\nmemory_mb = 128\n", "here.toml: search.memory_mb must be at least 512: "),
        (f"{REGION}[ingest]\nmemory_mb = 1024\n", "here.toml: ingest.memory_mb must be more than limits.parse_memory"),
        (f"{REGION}[limits]\nmax_bytes = {10**30}\n", "here.toml: limits.max_bytes must be less than or equal to"),
        (f'{REGION}[api]\nbrowser_origins = ["https://.."]\n', "here.toml: api.browser_origins.0 must be like http:"),
        (f'{REGION}[alarms]\nemails = ["a@b.c", "a@b.c"]\n', "here.toml: alarms.emails has a@b.c twice."),
        (f"{REGION}{PROVIDER}".replace("Company", "Google"), "here.toml: identity_provider has the name Google, which"),
        (f"{REGION}{PROVIDER}scopes = []\n", "here.toml: identity_provider must have openid among its scopes."),
        (f'{REGION}{PROVIDER}scopes = ["a b"]\n', "here.toml: identity_provider.scopes.0 must be like openid;"),
        (
            f"{REGION}{PROVIDER}".replace("secretsmanager", "s3"),
            "here.toml: identity_provider.client_secret_arn must be",
        ),
        (
            f"{REGION}{PROVIDER}".replace("secretsmanager:eu-central-1", "secretsmanager:us-east-1"),
            "here.toml: identity_provider.client_secret_arn must be of a secret in eu-central-1.",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, content: str, sentence: str) -> None:
    assert refusal(tmp_path, content).startswith(sentence)


def test_every_wrong_setting_is_named_at_once(tmp_path: Path) -> None:
    said = refusal(tmp_path, f"{REGION}log_days = 2\nkeep_replaced_days = 0\n").splitlines()
    assert [line.partition(" must be ")[0] for line in said] == [
        "here.toml: keep_replaced_days",
        "here.toml: log_days",
    ]


def test_a_certificate_of_another_region_is_refused(tmp_path: Path) -> None:
    certificate = "arn:aws:acm:us-east-1:123456789012:certificate/0"
    said = refusal(tmp_path, f'{REGION}[domain]\nname = "docs.example.com"\ncertificate_arn = "{certificate}"\n')
    assert said == "here.toml: domain.certificate_arn must be of a certificate in eu-central-1."


def test_a_file_that_is_no_toml_is_refused_with_its_place(tmp_path: Path) -> None:
    assert refusal(tmp_path, "region = \n").startswith(f"{tmp_path / 'here.toml'} cannot be read: ")


def test_a_file_from_an_editor_that_marks_its_encoding_is_read(tmp_path: Path) -> None:
    assert read_environment("here", written(tmp_path, f"\ufeff{REGION}")).region == "eu-central-1"


def test_a_long_value_is_shown_by_its_beginning(tmp_path: Path) -> None:
    said = refusal(tmp_path, f'{REGION}blurb = "{"x" * 600}"\n')
    assert said.startswith("here.toml: blurb must have at most 500 characters; it is 'xxx")
    assert len(said) < 200


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    written(tmp_path, REGION)
    (tmp_path / "here.toml").chmod(0)
    with pytest.raises(EnvironmentFileError, match="cannot be read"):
        read_environment("here", tmp_path)


def test_an_environment_that_has_no_file_is_refused_with_those_that_have(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFileError, match=r"no environment 'there': write .*there\.toml\. There are: here\."):
        read_environment("there", written(tmp_path, REGION))


@pytest.mark.parametrize("name", ["environments/here.toml", "../here", "."])
def test_a_path_is_refused_in_the_place_of_a_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        EnvironmentFileError, match=r"is no environment: give the name of a file in .* There are: here\."
    ):
        read_environment(name, written(tmp_path, REGION))


def test_the_lock_of_an_editor_is_no_environment(tmp_path: Path) -> None:
    (written(tmp_path, REGION) / ".#here.toml").symlink_to("person@machine.1:2")
    assert environment_names(tmp_path) == ["here"]


@pytest.mark.parametrize("name", ["Prod", "1st", "a_b", "a-", "a--b", "a-name-that-is-far-too-long"])
def test_a_name_that_a_stack_cannot_have_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.toml").write_text(REGION, "utf-8")
    with pytest.raises(EnvironmentFileError, match="name must be like dev"):
        read_environment(name, tmp_path)
