"""One sign-in on its way: what is sealed of it from the client's request to the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from docshelf.gateway.messages import HttpResponse
from docshelf.signin.answers import Headers, moved
from docshelf.signin.clients import Client
from docshelf.signin.pages import HandOffView, hand_off
from docshelf.signin.redirects import Redirect, RedirectKind, parse_redirect, with_parameters
from docshelf.signin.settings import SigninSettings

FLOW_SECONDS = 600
"""How long a person may take for the consent, and then again for signing in at the user pool."""


@dataclass(frozen=True, slots=True)
class Flow:
    """The request of a client that was found good.

    `client` is the client's fingerprint, `name` what it calls itself. `state` comes back to it byte for byte;
    `challenge` is that of its PKCE (S256).
    """

    client: str
    name: str
    redirect: Redirect
    state: str | None = field(repr=False)
    challenge: str = field(repr=False)

    @classmethod
    def of_client(cls, client: Client, redirect: Redirect, state: str | None, challenge: str) -> Flow:
        """The flow of `client`, whose name is only remembered where a page will show it again."""
        name = client.name if redirect.kind is RedirectKind.APP else ""
        return cls(client.fingerprint, name, redirect, state, challenge)

    @classmethod
    def unpacked(cls, data: Mapping[str, object]) -> Flow:
        """The flow that `packed` wrote, as it comes out of its seal."""
        state = data.get("s")
        return cls(
            client=str(data["c"]),
            name=str(data["n"]),
            redirect=parse_redirect(str(data["r"])),
            state=None if state is None else str(state),
            challenge=str(data["p"]),
        )

    def packed(self) -> dict[str, object]:
        """What is sealed of it: short names, since it becomes part of an address."""
        found: dict[str, object] = {"c": self.client, "n": self.name, "r": self.redirect.uri, "p": self.challenge}
        return found if self.state is None else found | {"s": self.state}


def flow_cookie(number: str) -> str:
    """The name of the cookie that binds the flow `number` to a browser: each has its own, so that tabs do not mix."""
    return f"flow-{number}"


def back_to_client(
    settings: SigninSettings,
    flow: Flow,
    parameters: Mapping[str, str],
    headers: Headers = (),
    *,
    status: int = 302,
) -> HttpResponse:
    """The answer to the client of `flow`: `parameters`, its state and our name, at its redirect URI.

    An app is opened from a page; everything else is gone to.
    """
    state = {} if flow.state is None else {"state": flow.state}
    uri = with_parameters(flow.redirect.uri, {**parameters, **state, "iss": settings.issuer})
    if flow.redirect.kind is not RedirectKind.APP:
        return moved(uri, headers, status=status)
    page = hand_off(HandOffView(settings.title, flow.name, uri, parameters.get("error_description")))
    return HttpResponse(page.status, (*page.headers, *headers), page.body)
