"""The tables of an environment's file. Sizes are in MiB unless the name says otherwise, times as the name says."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from infra.settings.values import (
    CertificateArn,
    Concurrency,
    Count,
    EachOnce,
    Email,
    HostName,
    HttpsAddress,
    Memory,
    Origin,
    ProviderName,
    ScopeName,
    SecretArn,
    Text,
    ZoneId,
)

_OWN_PROVIDERS = ("cognito", "facebook", "google", "loginwithamazon", "signinwithapple")


class Part(BaseModel):
    """Values as they are written: nothing is converted, nothing unknown is passed over, nothing changes later."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, regex_engine="python-re")


class Ingest(Part):
    """The function that reads documents. `concurrency` is how many of it the queue feeds at once."""

    memory_mb: Memory = 2_048
    timeout_seconds: Annotated[int, Field(ge=60, le=900)] = 600
    temporary_mb: Annotated[int, Field(ge=512, le=10_240)] = 1_024
    concurrency: Annotated[int, Field(ge=2, le=1_000)] = 10
    max_receives: Annotated[int, Field(ge=5, le=100)] = 5


class Commit(Part):
    """The one writer, and the chores that are done in its lane. Training the vector index uses temporary files too."""

    memory_mb: Memory = 2_048
    timeout_seconds: Annotated[int, Field(ge=60, le=900)] = 900
    temporary_mb: Annotated[int, Field(ge=512, le=10_240)] = 2_048
    maintain_minutes: Annotated[int, Field(ge=6, le=1_440)] = 10
    sweep_at_hour: Annotated[int, Field(ge=0, le=23)] = 2
    keep_versions_seconds: Annotated[int, Field(ge=60, le=86_400)] = 600


class Search(Part):
    """The MCP server. `reserved_concurrency` bounds how many of it there are, and takes them from the account's."""

    memory_mb: Memory = 1_769
    snap_start: bool = False
    reserved_concurrency: Concurrency | None = None
    answer_seconds: Annotated[int, Field(ge=1, le=27)] = 25


class Signin(Part):
    """The sign-in. `redirect_hosts` limits the web sites that answers go to; `mfa` is for people of the pool itself."""

    memory_mb: Memory = 512
    snap_start: bool = False
    reserved_concurrency: Concurrency | None = None
    redirect_hosts: tuple[HostName, ...] = ()
    mfa: Literal["off", "optional", "required"] = "optional"
    access_token_minutes: Annotated[int, Field(ge=5, le=1_440)] = 60
    refresh_token_days: Annotated[int, Field(ge=1, le=365)] = 30


class Limits(Part):
    """What one document may cost; the fields, and their defaults, of `docshelf.settings.Limits`."""

    max_bytes: Count = 100_000_000
    max_pages: Count = 5_000
    max_characters: Count = 20_000_000
    max_chunks: Count = 20_000
    max_members: Count = 1_000
    max_unpacked_bytes: Count = 1_000_000_000
    max_archive_depth: Count = 3
    parse_seconds: Annotated[int, Field(ge=1, le=400)] = 60
    parse_memory_mb: Annotated[int, Field(ge=128, le=10_240)] = 1_024


class Api(Part):
    """The front door. Rates are requests a second of all callers together; `signin` ones are of each of its paths.

    `restore_challenge` has API Gateway write the header WWW-Authenticate anew, which it is said to rename.
    """

    rate: Annotated[int, Field(ge=1, le=10_000)] = 50
    burst: Annotated[int, Field(ge=1, le=5_000)] = 100
    signin_rate: Annotated[int, Field(ge=1, le=10_000)] = 10
    signin_burst: Annotated[int, Field(ge=1, le=5_000)] = 40
    browser_origins: tuple[Origin, ...] = ()
    restore_challenge: bool = False


class Alarms(Part):
    """When somebody is told, and who. Without `emails` the topic is there for subscriptions of your own."""

    enabled: bool = True
    emails: Annotated[tuple[Email, ...], EachOnce] = ()
    oldest_message_minutes: Annotated[int, Field(ge=5, le=1_440)] = 60
    failed_documents: Count = 1
    search_p95_ms: Annotated[int, Field(ge=100, le=29_000)] = 3_000
    init_ms: Annotated[int, Field(ge=100, le=60_000)] = 8_000
    dashboard: bool = True


class Budget(Part):
    """A monthly budget of the whole account, and who is told at 80 and 100 percent of it."""

    monthly_usd: Count
    emails: Annotated[tuple[Email, ...], Field(min_length=1, max_length=10), EachOnce]


class Domain(Part):
    """A name of your own for the address. With the hosted zone its record is made, else you point the name yourself."""

    name: HostName
    certificate_arn: CertificateArn
    hosted_zone_id: ZoneId | None = None
    hosted_zone_name: HostName | None = None

    @model_validator(mode="after")
    def _zone_as_a_whole(self) -> Self:
        if (self.hosted_zone_id is None) != (self.hosted_zone_name is None):
            raise ValueError("needs hosted_zone_id and hosted_zone_name together, or neither")
        if self.hosted_zone_name and not f".{self.name}".endswith(f".{self.hosted_zone_name}"):
            raise ValueError("has a name that is not in the hosted zone")
        return self


class IdentityProvider(Part):
    """The company's sign-in: OIDC (issuer, client_id, client_secret_arn) or SAML (metadata_url).

    The secret of `client_secret_arn` holds the client secret as plain text. With `local_people` accounts of the pool
    itself can sign in besides.
    """

    kind: Literal["oidc", "saml"]
    name: ProviderName
    issuer: HttpsAddress | None = None
    client_id: Text | None = None
    client_secret_arn: SecretArn | None = None
    scopes: tuple[ScopeName, ...] = ("openid", "email", "profile")
    metadata_url: HttpsAddress | None = None
    email_claim: Text = "email"
    local_people: bool = False

    @model_validator(mode="after")
    def _all_of_its_kind(self) -> Self:
        if self.name.lower() in _OWN_PROVIDERS:
            raise ValueError(f"has the name {self.name}, which Amazon Cognito keeps for itself")
        if "openid" not in self.scopes:
            raise ValueError("must have openid among its scopes")
        of_oidc = (self.issuer, self.client_id, self.client_secret_arn)
        if self.kind == "oidc" and (None in of_oidc or self.metadata_url is not None):
            raise ValueError("of kind oidc needs issuer, client_id and client_secret_arn, and no metadata_url")
        if self.kind == "saml" and (self.metadata_url is None or any(of_oidc)):
            raise ValueError("of kind saml needs metadata_url, and no issuer, client_id or client_secret_arn")
        return self
