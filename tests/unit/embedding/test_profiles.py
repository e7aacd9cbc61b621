"""The table of models."""

from __future__ import annotations

import re

import pytest

from docshelf.embedding.profiles import DEFAULT_PROFILE, PACKAGED_PROFILE, PROFILES, profile_named
from docshelf.errors import InvalidArgumentError


def test_every_file_of_every_profile_is_pinned_by_size_and_hash() -> None:
    for profile in PROFILES.values():
        assert sorted(file.role for file in profile.files) == ["model", "tokenizer"]
        for file in profile.files:
            assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
            assert file.size > 100_000


def test_a_profile_is_either_packaged_or_at_a_pinned_revision_of_a_repository() -> None:
    for profile in PROFILES.values():
        fetched = bool(re.fullmatch(r"[\w.-]+/[\w.-]+", profile.repository)) and bool(
            re.fullmatch(r"[0-9a-f]{40}", profile.revision)
        )
        assert profile.packaged != fetched
        assert profile.licence


def test_the_default_is_the_small_bge_with_cls_pooling_and_a_prefix_on_queries_only() -> None:
    assert DEFAULT_PROFILE is profile_named("bge-small-en-v1.5")
    assert (DEFAULT_PROFILE.pooling, DEFAULT_PROFILE.dimension, DEFAULT_PROFILE.max_tokens) == ("cls", 384, 512)
    assert DEFAULT_PROFILE.query_prefix == "Represent this sentence for searching relevant passages: "
    assert DEFAULT_PROFILE.passage_prefix == ""


def test_the_packaged_model_pools_by_mean_and_reads_256_tokens() -> None:
    assert PACKAGED_PROFILE.packaged
    assert (PACKAGED_PROFILE.pooling, PACKAGED_PROFILE.max_tokens, PACKAGED_PROFILE.query_prefix) == ("mean", 256, "")


def test_an_unknown_name_is_answered_with_the_names_that_there_are() -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        profile_named("bge-gigantic")
    assert "'bge-gigantic'" in caught.value.sentence
    for name in PROFILES:
        assert name in caught.value.sentence
