"""Settings of the sign-in function, read once from the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from docshelf.errors import SettingsError
from docshelf.setting_values import (
    MCP_PATH,
    allowed_hosts,
    check_host_names,
    check_index,
    check_scope,
    check_url,
    values_of,
)
from docshelf.web_addresses import host_name, is_origin, web_address

CALLBACK_PATH = "/callback"


@dataclass(frozen=True, slots=True)
class SigninSettings:
    """For which server people sign in, at which user pool, and which clients they may sign in for.

    Exactly one of `sealing_keys_secret` (a secret's name or ARN) and `sealing_keys` (JSON) is set. `redirect_hosts`
    limits answers over https to those hosts; without any, every host may be named by a client. `index` is only looked
    at for the landing page, which says when it was last written.
    """

    url: str
    cognito_url: str
    cognito_client_id: str
    cognito_client_secret: str | None = field(default=None, repr=False)
    scope: str = "docs:read"
    resource_binding: bool = True
    sealing_keys_secret: str | None = None
    sealing_keys: str | None = field(default=None, repr=False)
    redirect_hosts: tuple[str, ...] = ()
    title: str = "Docshelf"
    blurb: str | None = None
    contact: str | None = None
    index: str | None = None
    hosts: tuple[str, ...] = ()
    trust_local_documents: bool = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> SigninSettings:
        """Read `DOCSHELF_URL`, `DOCSHELF_COGNITO_URL` and the rest; the sealing keys stay text.

        Raises:
            SettingsError: a variable is missing or wrong; the sentence names it, and shows no secret.
        """
        made = cls(**values_of(cls, environment))
        check_url(made.url)
        check_scope(made.scope)
        check_host_names("DOCSHELF_HOSTS", made.hosts)
        if made.index is not None:
            check_index(made.index)
        if web_address(made.cognito_url) is None or not is_origin(made.cognito_url):
            text = made.cognito_url
            raise SettingsError(
                f"DOCSHELF_COGNITO_URL must be an origin like https://HOST, without a path, not {text!r}."
            )
        for host in made.redirect_hosts:
            if host_name(host) != host:
                raise SettingsError(f"DOCSHELF_REDIRECT_HOSTS must list names of hosts in lower case, not {host!r}.")
        if (made.sealing_keys_secret is None) == (made.sealing_keys is None):
            raise SettingsError(
                "Either DOCSHELF_SEALING_KEYS_SECRET or DOCSHELF_SEALING_KEYS must be set, and not both."
            )
        return made

    @property
    def issuer(self) -> str:
        """The authorization server's name, which is its origin: `https://HOST`."""
        return self.url.removesuffix(MCP_PATH)

    @property
    def callback_url(self) -> str:
        """The one address that the user pool sends people back to."""
        return f"{self.issuer}{CALLBACK_PATH}"

    @property
    def upstream_scope(self) -> str:
        """The scope as the user pool names it: behind its resource server, where tokens are bound to that."""
        return f"{self.url}/{self.scope}" if self.resource_binding else self.scope

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """The Host names that requests may come with, as `host_name` writes them."""
        return allowed_hosts(self.url, self.hosts)
