"""Sign-in as its users meet it: the function in AWS's runtime client, behind an HTTP API, before a pool of Cognito."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast

from docshelf.settings import MCP_PATH
from docshelf.signin.sealing import Purpose, Sealer
from docshelf.signin.sealing_keys import SealingKeys
from tests.support.api_gateway import Handle, api_gateway
from tests.support.api_gateway_events import Version
from tests.support.cognito_pool import AppClient, Person, Pool
from tests.support.fake_cognito import FakeCognito, fake_cognito
from tests.support.lambda_runtime import Home, LambdaRuntime
from tests.support.search_endpoint import MODEL
from tests.support.tokens import SCOPE, TokenIssuer

APP_CLIENT, MACHINE_CLIENT = "4example1client2id3docshelf", "7example8machine9docshelf"
SECRET, MACHINE_SECRET = "the-secret-of-the-app-client", "the-secret-of-the-machine"
ANNA = Person("anna", "anna's password", ("everything",))
BERT = Person("bert", "bert's password", ("delivery",))
CARL = Person("carl", "carl's password", None)
ACCESS = {"everything": ["*"], "delivery": ["delivery"]}


class Exchange(NamedTuple):
    """A request that reached a function."""

    method: str
    path: str
    status: int


@dataclass(slots=True)
class SigninEndpoint:
    """The server whose MCP endpoint is at `url`; `exchanges` has what was asked of it, oldest first.

    `sealer` has the function's own keys, so that a test can look into what it sealed. `log` is what it wrote.
    """

    origin: str
    cognito: FakeCognito
    issuer: TokenIssuer
    sealing_keys: str
    log: Path
    variables: dict[str, str] = field(default_factory=dict)
    functions: dict[str, Handle] = field(default_factory=dict)
    exchanges: list[Exchange] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address that people give their clients."""
        return f"{self.origin}{MCP_PATH}"

    @property
    def pool(self) -> Pool:
        """The pool behind it."""
        return self.cognito.pool

    def sealer(self, *, seconds_ago: float = 0.0) -> Sealer:
        """A sealer with the function's keys, whose clock is behind by `seconds_ago`."""
        now = self.pool.now()
        return Sealer(SealingKeys.parse(self.sealing_keys), clock=lambda: now - seconds_ago)

    def aged(self, purpose: Purpose, text: str) -> str:
        """The sealed `text`, as if it had been sealed a year ago."""
        data = self.sealer().unseal(purpose, text)
        return self.sealer(seconds_ago=365 * 24 * 3600).seal(purpose, data, 600)

    def asked_of_pool(self, part: str = "") -> list[dict[str, str]]:
        """The parameters of what the pool was asked at addresses that contain `part`."""
        return [parameters for asked, parameters in self.cognito.asked if part in asked]

    def lines(self) -> list[dict[str, Any]]:
        """The lines of JSON that the sign-in function wrote so far."""
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines() if line.startswith("{")]

    def reset(self) -> None:
        """Forget what a test did."""
        self.cognito.fault = None
        self.cognito.asked.clear()
        self.exchanges.clear()

    @contextmanager
    def restarted(self, **settings: str) -> Iterator[None]:
        """Have another instance of the sign-in function with changed variables answer, for the block."""
        before = self.functions["signin"]
        with LambdaRuntime("signin", self.variables | _named(settings), self.log) as runtime:
            self.functions["signin"] = runtime
            try:
                yield
            finally:
                self.functions["signin"] = before

    def __call__(self, event: object) -> object:
        """What API Gateway calls: the answer to `event` of the function that its path leads to."""
        asked = cast("dict[str, Any]", event)
        http = asked["requestContext"].get("http") or {"method": asked.get("httpMethod"), "path": asked.get("path")}
        name = "search" if http["path"] in (MCP_PATH, f"{MCP_PATH}/", "/healthz") else "signin"
        answer = cast("dict[str, Any]", self.functions[name](asked))
        self.exchanges.append(Exchange(http["method"], http["path"], answer["statusCode"]))
        return answer


@contextmanager
def signin_endpoint(
    directory: Path,
    *,
    index: Mapping[str, str] | None = None,
    people: Sequence[Person] = (ANNA, BERT, CARL),
    rotation: bool = False,
    resource_binding: bool = True,
    version: Version = "2.0",
    home_of: Callable[[str], Home] = Home.of_repository,
    **settings: str,
) -> Iterator[SigninEndpoint]:
    """The endpoint at a new port of localhost, for the block; its logs go to `directory`.

    `index` has the variables of an index, and without it nothing answers at `/mcp`. `resource_binding` says whether the
    pool can bind tokens to the endpoint. `home_of` says where a function lives. `settings` are variables of the sign-in
    function, without `DOCSHELF_`.
    """
    made: list[SigninEndpoint] = []

    def answer(event: object) -> object:
        return made[0](event)

    with ExitStack() as ends:
        # The front comes first: the functions must know its address. Cognito is at another host, as it really is.
        origin = ends.enter_context(api_gateway(answer, version=version)).replace("127.0.0.1", "localhost")
        url = f"{origin}{MCP_PATH}"
        issuer = ends.enter_context(TokenIssuer(audience=url, client_id=APP_CLIENT))
        pool = _pool(issuer, origin, bound=resource_binding, rotation=rotation)
        cognito = ends.enter_context(fake_cognito(pool, people))
        log = directory / "signin.log"
        endpoint = SigninEndpoint(origin, cognito, issuer, SealingKeys.generate().text(), log)
        endpoint.variables |= _signin_variables(endpoint, resource_binding=resource_binding) | _named(settings)
        endpoint.functions["signin"] = ends.enter_context(
            LambdaRuntime("signin", endpoint.variables, log, home=home_of("signin"))
        )
        if index is not None:
            search = LambdaRuntime(
                "search",
                _search_variables(endpoint, index, bound=resource_binding),
                directory / "search.log",
                home=home_of("search"),
            )
            endpoint.functions["search"] = ends.enter_context(search)
        made.append(endpoint)
        yield endpoint


def _pool(issuer: TokenIssuer, origin: str, *, bound: bool, rotation: bool) -> Pool:
    pool = Pool(issuer, rotation=rotation)
    scope = f"{issuer.audience}/{SCOPE}" if bound else SCOPE
    scopes = (scope, "openid", "email", "phone", "profile")
    app = AppClient(APP_CLIENT, SECRET, scopes, (f"{origin}/callback",))
    machine = AppClient(MACHINE_CLIENT, MACHINE_SECRET, (scope, "docs:other"))
    pool.clients |= {client.client_id: client for client in (app, machine)}
    if bound:
        pool.resource_servers.add(issuer.audience)
    return pool


def _signin_variables(endpoint: SigninEndpoint, *, resource_binding: bool) -> dict[str, str]:
    return {
        "DOCSHELF_URL": endpoint.url,
        "DOCSHELF_COGNITO_URL": endpoint.cognito.url,
        "DOCSHELF_COGNITO_CLIENT_ID": APP_CLIENT,
        "DOCSHELF_COGNITO_CLIENT_SECRET": SECRET,
        "DOCSHELF_SEALING_KEYS": endpoint.sealing_keys,
        "DOCSHELF_RESOURCE_BINDING": "1" if resource_binding else "0",
        "DOCSHELF_CONTACT": "it-help@example.com",
    }


def _named(settings: Mapping[str, str]) -> dict[str, str]:
    return {f"DOCSHELF_{name.upper()}": value for name, value in settings.items()}


def _search_variables(endpoint: SigninEndpoint, index: Mapping[str, str], *, bound: bool) -> dict[str, str]:
    # Where tokens name their audience, that of people must do so: the app client is not listed.
    clients = (MACHINE_CLIENT,) if bound else (APP_CLIENT, MACHINE_CLIENT)
    return {
        **MODEL,
        **index,
        **endpoint.issuer.environment,
        "DOCSHELF_CLIENT_IDS": ",".join(clients),
        "DOCSHELF_ACCESS": json.dumps(ACCESS),
    }
