import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.errors import InvalidArgumentError
from docshelf.mcp_server.arguments import Arguments, parse, schema
from docshelf.mcp_server.tools import TOOLS
from docshelf.states import State

SEARCH = TOOLS["search_documents"].parameters


def search_arguments(**given: object) -> Arguments:
    return parse("search_documents", SEARCH, given)


def refusal(tool: str, **given: object) -> str:
    with pytest.raises(InvalidArgumentError) as caught:
        parse(tool, TOOLS[tool].parameters, given)
    return caught.value.sentence


def test_absent_and_null_arguments_get_their_defaults() -> None:
    for optional in ({}, {"limit": None, "collection": None, "max_tokens": ""}, {"path_prefix": "  "}):
        arguments = search_arguments(query="x", **optional)
        assert (arguments.number("limit"), arguments.number("max_tokens")) == (5, 4_000)
        assert arguments.text("collection") is None
        assert arguments.text("path_prefix") is None


@pytest.mark.parametrize("value", [7, 7.0, "7", " 7 ", "7.0", "+7"])
def test_a_whole_number_is_accepted_however_it_is_written(value: object) -> None:
    assert search_arguments(query="x", limit=value).number("limit") == 7


def test_a_number_in_place_of_a_text_is_its_digits() -> None:
    assert search_arguments(query=404).text("query") == "404"


def test_a_state_is_accepted_in_any_spelling_of_its_name() -> None:
    for spelling in ("too large", "Too Large", "too_large"):
        parsed = parse("list_documents", TOOLS["list_documents"].parameters, {"state": spelling})
        assert parsed.text("state") == State.TOO_LARGE


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "not 0."),
        (21, "not 21."),
        (-1, "not -1."),
        (10**4_000, "not a number that large."),
        (2.5, "not 2.5."),
        (math.nan, "not nan."),
        (math.inf, "not inf."),
        ("many", 'not "many".'),
        (True, "not true."),
        (False, "not false."),
        ([5], "not a list."),
        ({"n": 5}, "not an object."),
    ],
)
def test_a_bad_limit_is_refused_with_what_is_accepted(value: object, shown: str) -> None:
    sentence = refusal("search_documents", query="x", limit=value)
    assert sentence == f"limit must be a whole number from 1 to 20, {shown}"


def test_an_open_range_names_its_minimum_only() -> None:
    assert refusal("get_document", source="a", from_page=0) == (
        "from_page must be a whole number of at least 1, not 0."
    )


@pytest.mark.parametrize("given", [{}, {"query": None}, {"query": ""}, {"query": " \n"}])
def test_a_missing_query_is_refused_with_what_is_needed(given: dict[str, object]) -> None:
    assert refusal("search_documents", **given).startswith("query is missing: search_documents needs what to look")


@pytest.mark.parametrize("value", [["a"], {"a": 1}, True])
def test_a_query_that_is_no_text_is_refused(value: object) -> None:
    assert refusal("search_documents", query=value).startswith("query must be a text, not ")


def test_an_unknown_parameter_is_refused_with_those_that_there_are() -> None:
    assert refusal("search_documents", query="x", top_k=3) == (
        'search_documents has no parameter "top_k"; it takes query, collection, path_prefix, limit and max_tokens.'
    )
    assert refusal("list_collections", name="x") == (
        'list_collections has no parameter "name"; it takes no parameters.'
    )


def test_an_unknown_state_is_refused_with_those_that_there_are() -> None:
    sentence = refusal("list_documents", state="broken")
    assert sentence.startswith("state must be one of queued, indexed, empty, ")
    assert sentence.endswith(' or failed, not "broken".')


ANY_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)


@given(
    tool=st.sampled_from(sorted(TOOLS)),
    arguments=st.dictionaries(st.sampled_from(["query", "source", "limit", "state", "from_page", "zzz"]), ANY_VALUE),
)
def test_any_arguments_are_read_or_refused_in_one_short_line(tool: str, arguments: dict[str, object]) -> None:
    assert read_or_refuse(tool, arguments)


def read_or_refuse(tool: str, arguments: dict[str, object]) -> bool:
    """Whether the arguments were read as positive numbers, or refused in one short printable line."""
    try:
        parsed = parse(tool, TOOLS[tool].parameters, arguments)
    except InvalidArgumentError as error:
        return error.sentence.isprintable() and len(error.sentence) < 300
    return all(number >= 1 for number in parsed.numbers.values())


def test_the_schema_requires_only_what_has_no_default_and_admits_nothing_else() -> None:
    made = schema(SEARCH)
    assert made["required"] == ["query"]
    assert made["additionalProperties"] is False
    assert "required" not in schema(TOOLS["list_documents"].parameters)
    assert schema(())["properties"] == {}


def test_every_parameter_is_described() -> None:
    for tool in TOOLS.values():
        assert all(len(parameter.description) > 10 for parameter in tool.parameters)
