"""Where the sealing keys come from, and that a rotation signs nobody out."""

from __future__ import annotations

import logging

import pytest

from docshelf.errors import SettingsError, StoreUnavailableError
from docshelf.signin.sealers import SecretKeys, sealer_of
from docshelf.signin.sealing import Purpose, SealBrokenError, Sealer, SealingKeys
from tests.unit.signin.begun import KEYS, settings


class Secret:
    """A secret that may be rotated; `reads` counts how often it was read, `now` is the clock."""

    def __init__(self) -> None:
        self.held = SealingKeys.generate()
        self.reads = 0
        self.now = 0.0
        self.fault: Exception | None = None

    def read(self) -> str:
        self.reads += 1
        if self.fault is not None:
            raise self.fault
        return self.held.text()

    def sealer(self) -> Sealer:
        source = SecretKeys(self.read, lambda: self.now)
        return Sealer(source.keys, renew=source.renewed)


def test_keys_of_the_settings_are_used_as_they_are() -> None:
    sealed = Sealer(KEYS).seal(Purpose.CODE, {"a": 1}, 60)
    assert sealer_of(settings()).unseal(Purpose.CODE, sealed) == {"a": 1}


def test_keys_that_are_none_keep_the_function_from_starting() -> None:
    with pytest.raises(SettingsError, match="DOCSHELF_SEALING_KEYS"):
        sealer_of(settings(sealing_keys="{}"))


def test_what_another_instance_sealed_with_a_new_key_is_opened() -> None:
    secret = Secret()
    old = secret.sealer()
    before = old.seal(Purpose.REFRESH, {"a": 1}, 60)
    secret.held = secret.held.rotated()
    new = secret.sealer()
    assert new.unseal(Purpose.REFRESH, before) == {"a": 1}
    secret.now = 60.0
    assert old.unseal(Purpose.REFRESH, new.seal(Purpose.REFRESH, {"a": 2}, 60)) == {"a": 2}
    assert old.unseal(Purpose.REFRESH, before) == {"a": 1}
    assert secret.reads == 3


def test_a_flood_of_made_up_key_ids_reads_the_secret_every_five_seconds() -> None:
    secret = Secret()
    sealer = secret.sealer()
    for number in range(1000):
        secret.now = number / 100
        with pytest.raises(SealBrokenError):
            sealer.unseal(Purpose.CODE, f"key{number}.{'A' * 60}")
    assert secret.reads == 2


@pytest.mark.parametrize(
    "fault", [StoreUnavailableError("The secret does not answer."), SettingsError("It is broken.")]
)
def test_a_secret_that_cannot_be_read_again_leaves_the_keys_as_they_are(
    fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    secret = Secret()
    sealer = secret.sealer()
    sealed = sealer.seal(Purpose.CODE, {"a": 1}, 60)
    secret.fault, secret.now = fault, 60.0
    with caplog.at_level(logging.ERROR), pytest.raises(SealBrokenError):
        sealer.unseal(Purpose.CODE, f"another.{'A' * 60}")
    assert [record.__dict__["reason"] for record in caplog.records] == [str(fault)]
    assert sealer.unseal(Purpose.CODE, sealed) == {"a": 1}


def test_a_secret_that_cannot_be_read_at_first_is_said_so() -> None:
    secret = Secret()
    secret.fault = StoreUnavailableError("The secret does not answer.")
    with pytest.raises(StoreUnavailableError):
        secret.sealer()
