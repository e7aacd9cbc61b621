"""Client ID metadata documents: clients whose client_id is the address of a document that describes them."""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from docshelf.errors import OAuthError
from docshelf.signin.client_metadata import parse_client_metadata
from docshelf.signin.clients import Client, UnknownClientError
from docshelf.signin.fetch_target import FetchFailedError, FetchRefusedError, parse_target
from docshelf.signin.public_fetch import Fetched, PublicFetch

LEAST_SECONDS = 5 * 60
MOST_SECONDS = 24 * 3600
FAULT_SECONDS = 60
MAX_CLIENTS = 100
MAX_FAULTS = 500

_JSON_TYPE = re.compile(r"application/(?:[a-z0-9!#$&^_.-]+\+)?json", re.ASCII)
_AGE = re.compile(r'(?P<name>s-maxage|max-age)="?(?P<seconds>[0-9]{1,9})"?', re.ASCII)
_KEEP_NOT = frozenset({"no-cache", "no-store"})
# A document is public, so that a secret that both sides know cannot be in it.
_SECRETS = ("client_secret", "client_secret_expires_at")
_PUBLIC_METHODS = frozenset({None, "none", "private_key_jwt"})


class DocumentUnavailableError(OAuthError):
    """The document of a client cannot be had just now."""

    code = "document_unavailable"
    retryable = True

    def __init__(self, sentence: str) -> None:
        super().__init__("temporarily_unavailable", sentence, 503)


@dataclass(frozen=True, slots=True)
class _Known:
    """What a look at a document gave: a client, or the error to raise; good until `ends`."""

    outcome: Client | type[UnknownClientError | DocumentUnavailableError]
    sentence: str
    ends: float


class ClientDocuments:
    """Clients by the addresses of their documents, kept in memory for as long as the documents say, within bounds.

    That is five minutes to a day for a client, and one minute for a document that is missing or wrong. Safe for
    threads.
    """

    def __init__(
        self,
        *,
        local: bool = False,
        own_hosts: Collection[str] = (),
        fetch: Callable[[str], Fetched] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """With `local`, documents of this machine are taken too, for tests; `clock` counts seconds.

        No document is at `own_hosts`, which are the names of this server (in lower case): asking ourselves would have
        one request make many. `fetch` raises FetchRefusedError and FetchFailedError.
        """
        self._local = local
        self._own_hosts = frozenset(own_hosts)
        self._fetch = fetch or PublicFetch(local=local)
        self._clock = clock
        self._lock = threading.Lock()
        self._clients: OrderedDict[str, _Known] = OrderedDict()
        # Apart, so that a flood of made-up addresses puts no client out.
        self._faults: OrderedDict[str, _Known] = OrderedDict()

    def client(self, url: str) -> Client:
        """The client that the document at `url` describes.

        Raises:
            UnknownClientError: there is no such document, or it does not describe a client by the rules.
            DocumentUnavailableError: it cannot be had just now.
        """
        try:
            target = parse_target(url, local=self._local)
        except FetchRefusedError as error:
            # Nothing to remember: it costs nothing to say it again.
            raise UnknownClientError(error.sentence) from None
        if target.host in self._own_hosts and not target.local:
            raise UnknownClientError("The client_id is an address of this server, which describes no client.")
        known = self._held(url)
        if known is None:
            known = self._looked_at(url, target.host)
            self._hold(url, known)
        if isinstance(known.outcome, Client):
            return known.outcome
        raise known.outcome(known.sentence)

    def _held(self, url: str) -> _Known | None:
        with self._lock:
            for kept in (self._clients, self._faults):
                known = kept.get(url)
                if known is not None and self._clock() < known.ends:
                    kept.move_to_end(url)
                    return known
                kept.pop(url, None)
        return None

    def _hold(self, url: str, known: _Known) -> None:
        is_client = isinstance(known.outcome, Client)
        kept, most = (self._clients, MAX_CLIENTS) if is_client else (self._faults, MAX_FAULTS)
        with self._lock:
            kept[url] = known
            if len(kept) > most:
                kept.popitem(last=False)

    def _looked_at(self, url: str, host: str) -> _Known:
        try:
            fetched = self._fetch(url)
            client = _described(url, host, fetched)
        except FetchFailedError as error:
            return _Known(DocumentUnavailableError, error.sentence, self._clock() + FAULT_SECONDS)
        except (FetchRefusedError, OAuthError) as error:
            return _Known(UnknownClientError, error.sentence, self._clock() + FAULT_SECONDS)
        return _Known(client, "", self._clock() + _lifetime(fetched.headers))


def _described(url: str, host: str, fetched: Fetched) -> Client:
    if not _JSON_TYPE.fullmatch(fetched.headers.get("content-type", "").partition(";")[0].strip().lower()):
        raise UnknownClientError("The document of the client is not JSON by its Content-Type.")
    metadata = parse_client_metadata(fetched.body)
    values = metadata.values
    if values.get("client_id") != url:
        raise UnknownClientError("The document at the client_id does not name that client_id as its own.")
    if any(name in values for name in _SECRETS):
        raise UnknownClientError("The document of the client must not have a client secret.")
    method = values.get("token_endpoint_auth_method")
    if not isinstance(method, str | None) or method not in _PUBLIC_METHODS:
        raise UnknownClientError("The document of the client must not ask for authentication by a shared secret.")
    return Client(url, metadata.name, metadata.redirect_uris, host)


def _lifetime(headers: Mapping[str, str]) -> float:
    """For how many seconds a document may be kept."""
    directives = [part.strip() for part in headers.get("cache-control", "").lower().split(",")]
    ages = {found["name"]: int(found["seconds"]) for found in map(_AGE.fullmatch, directives) if found}
    asked = 0 if not _KEEP_NOT.isdisjoint(directives) else ages.get("s-maxage", ages.get("max-age", 0))
    return min(max(asked, LEAST_SECONDS), MOST_SECONDS)
