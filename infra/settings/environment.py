"""An environment: everything that differs between one deployment and another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from docshelf.access.policy import AccessPolicy
from docshelf.embedding.profiles import PROFILES
from docshelf.errors import SettingsError
from infra.settings.parts import (
    Alarms,
    Api,
    Budget,
    Commit,
    Domain,
    IdentityProvider,
    Ingest,
    Limits,
    Part,
    Search,
    Signin,
)
from infra.settings.values import Account, EachOnce, EnvironmentName, GroupName, MachineName, Region, Text

LogDays = Literal[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 3653]

_LEAST_MEMORY_MB = 512
"""For functions that open the index or load the model; docs/performance.md says what they take when they start."""

_OTHER_PARTS = ("cn-", "us-gov-", "us-iso", "eu-isoe-", "eusc-")
"""What the names of regions begin with whose accounts, addresses and services are not those of all the others."""


class Environment(Part):
    """One environment, whose stack is `docshelf-NAME`.

    `machines` are programs that get tokens without a person. `access` maps groups to the collections that they open;
    without it everybody who is signed in sees everything. `ocr` is who recognises the text of scans and pictures of at
    most `ocr_max_pages` pages. `retain_data` keeps the documents, the index, the people and
    the keys when the stack is deleted, and guards them from deletion.
    """

    name: EnvironmentName
    region: Region
    account: Account | None = None
    architecture: Literal["arm64", "x86_64"] = "arm64"
    model: str = "bge-small-en-v1.5"
    title: Text = "Docshelf"
    blurb: Text | None = None
    contact: Text | None = None
    retain_data: bool = True
    keep_replaced_days: Annotated[int, Field(ge=1, le=3_650)] = 30
    log_days: LogDays = 30
    machines: Annotated[tuple[MachineName, ...], EachOnce] = ("smoke",)
    access: Mapping[GroupName, tuple[str, ...]] | None = None
    ingest: Ingest = Ingest()
    commit: Commit = Commit()
    search: Search = Search()
    signin: Signin = Signin()
    limits: Limits = Limits()
    ocr: Literal["off", "textract"] = "off"
    ocr_max_pages: Annotated[int, Field(ge=1, le=3_000)] = 100
    api: Api = Api()
    alarms: Alarms = Alarms()
    domain: Domain | None = None
    identity_provider: IdentityProvider | None = None
    budget: Budget | None = None

    @property
    def stack_name(self) -> str:
        """The name of the CloudFormation stack, and the beginning of every name that must be given."""
        return f"docshelf-{self.name}"

    @property
    def recognises(self) -> bool:
        """Whether the text of scans and pictures is recognised."""
        return self.ocr != "off"

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of people that `access` names, for the user pool."""
        return tuple(sorted(name for name in self.access or () if name != "*"))

    @property
    def access_text(self) -> str | None:
        """`access` as the search function reads it, `DOCSHELF_ACCESS`."""
        if self.access is None:
            return None
        return json.dumps({group: list(names) for group, names in self.access.items()}, ensure_ascii=True)

    @field_validator("model")
    @classmethod
    def _known_model(cls, name: str) -> str:
        if name not in PROFILES:
            raise ValueError(f"must be one of {', '.join(PROFILES)}")
        return name

    @field_validator("region")
    @classmethod
    def _of_the_ordinary_part(cls, region: str) -> str:
        if region.startswith(_OTHER_PARTS):
            raise ValueError(
                f"must be an ordinary region of AWS: docshelf was not made for the separate part of {region}"
            )
        return region

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        try:
            AccessPolicy.parse(self.access_text)
        except SettingsError as error:
            raise ValueError(error.sentence.replace("DOCSHELF_ACCESS", "access")) from None
        if self.ingest.timeout_seconds < 2 * self.limits.parse_seconds + 20:
            raise ValueError("ingest.timeout_seconds must be at least 20 more than twice limits.parse_seconds")
        large = {"ingest": self.ingest.memory_mb, "commit": self.commit.memory_mb, "search": self.search.memory_mb}
        for function, memory_mb in large.items():
            if memory_mb < _LEAST_MEMORY_MB:
                raise ValueError(
                    f"{function}.memory_mb must be at least {_LEAST_MEMORY_MB}: libraries take most of that"
                )
        if self.ingest.memory_mb <= self.limits.parse_memory_mb:
            raise ValueError("ingest.memory_mb must be more than limits.parse_memory_mb")
        for function, settings in (("search", self.search), ("signin", self.signin)):
            if settings.snap_start and self.region in ("ap-southeast-6", "ap-east-2"):
                raise ValueError(f"{function}.snap_start is not to be had in {self.region}")
        if self.domain and self.domain.certificate_arn.split(":")[3] != self.region:
            raise ValueError(f"domain.certificate_arn must be of a certificate in {self.region}")
        secret = self.identity_provider and self.identity_provider.client_secret_arn
        if secret and secret.split(":")[3] != self.region:
            raise ValueError(f"identity_provider.client_secret_arn must be of a secret in {self.region}")
        return self
