"""What is told of each collection, compared with what the documents themselves tell."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docshelf.index.records import CollectionContents, PreparedDocument
from docshelf.index.store import Index
from docshelf.quality.record import Quality
from docshelf.states import State
from tests.unit.index.made_up import MOMENT, make


def test_nothing_is_told_of_an_empty_index(index: Index) -> None:
    assert index.contents(3) == []


def test_a_collection_has_counts_by_state_and_the_first_titles(index: Index) -> None:
    index.replace(
        [
            make("b/2.md", ["x", "y"], title="Second"),
            make("b/1.md", ["x"], title="First"),
            make("b/0.pdf", state=State.FAILED, reason="It is damaged.", title="Never shown"),
            make("b/3.md", ["x"], title="Third"),
            make("top.md", ["x"], title=None),
            make("a/scan.pdf", state=State.EMPTY, reason="It has no text."),
        ]
    )
    assert index.contents(2) == [
        CollectionContents("a", ((State.EMPTY, 1),), 0, MOMENT, ()),
        CollectionContents("b", ((State.FAILED, 1), (State.INDEXED, 3)), 4, MOMENT, ("First", "Second")),
        CollectionContents("general", ((State.INDEXED, 1),), 1, MOMENT, ()),
    ]
    assert [contents.titles for contents in index.contents(0)] == [(), (), ()]


def test_the_languages_of_searchable_documents_are_counted(index: Index) -> None:
    index.replace(
        [
            make("a/1.md", ["x"], quality=Quality(9, language="de")),
            make("a/2.md", ["x"], quality=Quality(9, language="en")),
            make("a/3.md", ["x"], quality=Quality(9, language="en")),
            make("a/4.md", ["x"], quality=Quality(9, language=None)),
            make("a/5.md", ["x"], quality=None),
            make("a/6.md", state=State.FAILED, quality=Quality(9, language="fr")),
            make("b/1.md", ["x"], quality=Quality(9, language="ja")),
        ]
    )
    assert [contents.languages for contents in index.contents(0)] == [(("en", 2), ("de", 1)), (("ja", 1),)]


KEYS = st.sampled_from([f"{name}/{number}.md" for name in ("a", "b", "日") for number in range(6)] + ["x.md", "é.md"])


@st.composite
def documents(draw: st.DrawFn) -> list[PreparedDocument]:
    made = []
    for key in draw(st.lists(KEYS, max_size=14, unique=True)):
        state = draw(st.sampled_from([State.INDEXED, State.INDEXED, State.EMPTY, State.FAILED]))
        texts = draw(st.lists(st.just("x"), max_size=2)) if state is State.INDEXED else []
        title = draw(st.none() | st.sampled_from(["", "Guide", "Ω"]))
        document = make(key, texts, state=state, reason=None, title=title)
        moment = MOMENT + timedelta(days=draw(st.integers(0, 9)))
        made.append(replace(document, record=replace(document.record, indexed_at=moment)))
    return made


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents(), st.integers(0, 4))
def test_the_one_scan_tells_what_the_documents_tell(index: Index, stored: list[PreparedDocument], most: int) -> None:
    keys = {document.record.source for document in stored}
    index.replace(stored, [each.source for each in index.all_documents() if each.source not in keys])
    expected = []
    for name in sorted({document.record.collection for document in stored}):
        records = sorted(
            (document.record for document in stored if document.record.collection == name),
            key=lambda record: record.source,
        )
        states = [record.state for record in records]
        searchable = [record for record in records if record.chunks and record.state is State.INDEXED]
        titles = [record.title for record in searchable if record.title]
        expected.append(
            CollectionContents(
                name,
                tuple((state, states.count(state)) for state in sorted(set(states))),
                sum(record.chunks for record in records),
                max(record.indexed_at for record in records),
                tuple(titles[:most]),
            )
        )
    assert index.contents(most) == expected
