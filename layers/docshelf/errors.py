"""Every error that docshelf raises on purpose, in one tree.

Each class carries a stable `code`, the HTTP `status` it maps to, and whether trying again can help (`retryable`).
The message is one sentence for the person who reads it: what happened and what to do. Document text, tokens and
secrets never appear in a message.
"""

from __future__ import annotations

from typing import ClassVar

from docshelf.states import State


class DocshelfError(Exception):
    """Base of the tree; `str(error)` is the sentence for the person."""

    code: ClassVar[str] = "internal"
    status: int = 500
    retryable: ClassVar[bool] = False

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class StoppedError(DocshelfError):
    """The person asked for the end while something long was under way."""

    code = "stopped"
    status = 503
    retryable = True


class SettingsError(DocshelfError):
    """A setting is missing or wrong; the sentence names the variable."""

    code = "settings"


class InvalidArgumentError(DocshelfError):
    """The caller's argument cannot be used; the sentence names the argument and what is accepted."""

    code = "invalid_argument"
    status = 400


class NotFoundError(DocshelfError):
    """Nothing is stored under that name."""

    code = "not_found"
    status = 404


class IndexMissingError(DocshelfError):
    """There is no index at the place named."""

    code = "index_missing"
    status = 404


class IndexMismatchError(DocshelfError):
    """The index was made by another model, chunker or parser version; the sentence has the command that rebuilds."""

    code = "index_mismatch"
    status = 409


class IndexCorruptError(DocshelfError):
    """The index cannot be read; the sentence has the command that rebuilds."""

    code = "index_corrupt"


class IndexUnavailableError(DocshelfError):
    """The index cannot be written or read just now (busy, disk full, no permission)."""

    code = "index_unavailable"
    status = 503
    retryable = True


class IndexLockedError(DocshelfError):
    """Another process is writing this index."""

    code = "index_locked"
    status = 409
    retryable = True


class ModelUnavailableError(DocshelfError):
    """The model's files are not here and cannot be fetched, or are not the pinned ones."""

    code = "model_unavailable"
    status = 503


class SourceError(DocshelfError):
    """The folder or bucket itself cannot be read."""

    code = "source_unreadable"
    status = 503


class StoreUnavailableError(DocshelfError):
    """A storage or queue service did not answer, or asked to slow down, until all attempts were used up."""

    code = "store_unavailable"
    status = 503
    retryable = True


class StoreDeniedError(DocshelfError):
    """A bucket or queue refused a request; the sentence names the permission that is missing."""

    code = "store_denied"
    status = 403


class StoreRefusedError(DocshelfError):
    """A bucket or queue cannot serve a request as it stands: it is missing, or the object is archived."""

    code = "store_refused"
    status = 400


class PreconditionFailedError(DocshelfError):
    """A conditional write came too late: somebody else wrote the object first."""

    code = "precondition_failed"
    status = 412
    retryable = True


class MessageError(DocshelfError):
    """A queue message is not of a form that docshelf reads."""

    code = "message"
    status = 400


class SourceVanishedError(DocshelfError):
    """The file was there when it was listed and is gone now: not a fault, the index follows."""

    code = "source_vanished"
    status = 404


class DocumentError(DocshelfError):
    """One document cannot become searchable; `state` is where the file ends, the message is its reason."""

    code = "document"
    status = 422
    state: ClassVar[State] = State.FAILED
    pages: int | None = None


class UnsupportedDocumentError(DocumentError):
    """The content is of a type that docshelf does not read."""

    code = "unsupported"
    state = State.UNSUPPORTED


class EmptyDocumentError(DocumentError):
    """The file holds no text (zero bytes, only white space, or `pages` without a text layer).

    `attachments` are files in it all the same, as `Document.attachments`.
    """

    code = "empty"
    state = State.EMPTY

    def __init__(self, sentence: str, pages: int | None = None, attachments: int = 0) -> None:
        super().__init__(sentence)
        self.pages = pages
        self.attachments = attachments


class EncryptedDocumentError(DocumentError):
    """A password is needed to read the text."""

    code = "encrypted"
    state = State.ENCRYPTED


class DocumentTooLargeError(DocumentError):
    """A limit on bytes, pages, characters or chunks is exceeded; the sentence names limit and setting."""

    code = "too_large"
    status = 413
    state = State.TOO_LARGE


class ParseFailedError(DocumentError):
    """The parser could not read the content, or ended without an answer."""

    code = "parse_failed"


class ParseTimeoutError(DocumentError):
    """The parser exceeded its time or memory and was ended."""

    code = "parse_timeout"


class ParserEndedError(ParseFailedError):
    """The parser's process was ended by a signal: by its own fault, or by the system; tried again at the next look."""

    code = "parser_ended"
    retryable = True


class ParserSlowError(ParseTimeoutError):
    """The parser had no answer in time by the clock, which a busy machine may cause; tried again at the next look."""

    code = "parser_slow"
    retryable = True


class UnreadableFileError(DocumentError):
    """The file's bytes cannot be read (permission, I/O error); tried again at the next look."""

    code = "unreadable"
    retryable = True


class DeniedFileError(UnreadableFileError):
    """The bucket refuses this object; the sentence names the permission that is missing."""

    code = "access_denied"


class ArchivedFileError(UnreadableFileError):
    """The object lies in an archive class and must be restored before it can be read."""

    code = "archived"


class ProcessingEndedError(DocumentError):
    """The last attempt at this file ended without a result (out of time or memory, or a service that failed)."""

    code = "processing_ended"
    retryable = True


class RecognitionWaitingError(DocumentError):
    """The text of a scan of so many `pages` is being recognised; a look after its end gives the text."""

    code = "recognition_waiting"
    state = State.QUEUED

    def __init__(self, sentence: str, pages: int | None = None) -> None:
        super().__init__(sentence)
        self.pages = pages


class RecognitionFailedError(DocumentError):
    """The text of a scan could not be recognised this time; tried again at a later look."""

    code = "recognition_failed"
    retryable = True


class RecognitionGivenUpError(DocumentError):
    """The text of a scan was tried to be recognised as often as it may be paid for."""

    code = "recognition_given_up"


class RecognitionBusyError(StoreUnavailableError):
    """The service that recognises text takes no more requests or jobs just now."""

    code = "recognition_busy"


class RecognitionLostError(StoreRefusedError):
    """The service that recognises text does not know a job (any more)."""

    code = "recognition_lost"


class EventError(DocshelfError):
    """A function was called with something that is no request through API Gateway."""

    code = "event"
    status = 400


class MissingTokenError(DocshelfError):
    """The request names no caller: it carries no bearer token."""

    code = "missing_token"
    status = 401


class InvalidTokenError(DocshelfError):
    """The bearer token is not one that this server takes; the sentence says why, never what it holds."""

    code = "invalid_token"
    status = 401


class InsufficientScopeError(DocshelfError):
    """The token is good, but was not given for reading documents."""

    code = "insufficient_scope"
    status = 403


class KeysUnavailableError(DocshelfError):
    """The keys that tokens are checked with cannot be fetched just now."""

    code = "keys_unavailable"
    status = 503
    retryable = True


class TimedOutError(DocshelfError):
    """An answer took longer than a request may last."""

    code = "timed_out"
    status = 504
    retryable = True


class OAuthError(DocshelfError):
    """A request of the sign-in that is refused: `error` is the code of RFC 6749, 7591, 8707 or 7009 for the client.

    The sentence becomes `error_description`; it never repeats what was sent.
    """

    code = "oauth"

    def __init__(self, error: str, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.error = error
        self.status = status


class UserPoolUnavailableError(DocshelfError):
    """The user pool that people sign in at does not answer, or asks to slow down."""

    code = "user_pool_unavailable"
    status = 503
    retryable = True


class SigninUnavailableError(DocshelfError):
    """The sign-in cannot have just now what it needs itself; what that is, is not for whoever asks."""

    code = "signin_unavailable"
    status = 503
    retryable = True


class UserPoolRefusedError(DocshelfError):
    """The user pool does not take what the sign-in sends it: the settings of the two do not fit."""

    code = "user_pool_refused"
    status = 502
