"""Secrets, against a server that keeps them."""

from __future__ import annotations

import uuid

import boto3
import pytest

from docshelf.aws.secrets import read_secret
from docshelf.errors import StoreDeniedError, StoreRefusedError, StoreUnavailableError
from tests.support.cloud import Cloud
from tests.support.scripted_s3 import Script, queue_error


@pytest.fixture
def name(cloud: Cloud) -> str:
    return f"docshelf/{uuid.uuid4().hex}"


def test_a_secret_is_read_as_it_is_now_by_name_and_arn(name: str) -> None:
    client = boto3.client("secretsmanager")
    arn = client.create_secret(Name=name, SecretString="first ä")["ARN"]
    assert read_secret(name) == read_secret(arn) == "first ä"
    client.put_secret_value(SecretId=name, SecretString="second")
    assert read_secret(name) == "second"


def test_a_secret_that_is_not_there_is_said_so(name: str) -> None:
    with pytest.raises(StoreRefusedError, match=f"^The secret {name} does not exist"):
        read_secret(name)


def test_a_secret_of_bytes_is_refused(name: str) -> None:
    boto3.client("secretsmanager").create_secret(Name=name, SecretBinary=b"bytes")
    with pytest.raises(StoreRefusedError, match="store it as a text"):
        read_secret(name)


def test_a_permission_that_is_missing_is_named(scripted: Script) -> None:
    scripted.on(
        "POST", queue_error(400, "AccessDeniedException", "may not perform: secretsmanager:GetSecretValue on it")
    )
    with pytest.raises(StoreDeniedError, match="the permission secretsmanager:GetSecretValue is missing"):
        read_secret("keys")
    scripted.on("POST", queue_error(400, "AccessDeniedException", "Access to KMS is not allowed"))
    with pytest.raises(StoreDeniedError, match="the permission kms:Decrypt is missing"):
        read_secret("keys")


def test_a_service_that_does_not_answer_may_answer_later(scripted: Script) -> None:
    scripted.on("POST", queue_error(500, "InternalServiceError"))
    with pytest.raises(StoreUnavailableError, match="try again later"):
        read_secret("keys")
