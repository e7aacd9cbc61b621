"""The search function: MCP over events of API Gateway, for callers with a token."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Self

from aws_lambda_powertools.utilities.typing import LambdaContext

from docshelf.access.caller import Caller
from docshelf.access.keys import KeySource
from docshelf.access.policy import AccessPolicy
from docshelf.access.tokens import TokenVerifier
from docshelf.errors import (
    DocshelfError,
    EventError,
    InvalidArgumentError,
    ModelUnavailableError,
    SettingsError,
    TimedOutError,
)
from docshelf.gateway.events import answer_of, request_of
from docshelf.index.traffic import count_traffic
from docshelf.memory import keep_loaded_objects
from docshelf.observability import logger, quiet_libraries
from docshelf.remaining_time import RemainingSeconds, remaining_seconds
from docshelf.request_record import log_fault
from docshelf.search.shelf import IndexShelf
from docshelf.search.shelves import Shelves
from docshelf.serving.answers import NOT_STORED, Answer, fault, refused
from docshelf.serving.doors import Doors
from docshelf.serving.exchange import GRACE_SECONDS, exchange
from docshelf.serving.index_in_use import IndexInUse
from docshelf.serving.message import facts_of
from docshelf.serving.record import RequestRecord
from docshelf.serving.rehearsal import rehearse
from docshelf.settings import SearchSettings

# Of the function's own time, for what comes before and after the answer of MCP.
RESERVE_SECONDS = 1.0


class SearchFunction:
    """One instance of the function. It keeps its model, the open index, the issuer's keys, and nothing of a caller."""

    def __init__(self, settings: SearchSettings, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Load the model and open the index, as far as it can be; the issuer's keys are first fetched by a request.

        `clock` counts seconds.

        Raises:
            SettingsError: DOCSHELF_ACCESS cannot be read, or the model of DOCSHELF_MODEL cannot be had.
        """
        self._settings = settings
        self._policy = AccessPolicy.parse(settings.access)
        self._keys = KeySource(settings.keys_url)
        verifier = TokenVerifier(
            issuer=settings.token_issuer,
            keys=self._keys,
            audience=settings.url,
            client_ids=settings.client_ids,
            scope=settings.scope,
        )
        self._doors = Doors(settings, verifier)
        self._index = _index_in_use(settings)
        self._shelves = Shelves(self._index.open, self._index)
        self._clock = clock
        self._cold = True
        quiet_libraries()
        count_traffic()
        keep_loaded_objects()
        self._index.open_ahead()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """An instance with the settings of `environment`; raises SettingsError besides."""
        return cls(SearchSettings.from_environment(environment))

    def handle(self, event: Mapping[str, object], context: LambdaContext) -> dict[str, object]:
        """Answer one request. Nothing is raised: an event that is none of API Gateway is answered 400."""
        try:
            request = request_of(event)
        except EventError as error:
            logger.error(error.sentence)
            return answer_of(event, refused(error, NOT_STORED).response)
        record = RequestRecord(request=request, cold=self._cold, clock=self._clock)
        self._cold = False
        try:
            answer = self._answer(record, remaining_seconds(context))
        except DocshelfError as error:
            answer = refused(error)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - the boundary, for a panic of LanceDB too, which is no Exception
            answer, reference = fault()
            log_fault(error, reference)
        record.write(answer)
        return answer_of(event, self._doors.finished(request, answer.response))

    def before_snapshot(self) -> None:
        """Have the index open and everything loaded that answers a search, for an instance that a snapshot is taken of.

        An index that is missing or does not answer is no reason to fail: requests look for it again.
        """
        self._index.wait_until_opened()
        rehearse(self._shelves.for_caller, blurb=self._settings.blurb, seconds=self._settings.answer_seconds)

    def after_restore(self) -> None:
        """Look at the key set and at the index anew with the next request; the open index stays open."""
        self._keys.forget()
        self._index.look_again()

    def close(self) -> None:
        """End the models' threads."""
        self._index.close()

    def _answer(self, record: RequestRecord, remaining: RemainingSeconds) -> Answer:
        admitted = self._doors.admit(record.request)
        if isinstance(admitted, Answer):
            return admitted
        record.caller = admitted.pseudonym
        record.message = facts_of(record.request.body, record.request.headers.get("mcp-protocol-version"))
        return self._from_mcp(record, admitted, remaining)

    def _from_mcp(self, record: RequestRecord, caller: Caller, remaining: RemainingSeconds) -> Answer:
        left = remaining() - GRACE_SECONDS - RESERVE_SECONDS
        seconds = min(self._settings.answer_seconds - record.elapsed(), left)
        if seconds <= 0:
            raise TimedOutError("The time for an answer was used up before it was begun; try again.")
        collections = self._policy.collections_for(caller)
        opened: list[IndexShelf] = []

        def open_shelf() -> IndexShelf:
            opened.append(self._shelves.for_caller(collections))
            return opened[-1]

        try:
            response = exchange(
                record.request, open_shelf, blurb=self._settings.blurb, seconds=seconds, on_call=record.called
            )
        finally:
            record.index_version = next((shelf.index_version for shelf in opened if shelf.index_version), None)
        return Answer(response)


def _index_in_use(settings: SearchSettings) -> IndexInUse:
    try:
        return IndexInUse(settings.index, settings.model)
    except (InvalidArgumentError, ModelUnavailableError) as error:
        raise SettingsError(f"DOCSHELF_MODEL cannot be used: {error.sentence}") from error
