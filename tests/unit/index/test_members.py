"""A key with members is stored, compared, replaced and removed as one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docshelf.index import table_commit, versions
from docshelf.index.filters import EVERYTHING, Filters, one_of
from docshelf.index.identity import IndexIdentity
from docshelf.index.records import PreparedDocument
from docshelf.index.store import Index
from docshelf.states import State
from tests.unit.index.made_up import make, with_members


def archive(
    key: str, names: dict[str, list[str]], version: str = "1", texts: list[str] | None = None
) -> PreparedDocument:
    members = (make(f"{key}!/{name}", texts, version=version) for name, texts in names.items())
    return with_members(make(key, texts or [], version=version), *members)


def sources(index: Index) -> list[str]:
    return [record.source for record in index.all_documents()]


def texts(index: Index, source: str) -> list[str]:
    return [chunk.text for chunk in index.chunks_of(source)]


def test_members_are_documents_of_their_own(index: Index) -> None:
    index.replace([archive("box/a.zip", {"x.md": ["one"], "deep/y.md": ["two", "three"]}), make("box/b.md", ["four"])])
    assert texts(index, "box/a.zip!/deep/y.md") == ["two", "three"]
    found = index.document("box/a.zip!/x.md")
    assert found is not None
    assert (found.key, found.collection, found.members) == ("box/a.zip", "box", 0)
    holder = index.document("box/a.zip")
    assert holder is not None
    assert (holder.key, holder.members, holder.chunks) == ("box/a.zip", 2, 0)
    listed = index.documents(Filters(path_prefix="box/a.zip!/"))
    assert [record.source for record in listed] == ["box/a.zip!/deep/y.md", "box/a.zip!/x.md"]
    assert [(row.key, row.members, row.chunks, row.consistent) for row in index.ordered_versions()] == [
        ("box/a.zip", 2, 3, True),
        ("box/b.md", 0, 1, True),
    ]


def test_members_follow_what_holds_them_though_other_keys_sort_between(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {f"{number}.md": ["x"] for number in range(5)}
    index.replace([archive("a.zip", names), make("a.zip 2", ["y"]), make("a.zip!", ["z"]), make("b", ["w"])])
    expected = ["a.zip", *(f"a.zip!/{name}" for name in names), "a.zip 2", "a.zip!", "b"]
    assert sources(index) == expected
    monkeypatch.setattr("docshelf.index.reading._PAGE_ROWS", 2)
    assert sources(index) == expected
    assert [record.source for record in index.documents(EVERYTHING)] == sorted(expected)


@pytest.mark.parametrize("page", [1, 2, 3, 7, 100])
def test_a_key_with_more_members_than_a_page_holds_is_compared_whole(
    index: Index, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(versions, "_PAGE_ROWS", page)
    many = archive("b.zip", {f"{number}.md": ["x"] for number in range(20)})
    index.replace([make("a", ["x"]), many, archive("b.zip 2", {"x": ["y"]}), make("c", [])])
    found = list(index.ordered_versions())
    assert [(row.key, row.members, row.consistent) for row in found] == [
        ("a", 0, True),
        ("b.zip", 20, True),
        ("b.zip 2", 1, True),
        ("c", 0, True),
    ]
    assert {row.key: row for row in found} == index.stored_versions([row.key for row in found])
    assert [row.key for row in index.ordered_versions(after="b.zip")] == ["b.zip 2", "c"]


@pytest.mark.parametrize("many_rows", [1, 50_000])
def test_a_replaced_archive_leaves_nothing_of_the_older_one_behind(
    index: Index, monkeypatch: pytest.MonkeyPatch, many_rows: int
) -> None:
    monkeypatch.setattr(table_commit, "_MANY_ROWS", many_rows)
    index.replace([archive("a.zip", {"x": ["1", "2"], "y": ["3"]}), make("b", ["4"])])
    index.replace([archive("a.zip", {"z": ["5", "6", "7"], "y": ["8"]}, "2", ["own"])])
    assert sources(index) == ["a.zip", "a.zip!/y", "a.zip!/z", "b"]
    assert [texts(index, source) for source in sources(index)] == [["own"], ["8"], ["5", "6", "7"], ["4"]]
    assert texts(index, "a.zip!/x") == []
    assert index.inconsistent_keys() == set()
    index.replace([make("a.zip", ["plain"], version="3")])
    assert sources(index) == ["a.zip", "b"]
    assert index.inconsistent_keys() == set()
    index.replace([archive("a.zip", {"x": ["1"]}, "4")], ["b"])
    assert sources(index) == ["a.zip", "a.zip!/x"]
    index.replace([], ["a.zip"])
    assert (sources(index), index.measurements().chunks) == ([], 0)


def test_the_states_and_versions_of_members_are_told_with_their_key(index: Index) -> None:
    made = archive("a.zip", {"x": ["1"], "y": []})
    failed = replace(made.members[1].record, state=State.FAILED, reason="Bad.", retryable=True, version="1@limits")
    index.replace([replace(made, members=(made.members[0], PreparedDocument(failed)))])
    (stored,) = index.ordered_versions()
    assert stored.consistent
    assert stored.retryable
    assert stored.member_versions == {(State.INDEXED, "1"), (State.FAILED, "1@limits")}


def test_a_part_of_a_key_that_is_missing_or_too_much_is_noticed_and_put_right(index: Index) -> None:
    names = ["no row", "a member less", "chunks of a member less", "chunks without a row", "members alone", "good"]
    made = [archive(name, {"x": ["1"], "y": ["2", "3"]}) for name in names]
    index.replace(made)
    rows, chunks = index._documents, index._chunks
    rows.delete("source = 'no row'")
    rows.delete("source = 'a member less!/x'")
    chunks.delete("source = 'chunks of a member less!/y' AND ordinal = 1")
    rows.delete("key = 'chunks without a row'")
    rows.delete("source = 'members alone'")
    chunks.delete("key = 'members alone'")
    assert index.inconsistent_keys() == set(names) - {"good"}
    assert {key for key, row in index.stored_versions(names).items() if not row.consistent} == set(names) - {"good"}
    index.replace(made[:3], names[3:5])
    assert index.inconsistent_keys() == set()
    assert {row.key for row in index.ordered_versions()} == {*names[:3], "good"}


def test_a_document_that_takes_the_name_of_a_member_leaves_its_archive_to_be_looked_at(index: Index) -> None:
    index.replace([archive("a.zip", {"x": ["1", "2"], "y": ["3"]})])
    index.replace([make("a.zip!/x", ["real"])])
    assert {row.key: row.consistent for row in index.ordered_versions()} == {"a.zip": False, "a.zip!/x": True}
    index.replace([archive("a.zip", {"y": ["3"]})])
    assert index.inconsistent_keys() == set()
    assert [(source, texts(index, source)) for source in sources(index)] == [
        ("a.zip", []),
        ("a.zip!/y", ["3"]),
        ("a.zip!/x", ["real"]),
    ]


def test_the_vectors_of_members_are_found_by_their_key(index: Index) -> None:
    made = archive("a.zip", {"x": ["1"], "y": ["2"]}, texts=["own"])
    index.replace([made, make("b", ["other"])])
    expected = {chunk.embedded_sha256 for each in (made, *made.members) for chunk in each.chunks}
    assert index.vectors_of(["a.zip"]).keys() == expected


def test_what_is_no_whole_key_is_refused(index: Index, identity: IndexIdentity) -> None:
    good = archive("a.zip", {"x": ["1"]})
    nested = replace(good.members[0], record=replace(good.members[0].record, members=1), members=good.members)
    for bad in (
        replace(good, members=()),
        replace(good, members=(*good.members, *good.members)),
        replace(good, record=replace(good.record, key="b.zip")),
        replace(good, members=(make("a.zip!/x", ["1"]),)),
        replace(good, members=(nested,)),
        good.members[0],
    ):
        with pytest.raises(ValueError, match=r"member|key|twice"):
            index.replace([bad])
    with pytest.raises(ValueError, match="twice"):
        index.replace([good, make("a.zip!/x", ["2"])])


NAMES = st.sampled_from(["x", "y", "a b", "z!/x", "é"])
ARCHIVES = st.dictionaries(NAMES, st.lists(st.sampled_from(["1", "2", "3"]), max_size=3), max_size=4)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(["k", "k 2", "k!"]), st.none() | ARCHIVES, st.booleans()), max_size=6))
def test_the_latest_of_any_archives_is_stored_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory,
    identity: IndexIdentity,
    steps: list[tuple[str, dict[str, list[str]] | None, bool]],
) -> None:
    index = Index.create(tmp_path_factory.mktemp("index"), identity)
    expected: dict[str, list[str]] = {}
    for number, (key, names, own) in enumerate(steps):
        gone = one_of("key", [key])
        expected = {source: found for source, found in expected.items() if source != key and f"{key}!/" not in source}
        if names is None:
            index.replace([], [key])
            assert index._documents.count_rows(gone) == index._chunks.count_rows(gone) == 0
            continue
        index.replace([archive(key, names, str(number), ["own"] if own else None)])
        expected[key] = ["own"] if own else []
        expected.update({f"{key}!/{name}": found for name, found in names.items()})
    assert {source: texts(index, source) for source in sources(index)} == expected
    assert index.inconsistent_keys() == set()
