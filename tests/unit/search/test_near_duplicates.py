"""What says the same has one fingerprint, and nothing else has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.search.near_duplicates import IDENTICAL_BELOW, LINKS_FROM, fingerprint

LICENCE = (
    "Licensed under the Apache License, Version 2.0 (the License); you may not use this file except in compliance with "
    "the License. You may obtain a copy of the License from the makers of the software at any time and free of charge."
)
SHUTDOWN = "The server waits for {} seconds before it closes the connections that are still open to its clients."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (LICENCE, LICENCE.replace(". You", ".\n\n  You")),
        (LICENCE, LICENCE.replace("the License", "THE license")),
        (f"{LICENCE} [More](/docs/v1/more).", f"{LICENCE} [More](/docs/v2/more)."),
        (f"{LICENCE} [More](#more-a).", f"{LICENCE} [More](../more.md)."),
        (f'<a id="nested-one"></a>\n{LICENCE}', f'{LICENCE}\n<a name="nested-two"></a>'),
        ("| a | b | c |\n|---|---|:--|\n| one | two | three |", "| a | b | c |\n|:-----|--|--|\n| one | two | three |"),
        ("See below.\n", "\nSee below."),
    ],
    ids=["white space", "capitals", "link to another version", "link in the page", "anchor", "table rule", "short"],
)
def test_texts_that_differ_only_in_how_they_are_set_say_the_same(one: str, other: str) -> None:
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fixed in 1.2.3.", "Fixed in 1.2.4."),
        (SHUTDOWN.format(30), SHUTDOWN.format(60)),
        (f"{LICENCE} {LICENCE} Since 3.3.", f"{LICENCE} {LICENCE} Since 3.4."),
        (f"{LICENCE} {LICENCE} It is allowed.", f"{LICENCE} {LICENCE} It is not allowed."),
        (f"{LICENCE} Use the flag -v here.", f"{LICENCE} Use the flag -V here."),
        (f"{LICENCE} `--force` is off.", f"{LICENCE} `--quiet` is off."),
        (f"{LICENCE} Set maxRetries to use it.", f"{LICENCE} Set maxretries2 to use it."),
        (
            "| Name | Default |\n|---|---|\n| a | 10 |\n| b | 20 |",
            "| Name | Default |\n|---|---|\n| a | 10 |\n| b | 30 |",
        ),
        (
            "The configuration of the AWS::DAX library is here now.",
            "The configuration of the AWS::RUM library is here now.",
        ),
        (
            "Der Server wartet, bis alle Verbindungen zu sind, und endet.",
            "The server waits until all are closed and ends.",
        ),
        ("服务器等待三十秒后关闭连接。", "服务器等待六十秒后关闭连接。"),
        (f"{LICENCE} [Get](https://a.example/v1.zip)", f"{LICENCE} [Get](https://a.example/v2.zip)"),
        (f"{LICENCE} [Get](//a.example/v1.zip)", f"{LICENCE} [Get](//a.example/v2.zip)"),
        ("All that is new stands in [the notes](/notes/1.2).", "All that is new stands in [the notes](/notes/1.3)."),
        (f"{LICENCE} calls[0](first)", f"{LICENCE} calls[0](second)"),
        (f'{LICENCE} <Button color="red"/>', f'{LICENCE} <Button color="blue"/>'),
        ("See below", "see below"),
        ("----", "===="),
        ("one two three four five six seven eight nine", "nine eight seven six five four three two one"),
    ],
)
def test_texts_that_differ_in_what_matters_do_not_say_the_same(one: str, other: str) -> None:
    assert fingerprint(one) != fingerprint(other)


def test_the_heading_tells_short_texts_apart_and_long_ones_not() -> None:
    assert fingerprint("Default: none", "timeout") != fingerprint("Default: none", "retries")
    assert fingerprint(LICENCE, "Licence") == fingerprint(LICENCE, "Legal notice")


def test_a_text_of_many_openings_of_links_is_read_in_one_pass() -> None:
    hostile = "](/" * 200_000 + '<a id="' * 100_000 + "|" + "-|" * 200_000 + "x"
    assert fingerprint(hostile) == fingerprint(hostile)


@given(st.lists(st.sampled_from(["flow", "of", "water", "4.1", "--all", "`x`"]), max_size=2 * LINKS_FROM))
def test_any_other_word_is_another_text(words: list[str]) -> None:
    text = " ".join(words)
    assert fingerprint(text) == fingerprint(f"\n{text} \n")
    for place in range(len(words)):
        changed = [*words[:place], "another", *words[place + 1 :]]
        assert fingerprint(text) != fingerprint(" ".join(changed))
    if len(words) >= IDENTICAL_BELOW:
        assert fingerprint(text) == fingerprint("\n\n".join(words))
