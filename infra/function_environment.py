"""The environment variables of each function, as docs/settings.md has them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from infra.errors import InfrastructureError
from infra.queues import Queues
from infra.recognition import Recognition
from infra.settings import Environment
from infra.storage import KEEP_PREPARED_DAYS, Storage

MODEL_DIRECTORY = "/opt/model"
"""Where the model layer puts the prepared model."""

OTHER_MODELS = "/tmp/docshelf-models"  # noqa: S108 - the one place where a function may write, and its alone
"""Where another model goes that an index was made with: fetched, and checked, while a new index is being made."""

MOST_BYTES = 4_096
"""What AWS Lambda allows the variables of one function together."""

_RESOLVED_BYTES = 200
"""At most so long is what the deployment writes in the place of a name that is not known before (a URL, an ARN)."""

_TOKEN = re.compile(r"\$\{Token\[[^\]]*\]\}")
"""How the CDK writes the place of such a name."""

_REQUEST_SECONDS = 5
"""A request of a person is not to spend its whole time on one request that gets no answer."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What the functions must know of the address and the user pool; each may be a token."""

    url: str
    issuer: str
    domain_url: str
    client_id: str
    client_ids: Sequence[str]
    sealing_key_arn: str


def ingest_variables(
    environment: Environment, storage: Storage, queues: Queues, recognition: Recognition | None
) -> dict[str, str]:
    """Of the function that reads documents."""
    return {
        **_writing(environment, storage, queues),
        **_model(),
        "DOCSHELF_MAX_RECEIVES": str(environment.ingest.max_receives),
        **_set(
            DOCSHELF_OCR_TOPIC=recognition.topic.topic_arn if recognition else None,
            DOCSHELF_OCR_ROLE=recognition.role.role_arn if recognition else None,
        ),
    }


def commit_variables(environment: Environment, storage: Storage, queues: Queues) -> dict[str, str]:
    """Of the one writer."""
    return {
        **_writing(environment, storage, queues),
        "DOCSHELF_DEAD_LETTER_QUEUE_URL": queues.ingest_dead_letters.queue_url,
        "DOCSHELF_KEEP_VERSIONS_SECONDS": str(environment.commit.keep_versions_seconds),
        "DOCSHELF_KEEP_PREPARED_DAYS": str(KEEP_PREPARED_DAYS),
    }


def search_variables(environment: Environment, storage: Storage, identity: Identity) -> dict[str, str]:
    """Of the MCP server."""
    return {
        **_common(environment),
        **_model(),
        "DOCSHELF_INDEX": storage.index_address,
        "DOCSHELF_URL": identity.url,
        "DOCSHELF_TOKEN_ISSUER": identity.issuer,
        "DOCSHELF_CLIENT_IDS": ",".join(identity.client_ids),
        "DOCSHELF_ANSWER_SECONDS": str(environment.search.answer_seconds),
        "DOCSHELF_REQUEST_SECONDS": str(_REQUEST_SECONDS),
        **_set(
            DOCSHELF_ACCESS=environment.access_text,
            DOCSHELF_BLURB=environment.blurb,
            DOCSHELF_BROWSER_ORIGINS=",".join(environment.api.browser_origins),
        ),
    }


def signin_variables(environment: Environment, identity: Identity) -> dict[str, str]:
    """Of the sign-in. It is told of no index: it may read one secret and nothing else."""
    return {
        **_common(environment),
        "DOCSHELF_URL": identity.url,
        "DOCSHELF_COGNITO_URL": identity.domain_url,
        "DOCSHELF_COGNITO_CLIENT_ID": identity.client_id,
        "DOCSHELF_SEALING_KEYS_SECRET": identity.sealing_key_arn,
        "DOCSHELF_TITLE": environment.title,
        "DOCSHELF_REQUEST_SECONDS": str(_REQUEST_SECONDS),
        **_set(
            DOCSHELF_BLURB=environment.blurb,
            DOCSHELF_CONTACT=environment.contact,
            DOCSHELF_REDIRECT_HOSTS=",".join(environment.signin.redirect_hosts),
        ),
    }


def ocr_variables(environment: Environment) -> dict[str, str]:
    """Of whatever judges whether a document is stored as it should be."""
    return {"DOCSHELF_OCR": environment.ocr, "DOCSHELF_OCR_MAX_PAGES": str(environment.ocr_max_pages)}


def check_size(function: str, variables: Mapping[str, str]) -> None:
    """Let variables pass that AWS Lambda takes.

    Raises:
        InfrastructureError: they may be more than 4 KB together; the sentence names the longest.
    """
    sizes = {name: len(name) + _bytes(value) for name, value in variables.items()}
    total = sum(sizes.values())
    if total > MOST_BYTES:
        longest = max(sizes, key=lambda name: sizes[name])
        raise InfrastructureError(
            f"The variables of the function {function} are {total:,} bytes, and AWS Lambda takes {MOST_BYTES:,}: "
            f"shorten the setting behind {longest}, which has {sizes[longest]:,}."
        )


def _bytes(value: str) -> int:
    """Of a value, or at most of what the deployment makes of it."""
    return len(_TOKEN.sub("x" * _RESOLVED_BYTES, value).encode())


def _common(environment: Environment) -> dict[str, str]:
    return {"POWERTOOLS_SERVICE_NAME": environment.stack_name, "POWERTOOLS_LOG_LEVEL": "INFO"}


def _model() -> dict[str, str]:
    return {"DOCSHELF_MODEL": MODEL_DIRECTORY, "DOCSHELF_MODEL_CACHE": OTHER_MODELS}


def _writing(environment: Environment, storage: Storage, queues: Queues) -> dict[str, str]:
    limits = {f"DOCSHELF_{name.upper()}": str(value) for name, value in environment.limits.model_dump().items()}
    return {
        **_common(environment),
        **limits,
        **(ocr_variables(environment) if environment.recognises else {}),
        "DOCSHELF_BUCKET": storage.documents.bucket_name,
        "DOCSHELF_INDEX": storage.index_address,
        "DOCSHELF_INGEST_QUEUE_URL": queues.ingest.queue_url,
        "DOCSHELF_COMMIT_QUEUE_URL": queues.commit.queue_url,
    }


def _set(**variables: str | None) -> dict[str, str]:
    """The variables that have a value."""
    return {name: value for name, value in variables.items() if value}
