"""What a key holds becomes drafts of its own, within bounds for all of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from docshelf.chunking import ChunkSizes
from docshelf.content_versions import version_of
from docshelf.documents.archives.members import Member, Members
from docshelf.documents.model import Document
from docshelf.drafts import Draft, complete, missing_texts
from docshelf.embedding.embedder import Embedder
from docshelf.errors import ParserEndedError, StoppedError
from docshelf.prepare import Around, Preparer
from docshelf.settings import Limits
from docshelf.sources import SourceContent
from docshelf.states import State
from tests.support.archives import encrypted_zip, mail_of, pdf_with, zip_of
from tests.support.indexed_folder import DirectParser

MOMENT = datetime(2026, 11, 30, tzinfo=UTC)
LIMITS = Limits(max_bytes=100_000, max_chunks=50, max_members=20, max_unpacked_bytes=200_000)
NOTE = b"# Note\n\nThe heron stands still.\n"
Prepare = Callable[..., Draft]


@pytest.fixture
def prepare(embedder: Embedder) -> Prepare:
    """Makes the draft of some bytes under a key."""

    def prepare(
        data: bytes,
        key: str = "box/a.zip",
        limits: Limits = LIMITS,
        around: Around | None = None,
        parser: DirectParser | None = None,
    ) -> Draft:
        preparer = Preparer(parser or DirectParser(limits), embedder.tokenizer, "0" * 64, ChunkSizes(), limits)
        content = SourceContent(data, hashlib.sha256(data).hexdigest(), len(data), MOMENT, "v1")
        return preparer.draft(key, content, "v1", around or Around())

    return prepare


def members(draft: Draft) -> dict[str, tuple[State, int]]:
    """State and number of chunks of each member."""
    return {each.record.source: (each.record.state, len(each.chunks)) for each in draft.members}


def test_each_file_of_an_archive_is_a_document_of_its_key(prepare: Prepare) -> None:
    draft = prepare(zip_of({"docs/note.md": NOTE, "empty.md": b"", "logo.png": b"\x89PNG\r\n\x1a\n\0\0\0\r"}))
    assert members(draft) == {
        "box/a.zip!/docs/note.md": (State.INDEXED, 1),
        "box/a.zip!/empty.md": (State.EMPTY, 0),
        "box/a.zip!/logo.png": (State.UNSUPPORTED, 0),
    }
    own, note = draft.record, draft.members[0].record
    assert (own.state, own.chunks, own.members, own.title, own.media_type) == (State.INDEXED, 0, 3, "a", "zip")
    assert own.warnings == ("2 of the 3 files in it are not searchable: each has its own reason.",)
    assert (note.key, note.collection, note.title, note.version) == ("box/a.zip", "box", "Note", "v1")
    assert note.modified_at == datetime(2024, 3, 1, 10, 20, 30, tzinfo=UTC)
    assert note.content_sha256 == hashlib.sha256(NOTE).hexdigest()
    assert draft.members[1].record.reason == "The file has no content (0 bytes)."
    assert draft.chunk_count == len(missing_texts([draft], {})) == 1


def test_a_prepared_archive_has_the_vectors_of_all_its_chunks(prepare: Prepare, embedder: Embedder) -> None:
    draft = prepare(mail_of("See the note.", {"note.md": NOTE}), "a.eml")
    texts = missing_texts([draft], {})
    vectors = dict(zip(texts, embedder.embed_passages(list(texts.values())), strict=True))
    prepared = complete(draft, vectors)
    assert [chunk.source for each in (prepared, *prepared.members) for chunk in each.chunks] == [
        "a.eml",
        "a.eml!/note.md",
    ]
    assert {chunk.key for each in (prepared, *prepared.members) for chunk in each.chunks} == {"a.eml"}


def test_archives_and_mails_within_each_other_are_unpacked_to_a_depth(prepare: Prepare) -> None:
    first = zip_of({"note.md": NOTE})
    second = mail_of("With a file.", {"first.zip": first})
    third = zip_of({"second.eml": second, "other.md": NOTE})
    assert members(prepare(third, "a.zip")) == {
        "a.zip!/second.eml": (State.INDEXED, 1),
        "a.zip!/second.eml!/first.zip": (State.INDEXED, 0),
        "a.zip!/second.eml!/first.zip!/note.md": (State.INDEXED, 1),
        "a.zip!/other.md": (State.INDEXED, 1),
    }
    shallow = prepare(third, "a.zip", replace(LIMITS, max_archive_depth=2))
    assert members(shallow)["a.zip!/second.eml!/first.zip"] == (State.TOO_LARGE, 0)
    assert "a.zip!/second.eml!/first.zip!/note.md" not in members(shallow)
    flat = prepare(third, "a.zip", replace(LIMITS, max_archive_depth=1))
    assert members(flat) == {"a.zip!/second.eml": (State.INDEXED, 1), "a.zip!/other.md": (State.INDEXED, 1)}
    (mail,) = (each.record for each in flat.members if each.record.media_type == "mail")
    assert "DOCSHELF_MAX_ARCHIVE_DEPTH" in mail.warnings[-1]


def test_an_archive_of_which_nothing_is_searchable_says_why(prepare: Prepare) -> None:
    own = prepare(zip_of({"a.md": b"", "b.md": b" "})).record
    assert (own.state, own.members) == (State.EMPTY, 2)
    assert own.reason == "None of the 2 files in it is searchable: each has its own reason."
    own = prepare(encrypted_zip("secret.md")).record
    assert (own.state, own.members) == (State.ENCRYPTED, 1)
    assert "password" in (own.reason or "")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"max_members": 2}, "DOCSHELF_MAX_MEMBERS"),
        ({"max_unpacked_bytes": 3 * len(NOTE) - 1}, "DOCSHELF_MAX_UNPACKED_BYTES"),
        ({"max_chunks": 2}, "DOCSHELF_MAX_CHUNKS"),
    ],
)
def test_an_archive_beyond_a_bound_is_too_large_as_a_whole(
    prepare: Prepare, changed: dict[str, int], words: str
) -> None:
    limits = replace(LIMITS, **changed)  # type: ignore[arg-type]
    draft = prepare(zip_of({f"{number}.md": NOTE for number in range(3)}), limits=limits)
    assert (draft.record.state, draft.record.members, draft.members) == (State.TOO_LARGE, 0, ())
    assert words in (draft.record.reason or "")
    assert draft.record.version == version_of("v1", State.TOO_LARGE, limits)


def test_a_mail_beyond_a_bound_keeps_its_own_text_and_says_so(prepare: Prepare) -> None:
    mail = mail_of("The heron.", {f"{number}.md": NOTE for number in range(3)})
    draft = prepare(mail, "a.eml", replace(LIMITS, max_members=2))
    assert (draft.record.state, len(draft.chunks), draft.members) == (State.INDEXED, 1, ())
    assert "What is attached to it was left out." in draft.record.warnings[-1]


def test_bounds_hold_for_archives_within_an_archive_together(prepare: Prepare) -> None:
    inner = zip_of({f"{number}.md": NOTE for number in range(4)})
    data = zip_of({"first.zip": inner, "second.zip": inner, "last.md": NOTE})
    limits = replace(LIMITS, max_members=8)
    found = members(prepare(data, "a.zip", limits))
    assert found["a.zip!/first.zip"] == (State.INDEXED, 0)
    assert found["a.zip!/second.zip"] == (State.TOO_LARGE, 0)
    assert found["a.zip!/last.md"] == (State.INDEXED, 1)
    assert len(found) == 7
    few = members(prepare(data, "a.zip", replace(LIMITS, max_chunks=6)))
    assert [few[f"a.zip!/{name}"][0] for name in ("first.zip", "second.zip", "last.md")] == [
        State.INDEXED,
        State.TOO_LARGE,
        State.INDEXED,
    ]


def test_a_scan_stays_empty_though_what_is_attached_to_it_is_found(prepare: Prepare) -> None:
    draft = prepare(pdf_with("", {"note.md": NOTE}), "scan.pdf")
    assert (draft.record.state, draft.record.members) == (State.EMPTY, 1)
    assert members(draft) == {"scan.pdf!/note.md": (State.INDEXED, 1)}


def test_files_of_one_name_get_a_number(prepare: Prepare) -> None:
    mail = mail_of("Three times.", {"note.md": NOTE})
    data = zip_of({"note.md": NOTE, "./note.md": NOTE, "/note.md": NOTE, "x/../a": mail})
    assert list(members(prepare(data, "a.zip"))) == [
        "a.zip!/note.md",
        "a.zip!/note (2).md",
        "a.zip!/note (3).md",
        "a.zip!/x/a!/note.md",
        "a.zip!/x/a",
    ]
    nested = zip_of({"b!/c.md": NOTE, "b": zip_of({"c.md": NOTE})})
    assert list(members(prepare(nested, "a.zip"))) == ["a.zip!/b!/c.md", "a.zip!/b!/c (2).md", "a.zip!/b"]


def test_documents_of_the_source_go_before_members_of_their_name(prepare: Prepare) -> None:
    asked = []

    def real(prefix: str) -> list[str]:
        asked.append(prefix)
        return ["a.zip!/inner.zip", "a.zip!/other.md", "a.zip!/zzz"]

    data = zip_of({"inner.zip": zip_of({"x.md": NOTE}), "note.md": NOTE})
    draft = prepare(data, "a.zip", around=Around(real_keys=real))
    assert asked == ["a.zip!/"]
    assert (list(members(draft)), draft.record.members) == (["a.zip!/note.md"], 1)
    assert draft.record.warnings[-1].startswith("Left out of it: 2 files")
    prepare(NOTE, "a.md", around=Around(real_keys=real))
    assert asked == ["a.zip!/"]


def test_the_time_is_looked_at_before_each_member(prepare: Prepare) -> None:
    answers = iter([True, True, False])
    data = zip_of({f"{number}.md": NOTE for number in range(5)})
    with pytest.raises(StoppedError):
        prepare(data, around=Around(has_time=lambda: next(answers)))


def test_the_time_is_looked_at_before_something_within_is_unpacked(prepare: Prepare) -> None:
    answers = iter([True, True, False])
    data = zip_of({"inner.zip": zip_of({"a.md": NOTE})})
    with pytest.raises(StoppedError):
        prepare(data, around=Around(has_time=lambda: next(answers)))


@dataclass(frozen=True, slots=True)
class FailingParser(DirectParser):
    """Ends at one member, or where something is to be unpacked."""

    at: str = ""
    unpacks: bool = True
    answer: list[Members] = field(default_factory=list)

    def parse(self, data: bytes, key: str) -> Document:
        if self.at and key.endswith(self.at):
            raise ParserEndedError("The parser ended.")
        return DirectParser.parse(self, data, key)

    def unpack(self, data: bytes, key: str, start: int) -> Members:
        if not self.unpacks:
            raise ParserEndedError("The parser ended.")
        return self.answer[start] if self.answer else DirectParser.unpack(self, data, key, start)


def test_the_crash_of_one_member_is_that_members_state_alone(prepare: Prepare) -> None:
    data = zip_of({"bad.md": NOTE, "good.md": NOTE})
    draft = prepare(data, parser=FailingParser(LIMITS, at="bad.md"))
    assert [each.record.state for each in draft.members] == [State.FAILED, State.INDEXED]
    assert [each.record.retryable for each in draft.whole] == [False, True, False]
    assert draft.record.state is State.INDEXED


def test_what_cannot_be_unpacked_this_time_is_tried_again(prepare: Prepare) -> None:
    archive = prepare(zip_of({"a.md": NOTE}), parser=FailingParser(LIMITS, unpacks=False)).record
    assert (archive.state, archive.retryable, archive.reason) == (State.FAILED, True, "The parser ended.")
    mail = prepare(mail_of("Text.", {"a.md": NOTE}), "a.eml", parser=FailingParser(LIMITS, unpacks=False)).record
    assert (mail.state, mail.retryable) == (State.INDEXED, True)


@pytest.mark.parametrize(
    "answer",
    [
        [Members((), more=False)],
        [Members((Member("a.md", NOTE, 1),), more=False)],
        [Members(tuple(Member(f"{number}.md", NOTE, 1) for number in range(3)), more=False)],
        [Members((Member("a.md", NOTE, 1), Member("b.md", NOTE, 1)), more=True)],
    ],
    ids=["none", "one less", "one more", "more to come"],
)
def test_members_that_are_not_those_that_were_counted_are_not_taken(prepare: Prepare, answer: list[Members]) -> None:
    draft = prepare(zip_of({"a.md": NOTE, "b.md": NOTE}), parser=FailingParser(LIMITS, answer=answer))
    assert (draft.record.state, draft.members) == (State.FAILED, ())
