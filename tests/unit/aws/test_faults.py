"""Every code that AWS has for one kind of trouble becomes one kind of error."""

from __future__ import annotations

import pytest
from botocore.exceptions import (
    BotoCoreError,
    ConnectionClosedError,
    CredentialRetrievalError,
    IncompleteReadError,
    LoginRefreshRequired,
    NoCredentialsError,
    ParamValidationError,
    ResponseStreamingError,
    SSOTokenLoadError,
    TokenRetrievalError,
)

from docshelf.aws.faults import LockedObjectError, by_code, faults_of
from docshelf.errors import DocshelfError, StoreDeniedError, StoreRefusedError, StoreUnavailableError

PLACE = "The bucket b"


def told(code: str, *, status: int = 400, message: str = "", action: str = "s3:GetObject") -> DocshelfError:
    return by_code(code, message, PLACE, action, status)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("SlowDown", 503), ("ServiceUnavailable", 503), ("InternalError", 500), ("502", 502), ("TooManyRequests", 429),
        ("RequestTimeout", 400), ("RequestTimeTooSkewed", 403), ("ThrottlingException", 400), ("Throttling", 400),
        ("RequestThrottled", 400), ("OverLimit", 403), ("OperationAborted", 409), ("KMS.ThrottlingException", 400),
        ("KMS.KMSInternalException", 400), ("KmsThrottled", 400), ("KMS.KeyUnavailableException", 400),
    ],
)  # fmt: skip
def test_what_passes_is_worth_another_attempt(code: str, status: int) -> None:
    fault = told(code, status=status)
    assert isinstance(fault, StoreUnavailableError)
    assert fault.retryable
    assert fault.sentence.startswith(PLACE)


@pytest.mark.parametrize("code", ["KMSInvalidStateException", "KmsDisabled", "KMS.InvalidKeyUsageException"])
def test_a_key_that_cannot_be_used_locks_the_object(code: str) -> None:
    assert isinstance(told(code), LockedObjectError)


def test_a_key_that_may_not_be_used_is_a_missing_permission() -> None:
    assert "kms:Decrypt" in told("KMS.AccessDeniedException").sentence
    assert "kms:GenerateDataKey" in told("KmsAccessDenied", action="sqs:SendMessage").sentence


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_without_words_names_the_permission_that_was_used(status: int) -> None:
    fault = told(str(status), status=status)
    assert isinstance(fault, StoreDeniedError)
    assert "s3:GetObject" in fault.sentence


@pytest.mark.parametrize("code", ["NoSuchBucket", "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist"])
def test_a_place_that_is_missing_is_told(code: str) -> None:
    fault = told(code)
    assert type(fault) is StoreRefusedError
    assert fault.sentence.startswith(f"{PLACE} does not exist")


def test_what_is_not_known_is_refused_with_its_code() -> None:
    fault = told("InvalidRequest", message="something else")
    assert type(fault) is StoreRefusedError
    assert "InvalidRequest" in fault.sentence


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ConnectionClosedError(endpoint_url="x"), StoreUnavailableError),
        (IncompleteReadError(actual_bytes=1, expected_bytes=2), StoreUnavailableError),
        (ResponseStreamingError(error="x"), StoreUnavailableError),
        (CredentialRetrievalError(provider="container-role", error_msg="x"), StoreUnavailableError),
        (CredentialRetrievalError(provider="custom-process", error_msg="x"), StoreDeniedError),
        (NoCredentialsError(), StoreDeniedError),
        (SSOTokenLoadError(error_msg="x"), StoreDeniedError),
        (LoginRefreshRequired(), StoreDeniedError),
        (TokenRetrievalError(provider="sso", error_msg="x"), StoreDeniedError),
        (ParamValidationError(report="x"), StoreRefusedError),
    ],
)
def test_what_happens_on_this_side_is_translated(error: BotoCoreError, expected: type[DocshelfError]) -> None:
    with pytest.raises(expected) as caught, faults_of(PLACE, "s3:GetObject"):
        raise error
    assert caught.value.__cause__ is error


def test_errors_that_are_not_about_aws_pass() -> None:
    with pytest.raises(KeyError), faults_of(PLACE, "s3:GetObject"):
        raise KeyError
