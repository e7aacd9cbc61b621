"""The functions whose start is measured, each with its variables and the first event that it answers."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlencode

import boto3
import pytest

from docshelf.signin.function import SigninFunction
from docshelf.signin.sealing_keys import SealingKeys
from tests.support.cloud import Cloud, new_cloud
from tests.support.http_events import http_api_2
from tests.support.layered_function import Deployed
from tests.support.moto_server import moto_server
from tests.support.pipeline import look_at, pipeline, record
from tests.support.tokens import TokenIssuer

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DOCUMENT = "delivery/release-guide.md"
_REDIRECT = "http://127.0.0.1/callback"


@dataclass(frozen=True, slots=True)
class Case:
    """What `function` answers first; `module` is the one with most of its imports."""

    label: str
    function: str
    module: str
    variables: dict[str, str]
    event: dict[str, object]


@contextmanager
def cases(deployed: Deployed) -> Iterator[list[Case]]:
    """One or more for each function, over an index of the examples."""
    with ExitStack() as ends:
        cloud = new_cloud(ends.enter_context(moto_server()))
        issuer = ends.enter_context(TokenIssuer())
        patch = ends.enter_context(pytest.MonkeyPatch.context())
        for name, value in cloud.environment.items():
            patch.setenv(name, value)
        for file in EXAMPLES.rglob("*.*"):
            cloud.put(file.relative_to(EXAMPLES).as_posix(), file.read_bytes())
        with pipeline(cloud) as functions:
            functions.sync(*(file.relative_to(EXAMPLES).as_posix() for file in EXAMPLES.rglob("*.*")))
            functions.prepare(DOCUMENT)
            prepared = functions.batch(cloud.commit_queue_url)
        look: dict[str, object] = {"Records": [record(look_at(DOCUMENT))]}
        yield [
            _search(cloud, issuer, deployed),
            *_signin(cloud),
            Case("ingest: one Markdown file", "ingest", "docshelf.ingest.function", cloud.environment, look),
            Case("commit: one document", "commit", "docshelf.commit.lane", cloud.environment, prepared),
        ]


def _search(cloud: Cloud, issuer: TokenIssuer, deployed: Deployed) -> Case:
    variables = {
        **cloud.environment,
        **issuer.environment,
        "DOCSHELF_MODEL": str(deployed.opt("search") / "model"),
        "DOCSHELF_REQUEST_SECONDS": "5",
    }
    params = {"name": "search_documents", "arguments": {"query": "How is a release rolled back?"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    event = http_api_2(body=body)
    cast("dict[str, str]", event["headers"])["authorization"] = f"Bearer {issuer.issue(groups=['all'])}"
    return Case("search: one search", "search", "docshelf.serving.function", variables, event)


def _signin(cloud: Cloud) -> Iterator[Case]:
    keys, secret = SealingKeys.generate(), f"docshelf/{uuid.uuid4().hex}"
    boto3.client("secretsmanager").create_secret(Name=secret, SecretString=keys.text())
    known = {
        "DOCSHELF_URL": "https://docs.example.com/mcp",
        "DOCSHELF_COGNITO_URL": "https://auth.example.com",
        "DOCSHELF_COGNITO_CLIENT_ID": "client",
    }
    variables = {**cloud.environment, **known, "DOCSHELF_SEALING_KEYS_SECRET": secret}
    begun = {
        "response_type": "code",
        "client_id": _registered({**known, "DOCSHELF_SEALING_KEYS": keys.text()}),
        "redirect_uri": _REDIRECT,
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "S256",
        "resource": known["DOCSHELF_URL"],
    }
    metadata = http_api_2("GET", "/.well-known/oauth-protected-resource", body="")
    authorize = http_api_2("GET", "/authorize", body="", rawQueryString=urlencode(begun))
    for label, event in (("signin: metadata", metadata), ("signin: consent page", authorize)):
        yield Case(label, "signin", "docshelf.signin.function", variables, event)


def _registered(environment: dict[str, str]) -> str:
    """The id of a client that was registered with the keys of `environment`."""
    body = {"redirect_uris": [_REDIRECT], "token_endpoint_auth_method": "none"}
    event = http_api_2("POST", "/register", body=json.dumps(body))
    answer = cast("dict[str, Any]", SigninFunction.from_environment(environment).handle(event, cast("Any", None)))
    registered: str = json.loads(answer["body"])["client_id"]
    return registered
