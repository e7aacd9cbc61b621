"""Clients follow the environment, and wait no longer than they are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from docshelf.aws.clients import LONGEST_WAIT_SECONDS, s3_client, sqs_client
from docshelf.aws.objects import ObjectStore
from docshelf.errors import SettingsError, StoreDeniedError
from docshelf.settings import request_seconds
from tests.support.cloud import Cloud


def test_the_client_is_of_the_environment_as_it_is_now(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ObjectStore(cloud.bucket)
    store.put("a.md", b"1")
    here = s3_client()
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
    assert s3_client().meta.endpoint_url == "http://127.0.0.1:9"
    monkeypatch.delenv("AWS_ENDPOINT_URL_S3")
    assert s3_client() is here
    assert store.get("a.md") is not None


def test_the_region_is_that_of_either_variable_or_a_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    assert s3_client().meta.region_name == "us-east-1"
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    assert s3_client().meta.region_name == "eu-west-1"
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    assert s3_client().meta.region_name == sqs_client().meta.region_name == "eu-central-1"
    assert sqs_client("eu-north-1").meta.region_name == "eu-north-1"


def test_a_request_waits_as_long_as_the_setting_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCSHELF_REQUEST_SECONDS", "7")
    assert s3_client().meta.config.read_timeout == 7  # type: ignore[attr-defined]
    assert sqs_client().meta.config.read_timeout == 7  # type: ignore[attr-defined]
    assert sqs_client(waiting=True).meta.config.read_timeout == 7 + LONGEST_WAIT_SECONDS  # type: ignore[attr-defined]


def test_a_request_waits_twenty_seconds_unless_told_otherwise() -> None:
    assert request_seconds({}) == request_seconds({"DOCSHELF_REQUEST_SECONDS": " "}) == 20


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "soon"])
def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("DOCSHELF_REQUEST_SECONDS", text)
    with pytest.raises(SettingsError, match="DOCSHELF_REQUEST_SECONDS"):
        ObjectStore("bucket").get("a.md")


def test_who_is_not_logged_in_is_told_so() -> None:
    with pytest.raises(StoreDeniedError, match="log in"):
        ObjectStore("bucket").head("a.md")


def test_a_profile_that_does_not_exist_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    with pytest.raises(StoreDeniedError, match="AWS_PROFILE"):
        ObjectStore("bucket").head("a.md")


@pytest.mark.parametrize("make", [s3_client, sqs_client])
def test_an_endpoint_that_is_no_address_is_named(monkeypatch: pytest.MonkeyPatch, make: Callable[[], object]) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "localhost:9")
    with pytest.raises(SettingsError, match="AWS_ENDPOINT_URL must be an address like https://HOST"):
        make()
