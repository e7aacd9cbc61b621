from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.access import strict_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_what_json_writes_is_read_back(value: object) -> None:
    assert strict_json.loads(json.dumps(value)) == value
    assert strict_json.loads(json.dumps(value, ensure_ascii=False).encode()) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "{'a': 1}",
        '{"a": 1, "a": 1}',
        '{"outer": {"a": 1, "b": 2, "a": 3}}',
        '[{"\\u0061": 1, "a": 2}]',
        '{"a": NaN}',
        "[Infinity]",
        "-Infinity",
        "[" * 100_000,
        '{"a":' * 100_000,
        "9" * 5_000,
        "\ufeff{}",
    ],
    ids=lambda text: text[:24] or "nothing",
)
def test_what_two_readers_could_take_differently_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        strict_json.loads(text)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "cp1252"])
def test_bytes_are_utf_8_and_nothing_else(encoding: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        strict_json.loads('{"name": "Büro"}'.encode(encoding))


def test_the_text_is_not_repeated_in_the_message() -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        strict_json.loads('{"secret": s3cr3t}')
    assert "s3cr3t" not in str(caught.value)
    assert caught.value.__suppress_context__
