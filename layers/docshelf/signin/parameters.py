"""Parameters of OAuth requests: each is there once, and one without a value is not there (RFC 6749, section 3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from docshelf.errors import OAuthError
from docshelf.gateway.messages import HttpRequest

MAX_BODY_BYTES = 64 * 1024
_MOST = 50
_FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters by name; bytes that are no UTF-8 are surrogates, so that they can be given back as they were.

    `repeated` are names that came more than once; none of these has a value.
    """

    values: Mapping[str, str] = field(repr=False)
    repeated: frozenset[str] = frozenset()

    def get(self, name: str) -> str | None:
        """The value of `name`; None without one."""
        return self.values.get(name)

    def needed(self, name: str) -> str:
        """The value of `name`.

        Raises:
            OAuthError: invalid_request, there is none.
        """
        value = self.values.get(name)
        if value is None:
            raise OAuthError("invalid_request", f"The parameter {name} is missing.")
        return value

    def check_no_repetition(self) -> None:
        """Let the parameters pass if each came once.

        Raises:
            OAuthError: invalid_request, one did not.
        """
        if self.repeated:
            raise OAuthError("invalid_request", "A parameter is there more than once.")


def of_query(request: HttpRequest) -> Parameters:
    """The parameters of a request's query.

    Raises:
        OAuthError: invalid_request, there are too many.
    """
    return _parsed(request.query)


def of_form(request: HttpRequest) -> Parameters:
    """The parameters of a request's body, each of which came once.

    Raises:
        OAuthError: invalid_request, it is no form, is larger than 64 KiB, or has a parameter more than once.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != _FORM:
        raise OAuthError("invalid_request", f"Send the parameters as a form ({_FORM}).")
    if len(request.body) > MAX_BODY_BYTES:
        raise OAuthError("invalid_request", f"The request is larger than {MAX_BODY_BYTES // 1024} KiB.", 413)
    found = _parsed(request.body.decode("utf-8", "surrogateescape"))
    found.check_no_repetition()
    return found


def check_resource(parameters: Parameters, url: str) -> None:
    """Let a request pass that is for the resource `url`, or does not say for which (RFC 8707).

    Raises:
        OAuthError: invalid_target, it is for another.
    """
    asked = parameters.get("resource")
    if asked is not None and asked not in (url, f"{url}/"):
        raise OAuthError("invalid_target", "The resource is not the one that this server gives tokens for.")


def _parsed(text: str) -> Parameters:
    try:
        pairs = parse_qsl(text, keep_blank_values=True, errors="surrogateescape", max_num_fields=_MOST)
    except ValueError:
        raise OAuthError("invalid_request", f"The request has more than {_MOST} parameters.") from None
    names = [name for name, _ in pairs]
    repeated = frozenset(name for name in names if names.count(name) > 1)
    return Parameters({name: value for name, value in pairs if value and name not in repeated}, repeated)
