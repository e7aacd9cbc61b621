"""The values that settings may have: texts of a form, and numbers within bounds."""

from __future__ import annotations

from typing import Annotated
from unicodedata import category

from pydantic import AfterValidator, Field, StringConstraints

MIN_MEMORY_MB, MAX_MEMORY_MB = 128, 10_240

_HOST = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?"
_LABEL = r"(?!-)[a-z0-9-]{1,63}(?<!-)"


def written_like(pattern: str, example: str) -> StringConstraints:
    """Texts that match the whole of `pattern`, of which the sentence about another one shows `example`."""
    whole = rf"^(?:{pattern})\Z"
    EXAMPLES[whole] = example
    return StringConstraints(pattern=whole)


EXAMPLES: dict[str, str] = {}
"""What a text should look like, by the pattern that it must match."""

HostName = Annotated[str, written_like(rf"(?=.{{1,240}}\Z){_LABEL}(?:\.{_LABEL})+", "docs.example.com")]
Email = Annotated[str, written_like(r"[^@\s<>,]+@[^@\s<>,]+\.[^@\s<>,]+", "name@example.com")]
HttpsAddress = Annotated[str, written_like(r"https://[^\s\"'<>]+", "https://login.example.com")]
Origin = Annotated[
    str, written_like(rf"https?://(?:{_HOST}|\[[0-9a-f:.]+\])(?::[0-9]{{1,5}})?", "http://localhost:6274")
]
CertificateArn = Annotated[
    str,
    written_like(r"arn:aws:acm:[a-z0-9-]+:[0-9]{12}:certificate/\S+", "arn:aws:acm:REGION:ACCOUNT:certificate/ID"),
]
SecretArn = Annotated[
    str,
    written_like(
        r"arn:aws:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[^\s:]+",
        "arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME",
    ),
]
ZoneId = Annotated[str, written_like(r"Z[A-Z0-9]{1,31}", "Z0123456789ABC")]
ProviderName = Annotated[str, written_like(r"[A-Za-z][A-Za-z0-9-]{2,31}", "Company")]
EnvironmentName = Annotated[str, written_like(r"[a-z](?:[a-z0-9]|-(?=[a-z0-9])){0,19}", "dev")]
Region = Annotated[str, written_like(r"[a-z]{2,4}(?:-[a-z]+)+-[0-9]", "eu-central-1")]
Account = Annotated[str, written_like(r"[0-9]{12}", "123456789012")]
GroupName = Annotated[str, written_like(r"[\w.+=@*-]{1,128}", "engineering")]
MachineName = Annotated[str, written_like(r"[a-z][a-z0-9-]{0,31}", "smoke")]
Memory = Annotated[int, Field(ge=MIN_MEMORY_MB, le=MAX_MEMORY_MB)]
Concurrency = Annotated[int, Field(ge=1, le=1_000)]
Count = Annotated[int, Field(ge=1, le=10_000_000_000)]
ScopeName = Annotated[str, written_like(r"[!#-\[\]-~]+", "openid")]


def _of_words(text: str) -> str:
    if not text.strip() or any(category(sign) == "Cc" and sign not in "\n\t" for sign in text):
        raise ValueError("must be words, without control characters")
    return text


def _each_once(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if values.count(value) > 1:
            raise ValueError(f"has {value} twice")
    return values


Text = Annotated[str, StringConstraints(min_length=1, max_length=500), AfterValidator(_of_words)]
EachOnce = AfterValidator(_each_once)
