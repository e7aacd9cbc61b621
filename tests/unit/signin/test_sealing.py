from __future__ import annotations

import base64
import json
import re
import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from docshelf.signin.sealing import Purpose, SealBrokenError, Sealer, SealExpiredError, SealingKeys

KEYS = SealingKeys.generate()
NOW = 1_800_000_000.0

# Halves of surrogate pairs included: bytes of a client's state that are no UTF-8 become such.
TEXTS = st.text(st.characters(exclude_categories=()), max_size=40)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
DATA = st.dictionaries(TEXTS, VALUES, max_size=4)
PURPOSES = st.sampled_from(Purpose)
SEALED_ALPHABET = string.ascii_letters + string.digits + "-_"


class Clock:
    """Seconds that a test moves on."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


def sealer(keys: SealingKeys = KEYS) -> Sealer:
    return Sealer(keys, lambda: NOW)


@given(purpose=PURPOSES, data=DATA)
def test_what_was_sealed_comes_out_as_it_was(purpose: Purpose, data: dict[str, object]) -> None:
    assert sealer().unseal(purpose, sealer().seal(purpose, data, 60)) == data


@given(purpose=PURPOSES, data=DATA)
def test_a_sealed_value_needs_no_escape_in_an_address_a_cookie_or_a_form(
    purpose: Purpose, data: dict[str, object]
) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", sealer().seal(purpose, data, 60))


@given(made_for=PURPOSES, used_for=PURPOSES, data=DATA)
def test_a_value_for_one_purpose_is_none_for_another(
    made_for: Purpose, used_for: Purpose, data: dict[str, object]
) -> None:
    assume(made_for != used_for)
    with pytest.raises(SealBrokenError):
        sealer().unseal(used_for, sealer().seal(made_for, data, 60))


@given(data=st.data())
def test_a_value_with_any_character_changed_is_refused(data: st.DataObject) -> None:
    sealed = sealer().seal(Purpose.CODE, {"client": "c", "challenge": "x" * 43}, 60)
    place = data.draw(st.integers(0, len(sealed) - 1))
    other = data.draw(st.sampled_from(SEALED_ALPHABET + ".=+/ \n\0é"))
    assume(other != sealed[place])
    with pytest.raises(SealBrokenError):
        sealer().unseal(Purpose.CODE, sealed[:place] + other + sealed[place + 1 :])


@given(place=st.integers(0, 1_000), bit=st.integers(0, 7))
def test_a_value_with_any_bit_of_its_bytes_turned_is_refused(place: int, bit: int) -> None:
    name, _, text = sealer().seal(Purpose.STATE, {"client": "c"}, 60).partition(".")
    raw = bytearray(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    raw[place % len(raw)] ^= 1 << bit
    with pytest.raises(SealBrokenError):
        sealer().unseal(Purpose.STATE, f"{name}.{base64.urlsafe_b64encode(raw).rstrip(b'=').decode()}")


@given(kept=st.integers(0, 1_000))
def test_a_value_that_was_cut_off_anywhere_is_refused(kept: int) -> None:
    sealed = sealer().seal(Purpose.REFRESH, {"token": "t" * 50}, 60)
    with pytest.raises(SealBrokenError):
        sealer().unseal(Purpose.REFRESH, sealed[: kept % len(sealed)])


@given(added=st.text(min_size=1, max_size=8))
def test_a_value_with_anything_added_is_refused(added: str) -> None:
    sealed = sealer().seal(Purpose.CODE, {"token": "t"}, 60)
    for changed in (sealed + added, added + sealed):
        with pytest.raises(SealBrokenError):
            sealer().unseal(Purpose.CODE, changed)


@given(text=st.text(st.characters(exclude_categories=()), max_size=80) | st.from_regex(r"[\w-]{0,9}\.[\w-]{0,80}"))
def test_what_was_never_sealed_is_refused_with_a_sentence_that_does_not_repeat_it(text: str) -> None:
    with pytest.raises(SealBrokenError) as refused:
        sealer().unseal(Purpose.CODE, f"{KEYS.current}.{text}")
    assert str(refused.value) == "This does not come from here or was changed: start again."


def test_other_ways_to_write_the_same_bytes_are_refused() -> None:
    # Of the last character of 4n + 2 or 4n + 3, some bits say nothing: more than one character could stand there.
    seen = 0
    for length in range(3):
        sealed = sealer().seal(Purpose.CODE, {"x": "y" * length}, 60)
        raw = base64.urlsafe_b64decode(sealed.partition(".")[2] + "==")
        for last in SEALED_ALPHABET:
            other = sealed[:-1] + last
            if other != sealed and base64.urlsafe_b64decode(other.partition(".")[2] + "==") == raw:
                seen += 1
                with pytest.raises(SealBrokenError):
                    sealer().unseal(Purpose.CODE, other)
    assert seen > 0


def test_the_same_data_is_never_sealed_the_same_way_twice() -> None:
    assert len({sealer().seal(Purpose.CODE, {"a": 1}, 60) for _ in range(100)}) == 100


def test_nothing_of_the_data_can_be_read_from_outside() -> None:
    text = sealer().seal(Purpose.CODE, {"verifier": "a-verifier-that-nobody-sees"}, 60).partition(".")[2]
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert b"verifier" not in raw
    assert b"verifier" not in text.encode()


@given(seconds=st.integers(1, 10_000_000), part=st.floats(0, 0.999))
def test_a_value_is_good_until_its_time_is_over_and_not_a_moment_longer(seconds: int, part: float) -> None:
    clock = Clock()
    made = Sealer(KEYS, clock)
    sealed = made.seal(Purpose.CODE, {"a": 1}, seconds)
    clock.now = NOW + seconds * part
    assert made.unseal(Purpose.CODE, sealed) == {"a": 1}
    clock.now = NOW + seconds
    with pytest.raises(SealExpiredError):
        made.unseal(Purpose.CODE, sealed)


def test_an_expired_value_for_another_purpose_does_not_tell_that_it_was_one() -> None:
    clock = Clock()
    made = Sealer(KEYS, clock)
    sealed = made.seal(Purpose.STATE, {}, 60)
    clock.now += 61
    with pytest.raises(SealBrokenError):
        made.unseal(Purpose.CODE, sealed)


@given(purpose=PURPOSES, data=DATA)
def test_what_the_previous_key_sealed_opens_after_a_rotation(purpose: Purpose, data: dict[str, object]) -> None:
    sealed = sealer().seal(purpose, data, 60)
    rotated = KEYS.rotated()
    assert sealer(rotated).unseal(purpose, sealed) == data
    assert sealer(rotated).seal(purpose, data, 60).startswith(f"{rotated.current}.")
    with pytest.raises(SealBrokenError):
        sealer(rotated.rotated()).unseal(purpose, sealed)


def test_a_value_does_not_open_under_the_name_of_another_key_even_if_the_bytes_are_the_same() -> None:
    (key,) = KEYS.keys.values()
    twice = SealingKeys("one", {"one": key, "two": key})
    sealed = sealer(twice).seal(Purpose.CODE, {"a": 1}, 60)
    with pytest.raises(SealBrokenError):
        sealer(twice).unseal(Purpose.CODE, sealed.replace("one.", "two."))


def test_a_key_that_is_not_known_yet_is_asked_for() -> None:
    rotated = KEYS.rotated()
    asked = []

    def renew() -> SealingKeys:
        asked.append(1)
        return rotated

    behind = Sealer(KEYS, lambda: NOW, renew=renew)
    assert behind.unseal(Purpose.CODE, sealer().seal(Purpose.CODE, {"a": 1}, 60)) == {"a": 1}
    assert asked == []
    assert behind.unseal(Purpose.CODE, sealer(rotated).seal(Purpose.CODE, {"a": 2}, 60)) == {"a": 2}
    assert behind.seal(Purpose.CODE, {}, 60).startswith(f"{rotated.current}.")
    assert len(asked) == 1


@pytest.mark.parametrize("text", ["", ".", "no-dot", "made-up.", "an id with spaces.AAAA", "x" * 17 + "." + "A" * 60])
def test_what_cannot_be_a_sealed_value_does_not_make_the_keys_be_asked_for(text: str) -> None:
    def renew() -> SealingKeys:
        raise AssertionError(text)

    with pytest.raises(SealBrokenError):
        Sealer(KEYS, renew=renew).unseal(Purpose.CODE, text)


def test_a_made_up_key_is_refused_after_the_keys_were_asked_for() -> None:
    sealed = sealer(SealingKeys.generate()).seal(Purpose.CODE, {}, 60)
    with pytest.raises(SealBrokenError):
        Sealer(KEYS, renew=lambda: KEYS).unseal(Purpose.CODE, sealed)


def test_a_registration_with_one_redirect_uri_stays_short() -> None:
    data = {"n": "Claude Code (docs)", "r": ["http://localhost:58135/callback"]}
    sealed = sealer().seal(Purpose.CLIENT, data, 90 * 24 * 3600)
    assert len(sealed) < 160
    assert len(sealed) <= len(json.dumps(data, separators=(",", ":"))) * 4 / 3 + 71
