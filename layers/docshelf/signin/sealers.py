"""The sealer of an instance, with keys from the settings or from a secret that may be rotated."""

from __future__ import annotations

import time
from collections.abc import Callable

from docshelf.errors import DocshelfError
from docshelf.observability import logger
from docshelf.signin.sealing import Sealer, SealingKeys
from docshelf.signin.settings import SigninSettings

RENEW_SECONDS = 5.0


class SecretKeys:
    """Keys that a secret holds: read once, and again when a value names a key that is not known yet.

    That is at most every five seconds, whatever is sent: anybody can make up the id of a key.
    """

    def __init__(self, read: Callable[[], str], clock: Callable[[], float] = time.monotonic) -> None:
        """Read the secret; `clock` counts seconds.

        Raises:
            DocshelfError: the secret cannot be read.
            SettingsError: it does not hold sealing keys.
        """
        self._read = read
        self._clock = clock
        self._looked = clock()
        self.keys = SealingKeys.parse(read())

    def renewed(self) -> SealingKeys:
        """The keys, as the secret has them now if it was not looked at just now."""
        if self._clock() >= self._looked + RENEW_SECONDS:
            self._looked = self._clock()
            try:
                self.keys = SealingKeys.parse(self._read())
            except DocshelfError as error:
                # Those at hand still open everything that was sealed before.
                logger.error("The sealing keys cannot be read again.", reason=error.sentence)
        return self.keys


def sealer_of(settings: SigninSettings) -> Sealer:
    """The sealer with the keys that `settings` name.

    Raises:
        SettingsError: they are no sealing keys.
        StoreUnavailableError, StoreDeniedError, StoreRefusedError: the secret cannot be read.
    """
    if settings.sealing_keys is not None:
        return Sealer(SealingKeys.parse(settings.sealing_keys))
    # Only now: what needs no keys, such as the metadata, is answered without AWS's library.
    from docshelf.aws.secrets import read_secret

    name = settings.sealing_keys_secret or ""
    source = SecretKeys(lambda: read_secret(name))
    return Sealer(source.keys, renew=source.renewed)
