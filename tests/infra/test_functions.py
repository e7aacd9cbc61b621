"""The functions: what they are told, run on, and served by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from docshelf.access.policy import AccessPolicy
from docshelf.settings import CloudSettings, Limits, SearchSettings, request_seconds
from docshelf.signin.settings import SigninSettings
from infra.layers.places import PYTHON
from infra.settings import Environment
from tests.support.assembly import Assembly
from tests.support.template import Template

FUNCTIONS = ["Ingest", "Commit", "Search", "Signin"]
SERVED = ["Search", "Signin"]


def function(template: Template, name: str) -> dict[str, Any]:
    return template.one("AWS::Lambda::Function", f"Functions/{name}")


def variables(template: Template, name: str) -> dict[str, str]:
    found: dict[str, str] = function(template, name)["Environment"]["Variables"]
    assert all(isinstance(value, str) for value in found.values())
    return found


def in_lower_case(settings: dict[str, str]) -> dict[str, str]:
    """Logical ids have capitals, which names of buckets do not have."""
    return {
        name: value.lower() if name in ("DOCSHELF_INDEX", "DOCSHELF_BUCKET") else value
        for name, value in settings.items()
    }


def bucket_name(template: Template, path: str) -> str:
    return template.id("AWS::S3::Bucket", path).lower()


def queue_url(template: Template, name: str) -> str:
    return str(template.resolve({"Ref": template.id("AWS::SQS::Queue", f"Queues/{name}")}))


@pytest.mark.parametrize("name_", ["Ingest", "Commit"])
def test_the_writing_functions_read_what_they_are_told(
    template: Template, environment: Environment, name_: str
) -> None:
    told = in_lower_case(variables(template, name_))
    settings = CloudSettings.from_environment(told)
    assert settings.bucket == bucket_name(template, "Storage/Documents")
    assert settings.index == f"s3://{bucket_name(template, 'Storage/Index')}/index"
    assert settings.ingest_queue_url == queue_url(template, "Ingest")
    assert settings.commit_queue_url == queue_url(template, "Commit")
    assert Limits.from_environment(told) == Limits(
        **environment.limits.model_dump(), ocr=environment.ocr, ocr_max_pages=environment.ocr_max_pages
    )


def test_ingest_gives_a_key_up_when_its_queue_does(template: Template, environment: Environment) -> None:
    settings = CloudSettings.from_environment(in_lower_case(variables(template, "Ingest")))
    assert settings.max_receives == environment.ingest.max_receives
    assert settings.model == "/opt/model"


def test_the_lane_drains_the_dead_letters_of_ingest(template: Template, environment: Environment) -> None:
    settings = CloudSettings.from_environment(in_lower_case(variables(template, "Commit")))
    assert settings.dead_letter_queue_url == queue_url(template, "IngestDeadLetters")
    assert settings.keep_versions_seconds == environment.commit.keep_versions_seconds


def test_search_reads_what_it_is_told(template: Template, environment: Environment) -> None:
    told = in_lower_case(variables(template, "Search"))
    settings = SearchSettings.from_environment(told)
    assert settings.index == f"s3://{bucket_name(template, 'Storage/Index')}/index"
    assert settings.url == template.outputs()["McpUrl"]
    assert settings.model == "/opt/model"
    assert settings.blurb == environment.blurb
    assert settings.answer_seconds == environment.search.answer_seconds
    assert settings.browser_origins == environment.api.browser_origins
    assert AccessPolicy.parse(settings.access) == AccessPolicy.parse(environment.access_text)
    assert request_seconds(told) == 5


def test_sign_in_reads_what_it_is_told_and_nothing_of_the_index(template: Template, environment: Environment) -> None:
    told = variables(template, "Signin")
    settings = SigninSettings.from_environment(told)
    assert settings.url == variables(template, "Search")["DOCSHELF_URL"]
    assert settings.cognito_url == template.outputs()["CognitoUrl"]
    assert settings.sealing_keys_secret == template.arn_of(template.id("AWS::SecretsManager::Secret", "SealingKey"))
    assert (settings.title, settings.blurb, settings.contact) == (
        environment.title,
        environment.blurb,
        environment.contact,
    )
    assert settings.redirect_hosts == environment.signin.redirect_hosts
    assert settings.index is None
    assert settings.cognito_client_secret is None
    assert request_seconds(told) == 5


def test_the_pool_signs_people_in_for_the_client_that_sign_in_names(template: Template) -> None:
    clients = template.ids("AWS::Cognito::UserPoolClient", "UserPool")
    named = variables(template, "Signin")["DOCSHELF_COGNITO_CLIENT_ID"]
    known = variables(template, "Search")["DOCSHELF_CLIENT_IDS"].split(",")
    assert named in known
    assert sorted(known) == sorted(clients), "search takes the tokens of the people's client and of each machine"
    assert template.properties(named)["AllowedOAuthFlows"] == ["code"]


@pytest.mark.parametrize("name_", FUNCTIONS)
def test_every_variable_is_a_documented_setting(template: Template, name_: str) -> None:
    documented = (Path(__file__).parents[2] / "docs" / "settings.md").read_text("utf-8")
    undocumented = [variable for variable in variables(template, name_) if f"`{variable}`" not in documented]
    assert undocumented == []


@pytest.mark.parametrize("name_", FUNCTIONS)
def test_logs_and_metrics_are_named_after_the_stack(template: Template, name_: str) -> None:
    assert variables(template, name_)["POWERTOOLS_SERVICE_NAME"] == template.stack
    assert variables(template, name_)["POWERTOOLS_LOG_LEVEL"] == "INFO"


@pytest.mark.parametrize("name_", FUNCTIONS)
def test_a_function_runs_on_what_its_layers_are_built_for(
    template: Template, environment: Environment, name_: str
) -> None:
    made = function(template, name_)
    assert made["Runtime"] == f"python{PYTHON}"
    assert made["Architectures"] == [environment.architecture]
    kinds = {"Dependencies", "Docshelf", *(["Model"] if name_ in ("Ingest", "Search") else [])}
    assert set(made["Layers"]) == {template.id("AWS::Lambda::LayerVersion", f"Layers/{kind}") for kind in kinds}
    for layer in made["Layers"]:
        assert template.properties(layer)["CompatibleArchitectures"] == [environment.architecture]
        assert template.properties(layer)["CompatibleRuntimes"] == [f"python{PYTHON}"]


def test_sizes_are_those_of_the_environment(template: Template, environment: Environment) -> None:
    wanted = {
        "Ingest": (environment.ingest.memory_mb, environment.ingest.timeout_seconds, environment.ingest.temporary_mb),
        "Commit": (environment.commit.memory_mb, environment.commit.timeout_seconds, environment.commit.temporary_mb),
        "Search": (environment.search.memory_mb, 29, 512),
        "Signin": (environment.signin.memory_mb, 29, 512),
    }
    for name_, sizes in wanted.items():
        made = function(template, name_)
        assert (made["MemorySize"], made["Timeout"], made["EphemeralStorage"]["Size"]) == sizes
        assert "VpcConfig" not in made


@pytest.mark.parametrize("name_", FUNCTIONS)
def test_a_function_brings_its_handler_and_nothing_else(assembly: Assembly, template: Template, name_: str) -> None:
    asset = function(template, name_)["Code"]["S3Key"].removesuffix(".zip")
    files = [
        path.relative_to(assembly.directory / f"asset.{asset}")
        for path in _files(assembly.directory / f"asset.{asset}")
    ]
    assert files == [Path("handler.py")]
    assert function(template, name_)["Handler"] == "handler.handler"


@pytest.mark.parametrize("name_", FUNCTIONS)
def test_a_function_writes_a_log_of_its_own_that_ends(template: Template, environment: Environment, name_: str) -> None:
    config = function(template, name_)["LoggingConfig"]
    log = template.id("AWS::Logs::LogGroup", f"Functions/{name_}")
    assert config == {"LogFormat": "Text", "LogGroup": log}
    assert template.properties(log)["RetentionInDays"] == environment.log_days
    assert template.resources[log]["DeletionPolicy"] == ("Retain" if environment.retain_data else "Delete")


@pytest.mark.parametrize("name_", SERVED)
def test_requests_are_served_by_the_version_that_was_published_last(
    template: Template, environment: Environment, name_: str
) -> None:
    alias = template.one("AWS::Lambda::Alias", f"Functions/{name_}")
    version = template.id("AWS::Lambda::Version", f"Functions/{name_}")
    served = template.id("AWS::Lambda::Function", f"Functions/{name_}")
    assert alias["Name"] == "live"
    assert alias["FunctionVersion"] == f"{version}.Version"
    assert alias["FunctionName"] == template.properties(version)["FunctionName"] == served
    settings = environment.search if name_ == "Search" else environment.signin
    snap_start = function(template, name_).get("SnapStart")
    assert snap_start == ({"ApplyOn": "PublishedVersions"} if settings.snap_start else None)
    assert function(template, name_).get("ReservedConcurrentExecutions") == settings.reserved_concurrency


def test_the_api_reaches_the_functions_through_their_aliases_alone(template: Template) -> None:
    aliases = {template.id("AWS::Lambda::Alias", f"Functions/{name_}") for name_ in SERVED}
    targets = {template.properties(one)["IntegrationUri"] for one in template.ids("AWS::ApiGatewayV2::Integration")}
    allowed = {template.properties(one)["FunctionName"] for one in template.ids("AWS::Lambda::Permission")}
    assert targets == aliases
    assert allowed == aliases


def _files(directory: Path) -> list[Path]:
    assert directory.is_dir()
    return [path for path in directory.rglob("*") if path.is_file()]
