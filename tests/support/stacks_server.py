"""CloudFormation as far as a deployment asks it: what stacks there are. moto's own needs packages that we have not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

from tests.support.api_gateway_server import WireAnswer, WireRequest, http_front

_NAMESPACE = "http://cloudformation.amazonaws.com/doc/2010-05-15/"


@dataclass(slots=True)
class Stacks:
    """The service at `url`; `stacks` maps names to status and outputs. `denied` refuses everything.

    `guarded` says whether they are guarded against deletion.
    """

    url: str
    stacks: dict[str, tuple[str, Mapping[str, str]]] = field(default_factory=dict)
    denied: bool = False
    guarded: bool = False

    def answer(self, request: WireRequest) -> WireAnswer:
        """The answer to one request."""
        name = parse_qs(request.body.decode())["StackName"][0]
        if self.denied:
            return _error(403, "AccessDenied", "not authorized to perform: cloudformation:DescribeStacks")
        if name not in self.stacks:
            return _error(400, "ValidationError", f"Stack with id {name} does not exist")
        status, outputs = self.stacks[name]
        members = "".join(
            f"<member><OutputKey>{key}</OutputKey><OutputValue>{escape(value)}</OutputValue></member>"
            for key, value in outputs.items()
        )
        return _xml(
            200,
            f'<DescribeStacksResponse xmlns="{_NAMESPACE}"><DescribeStacksResult><Stacks><member>'
            f"<StackName>{name}</StackName><StackStatus>{status}</StackStatus>"
            f"<EnableTerminationProtection>{str(self.guarded).lower()}</EnableTerminationProtection>"
            f"<CreationTime>2026-11-30T12:00:00Z</CreationTime><Outputs>{members}</Outputs>"
            "</member></Stacks></DescribeStacksResult></DescribeStacksResponse>",
        )


@contextmanager
def stacks_server() -> Iterator[Stacks]:
    """A service without stacks at a new port of 127.0.0.1; it ends with the block."""
    made: list[Stacks] = []

    def respond(request: WireRequest) -> WireAnswer:
        return made[0].answer(request)

    with http_front(respond) as url:
        made.append(Stacks(url))
        yield made[0]


def _error(status: int, code: str, message: str) -> WireAnswer:
    error = f"<Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error>"
    return _xml(status, f'<ErrorResponse xmlns="{_NAMESPACE}">{error}<RequestId>1</RequestId></ErrorResponse>')


def _xml(status: int, text: str) -> WireAnswer:
    return WireAnswer(status, [("content-type", "text/xml")], text.encode())
