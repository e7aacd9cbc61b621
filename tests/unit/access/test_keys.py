from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.access.keys import KeySource
from docshelf.errors import KeysUnavailableError
from tests.support.tokens import TokenIssuer, public_jwk

URL = "https://pool.example.com/.well-known/jwks.json"
DOWN = KeysUnavailableError("The token keys cannot be fetched.")


class Pool:
    """A pool whose answer, and whose clock, the test sets; `fetches` are the moments it was asked at."""

    def __init__(self, issuer: TokenIssuer, *kids: str) -> None:
        self.now = 1_000.0
        self.fetches: list[float] = []
        self.body: bytes | None = None
        self._issuer = issuer
        self.publish(*kids)

    def publish(self, *kids: str) -> None:
        self.body = json.dumps({"keys": [public_jwk(self._issuer.key, kid) for kid in kids]}).encode()

    def fetch(self, url: str) -> bytes:
        assert url == URL
        self.fetches.append(self.now)
        if self.body is None:
            raise DOWN
        return self.body

    def source(self) -> KeySource:
        return KeySource(URL, fetch=self.fetch, clock=lambda: self.now)


def knows(source: KeySource, kid: str) -> bool | None:
    """Whether the source has the key; None where it has no keys at all."""
    try:
        return source.key(kid) is not None
    except KeysUnavailableError:
        return None


def test_nothing_is_fetched_before_a_key_is_asked_for(issuer: TokenIssuer) -> None:
    pool = Pool(issuer, "one")
    pool.source()
    assert pool.fetches == []


def test_keys_are_fetched_once_for_an_hour(issuer: TokenIssuer) -> None:
    pool = Pool(issuer, "one", "two")
    source = pool.source()
    for pool.now in (1_000.0, 1_001.0, 4_599.9):
        assert knows(source, "one")
        assert knows(source, "two")
    assert len(pool.fetches) == 1
    pool.now = 4_600.0
    assert knows(source, "one")
    assert len(pool.fetches) == 2


def test_a_set_that_is_forgotten_is_not_used_again_even_if_no_other_can_be_had(issuer: TokenIssuer) -> None:
    pool = Pool(issuer, "one")
    source = pool.source()
    assert knows(source, "one")
    pool.publish("two")
    source.forget()
    assert (knows(source, "one"), knows(source, "two")) == (False, True)
    pool.body = None
    source.forget()
    assert knows(source, "two") is None


def test_a_thousand_unknown_ids_lead_to_one_fetch_a_minute(issuer: TokenIssuer) -> None:
    pool = Pool(issuer, "one")
    source = pool.source()
    for number in range(1_000):
        pool.now = 1_000 + number * 0.3
        assert knows(source, f"made-up-{number}") is False
        assert knows(source, "one")
    assert len(pool.fetches) == 5
    assert all(later - earlier >= 60 for earlier, later in zip(pool.fetches, pool.fetches[1:], strict=False))


def test_a_thousand_unknown_ids_at_once_reach_a_real_address_once() -> None:
    with TokenIssuer() as issuer:
        source = KeySource(issuer.keys_url, clock=lambda: 0.0)
        with ThreadPoolExecutor(16) as threads:
            found = list(threads.map(source.key, [f"made-up-{number}" for number in range(1_000)]))
        assert found == [None] * 1_000
        assert issuer.requests == 1


def test_a_new_key_is_found_as_soon_as_a_minute_has_gone_by() -> None:
    now = 0.0
    with TokenIssuer() as issuer:
        source = KeySource(issuer.keys_url, clock=lambda: now)
        assert source.key(issuer.kid) is not None
        new = issuer.rotate()
        now = 59.9
        assert source.key(new) is None
        now = 60.0
        assert source.key(new) is not None
        assert issuer.requests == 2


def test_a_key_that_was_withdrawn_is_not_used_after_the_next_look(issuer: TokenIssuer) -> None:
    pool = Pool(issuer, "one", "two")
    source = pool.source()
    assert knows(source, "one")
    pool.publish("two")
    pool.now += 3_600
    assert knows(source, "one") is False
    assert knows(source, "two")


def test_a_set_without_any_usable_key_refuses_everything_and_is_looked_at_again(issuer: TokenIssuer) -> None:
    pool = Pool(issuer, "one")
    source = pool.source()
    assert knows(source, "one")
    pool.publish()
    pool.now += 3_600
    assert knows(source, "one") is None
    pool.publish("one")
    assert knows(source, "one") is None
    pool.now += 60
    assert knows(source, "one")


def test_while_the_pool_never_answered_every_key_is_unavailable_and_it_is_asked_once_a_minute(
    issuer: TokenIssuer,
) -> None:
    pool = Pool(issuer, "one")
    pool.body = None
    source = pool.source()
    for second in range(120):
        pool.now = 1_000.0 + second
        assert knows(source, "one") is None
    assert pool.fetches == [1_000.0, 1_060.0]
    pool.publish("one")
    pool.now = 1_120.0
    assert knows(source, "one")


@pytest.mark.parametrize("broken", [None, b"", b"<html>", b'{"keys": 1}'])
def test_when_the_pool_stops_answering_the_keys_at_hand_go_on_being_used(
    issuer: TokenIssuer, broken: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    pool = Pool(issuer, "one")
    source = pool.source()
    assert knows(source, "one")
    pool.body = broken
    for second in range(3_600, 3_720):
        pool.now = 1_000.0 + second
        assert knows(source, "one")
        assert knows(source, "made-up") is False
    assert pool.fetches == [1_000.0, 4_600.0, 4_660.0]
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 2
    assert all("token keys" in record.message for record in caplog.records)
    pool.publish("one", "two")
    pool.now = 4_720.0
    assert knows(source, "two")


STEPS = st.lists(
    st.tuples(
        st.floats(0, 5_000, allow_nan=False) | st.just(60.0),
        st.sampled_from(["one", "two", "made-up", "../../etc/passwd", ""]),
        st.sampled_from(["up", "down", "rotated", "empty"]),
    ),
    max_size=30,
)


@given(STEPS)
def test_however_it_is_asked_the_pool_hears_of_it_at_most_once_a_minute(
    issuer: TokenIssuer, steps: list[tuple[float, str, str]]
) -> None:
    pool = Pool(issuer, "one")
    source = pool.source()
    published = {"up": ["one"], "rotated": ["two"], "empty": []}
    for wait, kid, state in steps:
        pool.now += wait
        if state == "down":
            pool.body = None
        else:
            pool.publish(*published[state])
        assert knows(source, kid) is not True or kid in {"one", "two"}
    assert all(later - earlier >= 60 for earlier, later in zip(pool.fetches, pool.fetches[1:], strict=False))


def test_threads_that_ask_at_the_same_time_share_the_first_fetch(issuer: TokenIssuer) -> None:
    pool = Pool(issuer, "one")
    start = threading.Barrier(8)
    source = pool.source()

    def ask(_: int) -> bool | None:
        start.wait(10)
        return knows(source, "one")

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(ask, range(8))) == [True] * 8
    assert len(pool.fetches) == 1


def test_nobody_who_has_a_key_at_hand_waits_for_the_pool(issuer: TokenIssuer) -> None:
    pool = Pool(issuer, "one")
    asked, may_answer = threading.Event(), threading.Event()

    def slow(url: str) -> bytes:
        if pool.fetches:
            asked.set()
            assert may_answer.wait(10)
        return pool.fetch(url)

    source = KeySource(URL, fetch=slow, clock=lambda: pool.now)
    assert knows(source, "one")
    pool.publish("one", "two")
    pool.now += 3_600
    with ThreadPoolExecutor(2) as threads:
        new = threads.submit(knows, source, "two")
        assert asked.wait(10)
        assert knows(source, "one")
        waiting = threads.submit(knows, source, "two")
        may_answer.set()
        assert new.result(10)
        assert waiting.result(10)
    assert len(pool.fetches) == 2
