from __future__ import annotations

import base64
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.errors import SettingsError
from docshelf.signin.sealing_keys import MAX_KEYS, SealingKeys

SECRET = bytes(range(32))
ENCODED = base64.b64encode(SECRET).decode()
ENCODED_URL = base64.urlsafe_b64encode(bytes(range(200, 232))).decode()


def text(current: object = "new", **keys: object) -> str:
    return json.dumps({"current": current, "keys": keys})


def test_keys_are_read_from_what_a_secret_holds() -> None:
    found = SealingKeys.parse(text(new=ENCODED, old=base64.b64encode(b"\xff" * 32).decode()))
    assert found.current == "new"
    assert found.keys == {"new": SECRET, "old": b"\xff" * 32}


def test_generated_and_rotated_keys_are_written_and_read_again() -> None:
    first = SealingKeys.generate()
    assert SealingKeys.parse(first.text()) == first
    second = first.rotated()
    assert SealingKeys.parse(second.text()) == second
    assert second.keys[first.current] == first.keys[first.current]
    assert second.current != first.current
    third = second.rotated()
    assert set(third.keys) == {third.current, second.current}


def test_the_text_that_a_deployment_generated_is_a_key() -> None:
    letters = "aB3" * 20
    first = SealingKeys.parse(json.dumps({"generated": letters}))
    assert first.current == "generated"
    assert first.keys == {"generated": hashlib.sha256(letters.encode()).digest()}
    second = SealingKeys.parse(first.rotated().text())
    assert second.keys["generated"] == first.keys["generated"]
    by_hand = json.loads(text(new=ENCODED)) | {"generated": letters}
    assert SealingKeys.parse(json.dumps(by_hand)).keys == {"generated": first.keys["generated"], "new": SECRET}


def test_every_generated_key_is_another_one() -> None:
    assert len({next(iter(SealingKeys.generate().keys.values())) for _ in range(50)}) == 50


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        ENCODED,
        "[]",
        "null",
        "{}",
        '{"current": "new"}',
        '{"current": "new", "keys": []}',
        '{"current": "new", "keys": {}}',
        f'{{"current": "new", "keys": {{"new": "{ENCODED}", "new": "{ENCODED}"}}}}',
        text(current="other", new=ENCODED),
        text(current=None, new=ENCODED),
        text(current=["new"], new=ENCODED),
        text(new=ENCODED[:-4]),
        text(new=ENCODED + ENCODED),
        text(new=ENCODED + "\n"),
        text(new=ENCODED_URL),
        text(new=""),
        text(new=list(SECRET)),
        text(new="é" * 44),
        text(new=ENCODED, old="short"),
        text(current=ENCODED, **{ENCODED: ENCODED}),
        text(current="a b", **{"a b": ENCODED}),
        text(current="", **{"": ENCODED}),
        '{"generated": ""}',
        json.dumps({"generated": ENCODED[:42]}),
        json.dumps({"generated": [ENCODED]}),
        json.dumps({"generated": ENCODED, "current": "other"}),
        json.dumps({"generated": ENCODED, "keys": []}),
        text(new=ENCODED, **{f"k{number}": ENCODED for number in range(MAX_KEYS)}),
    ],
)
def test_what_is_not_of_the_form_is_refused_without_showing_a_key(wrong: str) -> None:
    with pytest.raises(SettingsError, match="DOCSHELF_SEALING_KEYS") as refused:
        SealingKeys.parse(wrong)
    assert ENCODED[:8] not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


@given(broken=st.text(max_size=200))
def test_no_text_at_all_leads_to_another_error(broken: str) -> None:
    with pytest.raises(SettingsError):
        SealingKeys.parse(broken)


def test_keys_show_no_key_when_they_are_printed() -> None:
    shown = repr(SealingKeys("new", {"new": SECRET}))
    assert shown == "SealingKeys(current='new')"
