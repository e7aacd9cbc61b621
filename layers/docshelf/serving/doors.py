"""What every request passes before MCP sees it, in a fixed order."""

from __future__ import annotations

from docshelf.access.caller import Caller
from docshelf.access.challenge import challenge
from docshelf.access.tokens import TokenVerifier
from docshelf.errors import DocshelfError
from docshelf.gateway.messages import HttpRequest, HttpResponse, json_response
from docshelf.serving.answers import NOT_STORED, Answer, refusal, refused
from docshelf.serving.browsers import BrowserAccess
from docshelf.settings import MCP_PATH, SearchSettings
from docshelf.web_addresses import host_name

MAX_BODY_BYTES = 1 << 20
HEALTH_PATH = "/healthz"
MCP_PATHS = frozenset({MCP_PATH, f"{MCP_PATH}/"})


class Doors:
    """Path, Host, Origin, preflight, token, method, size: the first that a request does not pass answers it."""

    def __init__(self, settings: SearchSettings, verifier: TokenVerifier) -> None:
        self._hosts = settings.allowed_hosts
        self._resource_metadata = settings.resource_metadata
        self._scope = settings.scope
        self._verifier = verifier
        self._browsers = BrowserAccess(settings.browser_origins)

    def admit(self, request: HttpRequest) -> Caller | Answer:
        """Who is asking MCP something, or the answer to a request that does not get there. Raises no DocshelfError."""
        if request.path == HEALTH_PATH:
            return _health(request)
        if request.path not in MCP_PATHS:
            return refusal(404, "not_found", f"There is nothing here; the MCP endpoint is {MCP_PATH}.")
        if host_name(request.headers.get("host", "")) not in self._hosts:
            return refusal(421, "unknown_host", "This server does not answer under that name.")
        origin = request.headers.get("origin")
        if not self._browsers.allows(origin):
            return refusal(403, "unknown_origin", "Pages of that origin may not call this server.")
        if request.method == "OPTIONS":
            return Answer(HttpResponse(204, (("Allow", "POST, OPTIONS"), *self._browsers.preflight(origin))))
        try:
            caller = self._verifier.verify(request.headers.get("authorization"))
        except DocshelfError as error:
            return self._refused(error)
        if request.method != "POST":
            # Only now: clients find out by an unauthenticated GET that they must sign in.
            return _only("POST", "This is an MCP endpoint: POST JSON-RPC messages to it.")
        if len(request.body) > MAX_BODY_BYTES:
            return refusal(413, "too_large", f"A message may have {MAX_BODY_BYTES:,} bytes.")
        return caller

    def finished(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """`response` with what every answer carries; without its body where the request is HEAD."""
        headers = (
            *response.headers,
            *NOT_STORED,
            *self._browsers.headers(request.headers.get("origin")),
        )
        return HttpResponse(response.status, headers, b"" if request.method == "HEAD" else response.body)

    def _refused(self, error: DocshelfError) -> Answer:
        value = challenge(error, resource_metadata=self._resource_metadata, scope=self._scope)
        return refused(error, (("WWW-Authenticate", value),) if value else ())


def _health(request: HttpRequest) -> Answer:
    if request.method not in ("GET", "HEAD"):
        return _only("GET, HEAD", "This says only whether the server is up.")
    return Answer(json_response(200, {"status": "ok"}))


def _only(methods: str, message: str) -> Answer:
    return refusal(405, "method_not_allowed", message, (("Allow", methods),))
