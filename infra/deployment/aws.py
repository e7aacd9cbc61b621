"""AWS as a deployment asks it: whose credentials these are, and what is there. Only here are its clients made."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,  # noqa: A004  botocore's own, which is none of Python's
    HTTPClientError,
)
from botocore.parsers import ResponseParserError

from docshelf.aws.faults import code_of, translated
from infra.errors import InfrastructureError

_CONFIG = Config(connect_timeout=5, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 3})
_BOOTSTRAP = "/cdk-bootstrap/hnb659fds/version"


class AccountError(InfrastructureError):
    """AWS cannot be asked, or refuses; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom AWS takes us for. `account` has twelve digits, `arn` names the person or role."""

    account: str
    arn: str


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate of ACM: its status, such as `ISSUED`, and the names that it is for."""

    status: str
    names: tuple[str, ...]

    def covers(self, host: str) -> bool:
        """Whether it is for `host`, by its name or by `*` in the place of its first part."""
        return host in self.names or f"*.{host.partition('.')[2]}" in self.names


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack of CloudFormation: its status, such as `UPDATE_COMPLETE`, and its outputs by name.

    `guarded` says whether CloudFormation refuses to delete it.
    """

    name: str
    status: str
    outputs: Mapping[str, str]
    guarded: bool


class Account:
    """The account that the credentials of this machine lead to, in one region. Every question raises AccountError."""

    def __init__(self, region: str) -> None:
        self.region = region

    def identity(self) -> Identity:
        """Whose credentials these are."""
        with self._asking("sts:GetCallerIdentity"):
            found = self._client("sts").get_caller_identity()
        return Identity(found["Account"], found["Arn"])

    def bootstrap_version(self) -> int | None:
        """The version of what CDK keeps in account and region, None where it keeps nothing yet."""
        with self._asking("ssm:GetParameter"):
            try:
                return int(self._client("ssm").get_parameter(Name=_BOOTSTRAP)["Parameter"]["Value"])
            except ClientError as error:
                if code_of(error) == "ParameterNotFound":
                    return None
                raise

    def certificate(self, arn: str) -> Certificate | None:
        """The certificate, None where there is none such."""
        with self._asking("acm:DescribeCertificate"):
            try:
                found = self._client("acm").describe_certificate(CertificateArn=arn)["Certificate"]
            except ClientError as error:
                if code_of(error) == "ResourceNotFoundException":
                    return None
                raise
        return Certificate(found["Status"], (found["DomainName"], *found.get("SubjectAlternativeNames", ())))

    def stack(self, name: str) -> Stack | None:
        """The stack as it is now, None where there is none of that name."""
        with self._asking("cloudformation:DescribeStacks"):
            try:
                found = self._client("cloudformation").describe_stacks(StackName=name)["Stacks"][0]
            except ClientError as error:
                if code_of(error) == "ValidationError" and "does not exist" in str(error):
                    return None
                raise
        outputs = {each["OutputKey"]: each["OutputValue"] for each in found.get("Outputs", ())}
        return Stack(name, found["StackStatus"], outputs, found.get("EnableTerminationProtection", False))

    def client_secret(self, user_pool_id: str, client_id: str) -> str:
        """The secret of an app client. Never show it."""
        with self._asking("cognito-idp:DescribeUserPoolClient"):
            found = self._client("cognito-idp").describe_user_pool_client(UserPoolId=user_pool_id, ClientId=client_id)
        secret: str | None = found["UserPoolClient"].get("ClientSecret")
        if secret is None:
            raise AccountError(f"The app client {client_id} of the pool {user_pool_id} is none of a machine.")
        return secret

    @cached_property
    def _session(self) -> boto3.session.Session:
        return boto3.session.Session(region_name=self.region)

    def _client(self, service: Any) -> Any:
        return self._session.client(service, config=_CONFIG)

    @contextmanager
    def _asking(self, action: str) -> Iterator[None]:
        try:
            yield
        except (ConnectionError, HTTPClientError) as error:
            raise AccountError(
                f"AWS cannot be reached in {self.region} ({type(error).__name__}): check the network, a proxy, and "
                "that there is such a region."
            ) from error
        except (ClientError, BotoCoreError, ResponseParserError) as error:
            raise AccountError(self._sentence(error, action)) from error

    def _sentence(self, error: ClientError | BotoCoreError | ResponseParserError, action: str) -> str:
        if isinstance(error, ClientError) and code_of(error) == "InvalidClientTokenId":
            return (
                f"AWS does not accept the credentials in {self.region}: log in again, or enable the region for the "
                "account if it is one that must be enabled."
            )
        return translated(error, "AWS", action).sentence


def lead_to_region(region: str) -> None:
    """Have the clients of the library, which go by the environment's variables, ask `region`."""
    os.environ["AWS_REGION"] = region
