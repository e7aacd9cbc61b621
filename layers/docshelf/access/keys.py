"""The public keys of a user pool, kept in memory."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from docshelf.access.key_fetching import check_keys_url, fetch_key_set
from docshelf.access.key_set import parse_key_set
from docshelf.errors import KeysUnavailableError

logger = logging.getLogger(__name__)

LIFETIME_SECONDS = 3600
RETRY_SECONDS = 60


@dataclass(frozen=True, slots=True)
class _Held:
    """A key set and when it was fetched, never changed after it was made."""

    keys: Mapping[str, RSAPublicKey]
    fetched_at: float


class KeySource:
    """Keys by their ids, from a key set that is fetched when needed and at most once a minute; safe for threads.

    A set is looked at anew when it is an hour old or does not have a key that is asked for. Where that fails, the old
    one goes on being used.
    """

    def __init__(
        self,
        url: str,
        *,
        fetch: Callable[[str], bytes] = fetch_key_set,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keys at `url`; nothing is fetched yet. `fetch` raises KeysUnavailableError, `clock` counts seconds.

        Raises:
            SettingsError: the address is not https, nor on this machine.
        """
        check_keys_url(url)
        self._url = url
        self._fetch = fetch
        self._clock = clock
        self._lock = threading.Lock()
        self._held: _Held | None = None
        self._tried_at: float | None = None

    def key(self, kid: str) -> RSAPublicKey | None:
        """The key with the id `kid`, None where the pool has no such key.

        Raises:
            KeysUnavailableError: no key set could be had up to now, or the pool's has no key that can be used.
        """
        held = self._held
        if self._wants_another(held, kid):
            # Who has the key at hand does not wait for another thread that is fetching.
            if self._lock.acquire(blocking=held is None or kid not in held.keys):
                try:
                    self._refresh()
                finally:
                    self._lock.release()
            held = self._held
        if held is None or not held.keys:
            raise KeysUnavailableError("The keys that tokens are checked with are not there: try again in a minute.")
        return held.keys.get(kid)

    def forget(self) -> None:
        """Fetch the set anew before the next answer, whatever is at hand: nobody knows how old that is."""
        with self._lock:
            self._held = None
            self._tried_at = None

    def _wants_another(self, held: _Held | None, kid: str) -> bool:
        return held is None or kid not in held.keys or self._clock() - held.fetched_at >= LIFETIME_SECONDS

    def _refresh(self) -> None:
        """Fetch the set, unless the last attempt, of this thread or another, was less than a minute ago."""
        now = self._clock()
        if self._tried_at is not None and now - self._tried_at < RETRY_SECONDS:
            return
        self._tried_at = now
        try:
            self._held = _Held(parse_key_set(self._fetch(self._url)), now)
        except KeysUnavailableError as error:
            if self._held is None:
                raise
            # Nobody notices until the pool changes its keys, unless it is said here.
            logger.warning("The keys at hand go on being used. %s", error.sentence)
