"""boto3's clients: made when first used, shared by all threads, with bounded waiting."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, cast

import boto3
import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from docshelf.errors import SettingsError
from docshelf.settings import request_seconds

if TYPE_CHECKING:
    from botocore.credentials import Credentials
    from botocore.loaders import Loader
    from types_boto3_s3 import S3Client
    from types_boto3_sqs import SQSClient

ATTEMPTS = 3
LONGEST_WAIT_SECONDS = 20
_CONNECT_SECONDS = 5
_CONNECTIONS = 32
_FALLBACK_REGION = "us-east-1"

# Clients are kept for one surrounding: another endpoint, account or region means other clients.
_SURROUNDING = (
    "AWS_ACCESS_KEY_ID",
    "AWS_CONFIG_FILE",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL_SECRETS_MANAGER",
    "AWS_ENDPOINT_URL_SQS",
    "AWS_ENDPOINT_URL_TEXTRACT",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_SHARED_CREDENTIALS_FILE",
    "DOCSHELF_REQUEST_SECONDS",
)
_making = Lock()

Surrounding = tuple[str | None, ...]


class SecretsClient(Protocol):
    """Of Secrets Manager's client, what docshelf uses."""

    def get_secret_value(self, *, SecretId: str) -> Mapping[str, object]:  # noqa: N803 - the service's own name
        """The secret, with its text as `SecretString`."""


class TextractClient(Protocol):
    """Of Amazon Textract's client, what docshelf uses."""

    def start_document_text_detection(self, **request: object) -> Mapping[str, Any]:
        """Begin a job and give its `JobId`."""

    def get_document_text_detection(self, **request: object) -> Mapping[str, Any]:
        """The job's status, and a part of its blocks."""


def s3_client() -> S3Client:
    """The client of S3 for the environment as it is now.

    Raises:
        SettingsError: DOCSHELF_REQUEST_SECONDS is wrong.
        botocore.exceptions.BotoCoreError: the profile named does not exist or cannot be read.
    """
    with _making:
        return _s3_client(_surrounding())


def sqs_client(region: str | None = None, *, waiting: bool = False) -> SQSClient:
    """The client of SQS in `region`; `waiting` for receiving, whose answer may take `LONGEST_WAIT_SECONDS` more.

    Raises:
        SettingsError: DOCSHELF_REQUEST_SECONDS is wrong.
        botocore.exceptions.BotoCoreError: the profile named does not exist or cannot be read.
    """
    with _making:
        return _sqs_client(_surrounding(), region, waiting)


def secrets_client() -> SecretsClient:
    """The client of Secrets Manager for the environment as it is now.

    Raises:
        SettingsError: DOCSHELF_REQUEST_SECONDS is wrong.
        botocore.exceptions.BotoCoreError: the profile named does not exist or cannot be read.
    """
    with _making:
        return _secrets_client(_surrounding())


def textract_client() -> TextractClient:
    """The client of Amazon Textract for the environment as it is now; raises as `secrets_client`."""
    with _making:
        return _textract_client(_surrounding())


def credentials() -> Credentials | None:
    """The credentials that the clients sign with, and from where (`method`)."""
    with _making:
        return _session(_surrounding()).get_credentials()


def forget_clients() -> None:
    """Make all clients anew from now on, with credentials and connections of their own."""
    with _making:
        for kept in (_session, _s3_client, _sqs_client, _secrets_client, _textract_client):
            kept.cache_clear()


def s3_endpoint() -> str | None:
    """The address that takes the place of Amazon's, if one is set."""
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")


def _surrounding() -> Surrounding:
    return tuple(os.environ.get(name) for name in _SURROUNDING)


@lru_cache(maxsize=1)
def _descriptions() -> Loader:
    """The descriptions of AWS's services, which take most of the time that making a client does. They never change."""
    loader: Loader = botocore.session.get_session().get_component("data_loader")
    return loader


@lru_cache(maxsize=4)
def _session(surrounding: Surrounding) -> boto3.session.Session:
    core = botocore.session.get_session()
    core.register_component("data_loader", _descriptions())
    # boto3 itself reads AWS_DEFAULT_REGION alone; Lambda and most other tools go by AWS_REGION.
    return boto3.session.Session(botocore_session=core, region_name=os.environ.get("AWS_REGION") or None)


@lru_cache(maxsize=4)
def _s3_client(surrounding: Surrounding) -> S3Client:
    session = _session(surrounding)
    with _usable_address():
        return session.client("s3", region_name=session.region_name or _FALLBACK_REGION, config=_config())


@lru_cache(maxsize=8)
def _sqs_client(surrounding: Surrounding, region: str | None, waiting: bool) -> SQSClient:
    session = _session(surrounding)
    extra = LONGEST_WAIT_SECONDS if waiting else 0
    name = region or session.region_name or _FALLBACK_REGION
    with _usable_address():
        return session.client("sqs", region_name=name, config=_config(extra))


@lru_cache(maxsize=4)
def _secrets_client(surrounding: Surrounding) -> SecretsClient:
    session = _session(surrounding)
    with _usable_address():
        made = session.client("secretsmanager", region_name=session.region_name or _FALLBACK_REGION, config=_config())
        return cast("SecretsClient", made)


@lru_cache(maxsize=4)
def _textract_client(surrounding: Surrounding) -> TextractClient:
    session = _session(surrounding)
    with _usable_address():
        made = session.client("textract", region_name=session.region_name or _FALLBACK_REGION, config=_config())
        return cast("TextractClient", made)


@contextmanager
def _usable_address() -> Iterator[None]:
    try:
        yield
    except BotoCoreError:
        raise
    except ValueError as error:  # all that boto3 says of an endpoint without a scheme
        raise SettingsError("AWS_ENDPOINT_URL must be an address like https://HOST; leave it out for AWS.") from error


def _config(extra_seconds: int = 0) -> Config:
    seconds = request_seconds(os.environ)
    return Config(
        connect_timeout=min(seconds, _CONNECT_SECONDS),
        read_timeout=seconds + extra_seconds,
        retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
        max_pool_connections=_CONNECTIONS,
    )
