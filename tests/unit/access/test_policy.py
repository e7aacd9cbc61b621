from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.access.caller import Caller
from docshelf.access.policy import AccessPolicy
from docshelf.errors import SettingsError

# Halves of surrogate pairs included, which JSON can hold.
ANY_CHARACTER = st.characters(exclude_categories=())


def member_of(*groups: str) -> Caller:
    return Caller("anna", "client", groups, frozenset())


def opened(text: str | None, *groups: str) -> frozenset[str] | None:
    return AccessPolicy.parse(text).collections_for(member_of(*groups))


TWO_GROUPS = json.dumps({"sales": ["handbook", "prices"], "engineers": ["handbook", "design"]})


@pytest.mark.parametrize("text", [None, "", "   ", "\n\t"])
def test_without_a_policy_everybody_sees_everything(text: str | None) -> None:
    assert opened(text) is None
    assert opened(text, "sales") is None


def test_a_group_opens_its_collections_and_no_others() -> None:
    assert opened(TWO_GROUPS, "sales") == frozenset({"handbook", "prices"})
    assert opened(TWO_GROUPS, "engineers") == frozenset({"handbook", "design"})


def test_several_groups_open_what_each_of_them_opens() -> None:
    assert opened(TWO_GROUPS, "engineers", "sales") == frozenset({"handbook", "prices", "design"})


@pytest.mark.parametrize("groups", [(), ("visitors",), ("Sales",), ("sales ",), ("",), ("handbook",)])
def test_a_caller_in_no_mapped_group_sees_nothing(groups: tuple[str, ...]) -> None:
    assert opened(TWO_GROUPS, *groups) == frozenset()


def test_a_star_as_the_collection_opens_everything() -> None:
    assert opened('{"admins": ["*"], "sales": ["prices"]}', "sales", "admins") is None


def test_a_star_as_the_group_is_every_caller() -> None:
    policy = '{"*": ["handbook"], "sales": ["prices"]}'
    assert opened(policy) == frozenset({"handbook"})
    assert opened(policy, "visitors") == frozenset({"handbook"})
    assert opened(policy, "sales") == frozenset({"handbook", "prices"})


def test_a_group_of_the_pool_that_is_called_star_gains_nothing_by_its_name() -> None:
    assert opened('{"*": ["handbook"], "sales": ["prices"]}', "*") == frozenset({"handbook"})
    assert opened(TWO_GROUPS, "*") == frozenset()


@pytest.mark.parametrize("text", ["{}", '{"sales": []}'])
def test_a_policy_that_opens_nothing_opens_nothing(text: str) -> None:
    assert opened(text, "sales") == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "sales",
        "{",
        "[]",
        '["sales"]',
        "null",
        "true",
        '"*"',
        "1",
        '{"sales": "handbook"}',
        '{"sales": "*"}',
        '{"sales": null}',
        '{"sales": {"handbook": true}}',
        '{"sales": [1]}',
        '{"sales": [null]}',
        '{"sales": [["handbook"]]}',
        '{"sales": [""]}',
        '{"sales": ["  "]}',
        '{"sales": ["handbook/"]}',
        '{"sales": ["handbook/2024"]}',
        '{"sales": ["*", "handbook"]}',
        '{"sales": ["*", "*"]}',
        '{"": ["handbook"]}',
        '{" ": ["handbook"]}',
        '{"sales": ["handbook"], "sales": ["*"]}',
        '{"s\\u0061les": ["handbook"], "sales": ["*"]}',
        '{"sales": [NaN]}',
        '{"sales": ["handbook"]} trailing',
        '{"sales":' + "[" * 100_000,
        "{'sales': ['handbook']}",
    ],
    ids=lambda text: text[:44],
)
def test_a_broken_policy_is_refused_with_the_name_of_its_variable(text: str) -> None:
    with pytest.raises(SettingsError, match="DOCSHELF_ACCESS"):
        AccessPolicy.parse(text)


NAMES = st.text(st.characters(exclude_categories=(), exclude_characters="/*"), min_size=1, max_size=4).filter(str.strip)
POLICIES = st.dictionaries(NAMES | st.just("*"), st.lists(NAMES, max_size=3) | st.just(["*"]), max_size=4)


@given(POLICIES, st.lists(NAMES, max_size=3))
def test_a_collection_is_open_exactly_when_a_group_of_the_caller_names_it(
    policy: dict[str, list[str]], groups: list[str]
) -> None:
    found = opened(json.dumps(policy), *groups)
    granted = [name for group, names in policy.items() if group == "*" or group in groups for name in names]
    assert found == (None if "*" in granted else frozenset(granted))


@given(st.text(ANY_CHARACTER, max_size=60))
def test_any_text_is_a_policy_or_a_settings_error(text: str) -> None:
    try:
        policy = AccessPolicy.parse(text)
    except SettingsError:
        return
    # Only an empty text opens anything; of the others, what can be read by chance names no group.
    assert policy.collections_for(member_of("sales")) == (frozenset() if text.strip() else None)
