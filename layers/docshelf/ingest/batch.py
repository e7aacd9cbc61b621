"""The keys of one batch of messages, and which messages must come back."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

from docshelf.errors import MessageError
from docshelf.events import keys_of
from docshelf.observability import logger
from docshelf.sources.bucket import is_document_key
from docshelf.sqs_batch import Message


@dataclass(frozen=True, slots=True)
class Task:
    """A key to look at; `receives` is the highest delivery count of the messages that name it."""

    key: str
    receives: int

    @property
    def came_back(self) -> bool:
        """Whether an earlier attempt ended without a result: such a key is prepared by itself."""
        return self.receives > 1


@dataclass(slots=True)
class Batch:
    """Messages, the distinct document keys they name, and the messages that cannot be read."""

    keys: dict[Message, tuple[str, ...]] = field(default_factory=dict)
    unreadable: list[Message] = field(default_factory=list)

    @classmethod
    def read(cls, messages: Iterable[Message], bucket: str) -> Batch:
        """Read every message; one that cannot be read is logged, and returned until it is a dead letter."""
        batch = cls()
        for message in messages:
            try:
                batch.keys[message] = tuple(filter(is_document_key, keys_of(message.body, bucket)))
            except MessageError as error:
                logger.error(error.sentence, message_id=message.id, receives=message.receives)
                batch.unreadable.append(message)
        return batch

    def tasks(self) -> list[Task]:
        """One task a key: first those that came back, so that they have the whole time, in a different order each time.

        So one file that ends the function stands in front of other neighbours at the next attempt.
        """
        receives: dict[str, int] = {}
        for message, keys in self.keys.items():
            for key in keys:
                receives[key] = max(receives.get(key, 0), message.receives)
        tasks = [Task(key, count) for key, count in receives.items()]
        again = [task for task in tasks if task.came_back]
        random.shuffle(again)
        return again + [task for task in tasks if not task.came_back]

    def failed(self, done: set[str]) -> list[Message]:
        """The messages to deliver again, when the keys `done` are finished."""
        return self.unreadable + [message for message, keys in self.keys.items() if not done.issuperset(keys)]
