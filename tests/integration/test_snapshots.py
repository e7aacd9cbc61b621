"""Functions that go on from a snapshot under AWS's runtime client, in a world that has moved on meanwhile."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import httpx2
import pytest

from docshelf.index.store import Index
from docshelf.signin.sealing_keys import SealingKeys
from tests.support.api_gateway import api_gateway
from tests.support.cloud import Cloud, new_cloud
from tests.support.fault_proxy import Fault, FaultProxy
from tests.support.handler_processes import HandlerFailedError
from tests.support.http_wire import HttpMessage
from tests.support.instance_credentials import InstanceCredentials, instance_credentials
from tests.support.lambda_runtime import LambdaRuntime
from tests.support.pipeline import Pipeline, pipeline
from tests.support.search_endpoint import MODEL
from tests.support.tokens import TokenIssuer

PUMP = "# Pump\n\nThe harvester pump runs at 40 bar.\n"
VALVE = "# Valve\n\nThe valve opens at 3 bar.\n"
AFTER = "ASIAAFTERTHERESTORE"
_ESTABLISHED = "01"
STATIC = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


@dataclass
class Signers:
    """Whose credentials requests were signed with, in their order."""

    seen: list[str] = field(default_factory=list)

    def decide(self, request: HttpMessage) -> Fault:
        found = re.search(r"Credential=(\w+)/", request.headers.get("authorization", ""))
        self.seen.append(found[1] if found else "nobody")
        return Fault.NONE

    def kill(self) -> None:
        raise AssertionError("no fault of this plan ends the client")


@dataclass(frozen=True)
class Snapshotted:
    """A search function that waits at its snapshot, and what is around it."""

    pipe: Pipeline
    issuer: TokenIssuer
    credentials: InstanceCredentials
    signers: Signers
    runtime: LambdaRuntime
    url: str
    log: Path

    def search(self, query: str) -> str:
        """What the first hits of a search are, as text."""
        arguments = {"name": "search_documents", "arguments": {"query": query}}
        response = httpx2.post(
            self.url,
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments},
            headers={
                "Accept": "application/json, text/event-stream",
                "Authorization": f"Bearer {self.issuer.issue(groups=['all'])}",
            },
            timeout=40,
        )
        text: str = response.json()["result"]["content"][0]["text"]
        return text

    def messages(self) -> list[str]:
        return [line["message"] for line in lines_of(self.log)]


def lines_of(log: Path) -> list[dict[str, Any]]:
    """The lines of JSON that a function wrote so far."""
    found = [json.loads(line) for line in log.read_text("utf-8").splitlines() if line.startswith("{")]
    return [line for line in found if "message" in line]


def open_tcp_connections(pid: int) -> int:
    """How many TCP connections a process has."""
    own = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        own |= set(re.findall(r"socket:\[(\d+)\]", str(descriptor.readlink())))
    rows = [
        line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()
    ]
    return sum(row[3] == "01" and row[9] in own for row in rows[1:])


@contextmanager
def surroundings(cloud: Cloud) -> Iterator[None]:
    """The environment of `cloud` for what this process does itself."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in cloud.environment.items():
            patch.setenv(name, value)
        yield


@contextmanager
def snapshotted(moto_url: str, directory: Path, documents: dict[str, str]) -> Iterator[Snapshotted]:
    """A search function over an index of `documents`; without any, there is no index yet."""
    cloud, log = new_cloud(moto_url), directory / "search.log"
    with ExitStack() as ends:
        issuer = ends.enter_context(TokenIssuer())
        credentials = ends.enter_context(instance_credentials())
        signers, proxy = Signers(), ends.enter_context(FaultProxy(moto_url, keep_alive=True))
        environment = {
            **{name: value for name, value in cloud.environment.items() if name not in STATIC},
            **MODEL,
            **issuer.environment,
            **credentials.environment,
            "AWS_ENDPOINT_URL": proxy.listen(signers),
            "DOCSHELF_HOSTS": "127.0.0.1",
            "DOCSHELF_REQUEST_SECONDS": "5",
        }
        with surroundings(cloud):
            pipe = ends.enter_context(pipeline(cloud))
            for key, text in documents.items():
                cloud.put(key, text)
            pipe.sync(*documents)
        runtime = ends.enter_context(LambdaRuntime("search", environment, log, snap_start=True))
        url = f"{ends.enter_context(api_gateway(runtime))}/mcp"
        runtime.wait_for_snapshot()
        yield Snapshotted(pipe, issuer, credentials, signers, runtime, url, log)
    print(log.read_text("utf-8"))


def test_search_is_loaded_before_the_snapshot_and_renewed_after_it(moto_url: str, tmp_path: Path) -> None:
    with snapshotted(moto_url, tmp_path, {"handbook/pump.md": PUMP}) as search:
        assert search.messages() == ["The index was opened ahead."]
        assert set(search.signers.seen) == {"ASIABEFORETHESNAPSHOT"}
        assert open_tcp_connections(search.runtime.pid) == 1, "to the runtime's interface alone"
        assert search.issuer.requests == 0
        with surroundings(search.pipe.cloud):
            search.pipe.cloud.put("handbook/valve.md", VALVE)
            search.pipe.sync("handbook/valve.md")
        search.issuer.rotate()
        search.credentials.renew(AFTER)
        before = len(search.signers.seen)
        search.runtime.restore()
        assert "handbook/valve.md" in search.search("When does the valve open?")
        assert "40 bar" in search.search("At how many bar does the pump run?")
        assert set(search.signers.seen[before:]) == {AFTER}


def test_search_answers_from_the_index_that_is_in_use_when_it_is_restored(moto_url: str, tmp_path: Path) -> None:
    with snapshotted(moto_url, tmp_path, {"handbook/pump.md": PUMP}) as search, surroundings(search.pipe.cloud):
        place = search.pipe.cloud.index
        old = search.pipe.index()
        assert Index.create(place, old.identity).generation == search.pipe.index().generation != old.generation
        search.runtime.restore()
        # The pointer that was read before the snapshot is seconds old, which a clock that stood still would not tell.
        assert "40 bar" not in search.search("At how many bar does the pump run?")


def test_search_can_be_snapshotted_before_there_is_an_index(moto_url: str, tmp_path: Path) -> None:
    with snapshotted(moto_url, tmp_path, {}) as search:
        assert search.messages() == [
            "The index could not be opened ahead.",
            "A search could not be tried before the first request.",
        ]
        with surroundings(search.pipe.cloud):
            search.pipe.cloud.put("handbook/pump.md", PUMP)
            search.pipe.sync("handbook/pump.md")
        search.runtime.restore()
        assert "40 bar" in search.search("At how many bar does the pump run?")


def test_no_sealing_key_is_in_a_snapshot_of_the_sign_in(cloud: Cloud, tmp_path: Path) -> None:
    name, secrets = f"docshelf/{uuid.uuid4().hex}", boto3.client("secretsmanager")
    secrets.create_secret(Name=name, SecretString=SealingKeys.generate().text())
    signers = Signers()
    with FaultProxy(cloud.url, keep_alive=True) as proxy:
        environment = {
            **cloud.environment,
            "AWS_ENDPOINT_URL": proxy.listen(signers),
            "DOCSHELF_URL": "https://docs.example.com/mcp",
            "DOCSHELF_COGNITO_URL": "https://auth.example.com",
            "DOCSHELF_COGNITO_CLIENT_ID": "client",
            "DOCSHELF_SEALING_KEYS_SECRET": name,
            "DOCSHELF_HOSTS": "127.0.0.1",
        }
        log = tmp_path / "signin.log"
        with LambdaRuntime("signin", environment, log, snap_start=True) as runtime, api_gateway(runtime) as origin:
            runtime.wait_for_snapshot()
            assert signers.seen == []
            rotated = SealingKeys.generate()
            secrets.put_secret_value(SecretId=name, SecretString=rotated.text())
            runtime.restore()
            metadata = {"redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none"}
            registered = httpx2.post(f"{origin}/register", json=metadata, timeout=40)
            assert registered.json()["client_id"].startswith(f"{rotated.current}.")
            assert len(signers.seen) == 1


@pytest.mark.parametrize("name", ["ingest", "commit"])
def test_the_writing_functions_go_on_from_a_snapshot(cloud: Cloud, tmp_path: Path, name: str) -> None:
    with LambdaRuntime(name, cloud.environment | MODEL, tmp_path / "log", snap_start=True) as runtime:
        runtime.wait_for_snapshot()
        assert open_tcp_connections(runtime.pid) == 1, "to the runtime's interface alone"
        runtime.restore()
        with pytest.raises(HandlerFailedError, match="MessageError"):
            runtime({"no": "records"})
