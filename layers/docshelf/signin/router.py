"""Which endpoint answers a request, and what every answer carries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from docshelf.errors import OAuthError
from docshelf.gateway.messages import HttpRequest, HttpResponse
from docshelf.request_record import OTHER
from docshelf.signin.answers import Answer, Headers, as_json
from docshelf.signin.metadata import WELL_KNOWN
from docshelf.web_addresses import host_name

Endpoint = Callable[[HttpRequest], Answer]

_PREFLIGHT: Headers = (
    ("Access-Control-Allow-Methods", "GET, POST"),
    ("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, MCP-Protocol-Version"),
    ("Access-Control-Max-Age", "7200"),
)


@dataclass(frozen=True, slots=True)
class Route:
    """What answers at a path, by method.

    `name` is for the log. `for_people`: errors are pages. `is_open`: pages of every origin may read the answers, which
    no cookie has a part in.
    """

    name: str
    endpoints: Mapping[str, Endpoint]
    for_people: bool = False
    is_open: bool = False

    @property
    def allow(self) -> str:
        """The value of the header `Allow`."""
        return ", ".join([*self.endpoints, "OPTIONS"])


class Router:
    """The endpoints by their paths, under the names of this server."""

    def __init__(self, routes: Mapping[str, Route], hosts: Collection[str]) -> None:
        """`hosts` are the names that requests may come with, as `host_name` writes them."""
        self._routes = routes
        self._hosts = frozenset(hosts)
        self._nowhere = Route(OTHER, {})
        self._unknown_document = Route("well-known", {}, is_open=True)

    def route(self, path: str) -> Route:
        """The route of `path`; one without endpoints where there is none."""
        found = self._routes.get(path)
        if found is None:
            return self._unknown_document if path.startswith(WELL_KNOWN) else self._nowhere
        return found

    def answer(self, request: HttpRequest) -> Answer:
        """The answer of the endpoint, or of none; raises what the endpoint raises."""
        if host_name(request.headers.get("host", "")) not in self._hosts:
            return as_json(OAuthError("unknown_host", "This server does not answer under that name.", 421))
        route = self.route(request.path)
        if not route.endpoints:
            return as_json(OAuthError("not_found", "There is nothing here.", 404))
        if request.method == "OPTIONS":
            return Answer(HttpResponse(204, (("Allow", route.allow), *(_PREFLIGHT if route.is_open else ()))))
        endpoint = route.endpoints.get(request.method)
        if endpoint is None:
            error = OAuthError("method_not_allowed", f"The methods here are {route.allow}.", 405)
            return as_json(error, (("Allow", route.allow),))
        return endpoint(request)

    def finished(self, request: HttpRequest, response: HttpResponse, further: Headers = ()) -> HttpResponse:
        """`response` with what every answer carries and `further`; without its body where the request is HEAD."""
        usual: Headers = (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), *further)
        if self.route(request.path).is_open:
            usual = (*usual, ("Access-Control-Allow-Origin", "*"))
        missing = tuple(pair for pair in usual if not response.values(pair[0]))
        body = b"" if request.method == "HEAD" else response.body
        return HttpResponse(response.status, (*response.headers, *missing), body)
