"""What goes wrong between us and AWS, as errors of ours: by boto3's exceptions and the services' codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from botocore.exceptions import (
    BotoCoreError,
    ChecksumError,
    ClientError,
    ConnectionError,  # noqa: A004  botocore's own, which is none of Python's
    CredentialRetrievalError,
    FlexibleChecksumError,
    HTTPClientError,
    IncompleteReadError,
    LoginError,
    MetadataRetrievalError,
    NoAuthTokenError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
    TokenRetrievalError,
)
from botocore.parsers import ResponseParserError

from docshelf.errors import DocshelfError, StoreDeniedError, StoreRefusedError, StoreUnavailableError

# A body that ended early, came too slowly or arrived damaged.
BODY_FAULTS = (HTTPClientError, IncompleteReadError, FlexibleChecksumError, ChecksumError)

_NO_ANSWER = (*BODY_FAULTS, ConnectionError, MetadataRetrievalError, ResponseParserError)
_NOT_LOGGED_IN = (
    CredentialRetrievalError,
    LoginError,
    NoAuthTokenError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
    TokenRetrievalError,
)
_NO_OBJECT = frozenset({"404", "NoSuchKey", "NotFound"})
_ROLE_PROVIDERS = frozenset({"container-role", "iam-role"})

_PASSING = frozenset(
    {
        "InternalError", "InternalFailure", "OperationAborted", "OverLimit", "RequestExpired", "RequestLimitExceeded",
        "RequestThrottled", "RequestTimeTooSkewed", "RequestTimeout", "RequestTimeoutException", "ServiceUnavailable",
        "SlowDown", "Throttling", "ThrottlingException", "TooManyRequestsException",
    }
)  # fmt: skip
_DENIED = frozenset({"401", "403", "AccessDenied", "AccessDeniedException", "AllAccessDisabled"})
_EXPIRED = frozenset({"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"})
_NOT_ACCEPTED = frozenset(
    {
        "AuthFailure", "IncompleteSignature", "InvalidAccessKeyId", "InvalidClientTokenId", "InvalidSecurity",
        "InvalidToken", "MissingAuthenticationToken", "SignatureDoesNotMatch", "UnrecognizedClientException",
    }
)  # fmt: skip
_NO_SUCH_PLACE = frozenset(
    {
        "AWS.SimpleQueueService.NonExistentQueue", "InvalidBucketName", "NoSuchBucket", "QueueDoesNotExist",
        "NonExistentQueue", "ResourceNotFoundException",
    }
)  # fmt: skip
_KMS_PASSING = re.compile("throttl|internal|timeout|unavailable", re.IGNORECASE)
_NAMED_ACTION = re.compile(r"perform:? ((?:iam|kms|s3|secretsmanager|sqs|textract):[A-Za-z]+)")
_KMS_ACTIONS = {"s3:PutObject": "kms:GenerateDataKey", "sqs:SendMessage": "kms:GenerateDataKey"}
_LOG_IN = "log in (for example with aws sso login), or name a profile with AWS_PROFILE"


class ArchivedObjectError(StoreRefusedError):
    """The object lies in an archive class and cannot be read before it is restored."""

    code: ClassVar[str] = "object_archived"


class LockedObjectError(StoreRefusedError):
    """The object is encrypted with a key that cannot be used."""

    code: ClassVar[str] = "object_locked"


class ObjectTooLargeError(StoreRefusedError):
    """The object has more bytes than were asked for; `size` is their number, as far as it is known."""

    code: ClassVar[str] = "object_too_large"

    def __init__(self, size: int) -> None:
        super().__init__(f"The object has {size:,} bytes, more than may be read.")
        self.size = size


@contextmanager
def faults_of(place: str, action: str) -> Iterator[None]:
    """Turn boto3's exceptions inside the block into ours.

    `place` begins their sentences ("The bucket b"); `action` is the permission the block needs ("s3:GetObject").

    Raises:
        StoreUnavailableError: no answer, a broken one, or a request to slow down, after all attempts.
        StoreDeniedError: a permission is missing, or there are no credentials that AWS accepts.
        StoreRefusedError: the place is missing or cannot serve the request; also its subclasses above.
    """
    try:
        yield
    except (ClientError, BotoCoreError, ResponseParserError) as error:
        raise translated(error, place, action) from error


def code_of(error: ClientError) -> str:
    """The service's code; that of an answer without a body (to HEAD) is its HTTP status."""
    return str(error.response.get("Error", {}).get("Code", ""))


def is_absent(error: ClientError) -> bool:
    """Whether there is no such object, told with or without a body."""
    return code_of(error) in _NO_OBJECT


def status_of(error: ClientError) -> int:
    """The HTTP status of the answer, 0 where there is none."""
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def is_denied(error: ClientError) -> bool:
    """Whether a permission is missing (and not that the credentials themselves are refused)."""
    return code_of(error) in _DENIED


def translated(error: ClientError | BotoCoreError | ResponseParserError, place: str, action: str) -> DocshelfError:
    """Our error for one of boto3's."""
    if isinstance(error, ClientError):
        return by_code(
            code_of(error), error.response.get("Error", {}).get("Message", ""), place, action, status_of(error)
        )
    kind = type(error).__name__
    if isinstance(error, CredentialRetrievalError) and error.kwargs.get("provider") in _ROLE_PROVIDERS:
        return _unavailable(place, kind)
    if isinstance(error, _NO_ANSWER):
        return _unavailable(place, kind)
    if isinstance(error, _NOT_LOGGED_IN):
        return StoreDeniedError(f"{place} cannot be reached without AWS credentials ({kind}): {_LOG_IN}.")
    return StoreRefusedError(f"{place} cannot be asked ({kind}): check its name and the AWS settings.")


def by_code(code: str, message: str, place: str, action: str, status: int = 0) -> DocshelfError:
    """Our error for a service's code and message."""
    if code in _PASSING or status >= 500 or status == 429:
        return _unavailable(place, code)
    if code.lower().startswith("kms"):
        return _by_kms_code(code, message, place, action)
    if code == "InvalidObjectState":
        return ArchivedObjectError("The object lies in an archive class: restore it first.")
    if code in _NO_SUCH_PLACE:
        return StoreRefusedError(f"{place} does not exist: check its name, account and region.")
    if code in _EXPIRED:
        return StoreDeniedError(f"The AWS credentials have expired: {_LOG_IN}.")
    if code in _NOT_ACCEPTED:
        return StoreDeniedError(f"AWS does not accept the credentials ({code}): {_LOG_IN}.")
    if code == "InvalidRequest" and "encryption" in message.lower():
        return LockedObjectError(
            "The object is encrypted with a key that only its owner has (SSE-C): store it with another encryption."
        )
    if status in {401, 403} or code in _DENIED:
        return _denied(message, place, action)
    return StoreRefusedError(f"{place} refuses a request ({code or status}).")


def _by_kms_code(code: str, message: str, place: str, action: str) -> DocshelfError:
    if _KMS_PASSING.search(code):
        return _unavailable(place, code)
    if "accessdenied" in code.lower():
        return _denied(f"kms {message}", place, action)
    return LockedObjectError(
        f"The KMS key of the encryption cannot be used ({code}): enable or restore the key, or store with another."
    )


def _denied(message: str, place: str, action: str) -> StoreDeniedError:
    named = _NAMED_ACTION.search(message)
    if named:
        action = named.group(1)
    elif "kms" in message.lower():
        action = _KMS_ACTIONS.get(action, "kms:Decrypt")
    return StoreDeniedError(f"{place} refuses access: the permission {action} is missing.")


def _unavailable(place: str, reason: str) -> StoreUnavailableError:
    return StoreUnavailableError(f"{place} does not answer as it should just now ({reason}): try again later.")
