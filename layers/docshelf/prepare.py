"""One key: from what the source holds now to a draft, whose chunks are cut and not yet embedded.

Preparing has no effect on the index: it can be done twice, late, or in parallel. It goes in steps, so that a caller
can embed the chunks of several documents together: `draft` reads, parses and cuts; `missing_texts` says what must be
embedded; `complete` joins drafts and vectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from docshelf.chunking import Chunk, ChunkSizes, Tokenizer, chunk_document
from docshelf.content_versions import version_of
from docshelf.documents.archives.members import Member, Members
from docshelf.documents.model import Document
from docshelf.drafts import Draft, blank_record, sha256_of, with_problem
from docshelf.errors import DocumentError, DocumentTooLargeError, EmptyDocumentError
from docshelf.index.records import DocumentRecord
from docshelf.member_drafts import MemberDrafts
from docshelf.quality.measure import measured
from docshelf.settings import Limits
from docshelf.sources import SourceContent
from docshelf.states import State


class Parser(Protocol):
    """Reads a document; `documents.sandbox.ParserProcess` does it in a process that can be ended."""

    def parse(self, data: bytes, key: str) -> Document:
        """Raises DocumentError where the document cannot become searchable."""
        ...

    def unpack(self, data: bytes, key: str, start: int) -> Members:
        """The members of an archive or mail from the one of number `start` on; raises DocumentError as `parse`."""
        ...


class ModelTokenizer(Tokenizer, Protocol):
    """The model's tokenizer, and what it knows of languages."""

    def knows_language_of(self, text: str) -> bool:
        """Whether the model was trained for the language of a document."""
        ...


@dataclass(frozen=True, slots=True)
class Around:
    """What a key with members needs to know besides its content.

    `has_time` is asked before anything is unpacked and before each member; `real_keys` gives the keys of the source
    that begin with a prefix: a member of such a name gives way to what is really there.
    """

    has_time: Callable[[], bool] = lambda: True
    real_keys: Callable[[str], Iterable[str]] = lambda _: ()


NOTHING_AROUND = Around()


@dataclass(frozen=True, slots=True)
class Preparer:
    """What preparing needs: a parser, the model's tokenizer and name, sizes and limits."""

    parser: Parser
    tokenizer: ModelTokenizer
    model_sha256: str
    sizes: ChunkSizes
    limits: Limits

    def draft(
        self, key: str, content: SourceContent, version: str | None = None, around: Around = NOTHING_AROUND
    ) -> Draft:
        """Read and cut `content` and its members. What cannot become searchable has its state and reason instead.

        Raises:
            StoppedError: the time was up before all members were read.
            DocshelfError: the source could not be asked for the names of its documents.
        """
        record = blank_record(key, content.size, content.modified_at)
        record = replace(record, version=version or content.sha256, content_sha256=content.sha256)
        own, attached = self._read(record, content.data)
        members = MemberDrafts(self._read_member, self.parser, self.limits, record, around.has_time)
        whole = members.read(own, content.data, attached) if attached else own
        return members.without_real(whole, around.real_keys) if whole.members else whole

    def _read_member(self, record: DocumentRecord, member: Member) -> tuple[Draft, int]:
        if member.error is not None:
            return self._problem(record, member.error), 0
        return self._read(replace(record, content_sha256=hashlib.sha256(member.data).hexdigest()), member.data)

    def _read(self, record: DocumentRecord, data: bytes) -> tuple[Draft, int]:
        """The draft of one document, and how many others it holds; its version is that of the key's content."""
        try:
            document = self.parser.parse(data, record.source)
            chunks = self._cut(document)
        except EmptyDocumentError as error:
            return self._problem(record, error), error.attachments
        except DocumentError as error:
            return self._problem(record, error), 0
        made = replace(
            record,
            state=State.INDEXED,
            title=document.title,
            media_type=document.media_type,
            pages=document.pages,
            chunks=len(chunks),
            characters=len(document.text),
            line_kind="source" if document.source_lines else "text",
            first_line=document.first_line,
            warnings=document.warnings,
            quality=measured(document) if document.text else None,
        )
        return Draft(made, chunks, tuple(self._hash(chunk) for chunk in chunks)), document.attachments

    def _problem(self, record: DocumentRecord, error: DocumentError) -> Draft:
        version = version_of(record.version, error.state, self.limits)
        return Draft(with_problem(replace(record, version=version), error))

    def _cut(self, document: Document) -> tuple[Chunk, ...]:
        sizes = self.sizes.for_language(known=self.tokenizer.knows_language_of(document.text))
        chunks = chunk_document(document, self.tokenizer, sizes)
        if len(chunks) > self.limits.max_chunks:
            raise DocumentTooLargeError(
                f"The document gives {len(chunks):,} chunks and at most {self.limits.max_chunks:,} are taken: split "
                "the file, or raise DOCSHELF_MAX_CHUNKS."
            )
        return tuple(chunks)

    def _hash(self, chunk: Chunk) -> str:
        return sha256_of(f"{self.model_sha256}\0{chunk.embedded_text}")
