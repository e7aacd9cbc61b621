"""A document that nobody has but this run, and that is taken away again."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import timedelta

from docshelf.aws.objects import ObjectStore
from docshelf.errors import DocshelfError
from infra.deployment.smoke.steps import StepError
from infra.deployment.smoke.target import COLLECTION

_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_SYLLABLES = 6


def _new_word() -> str:
    """A word that is in no other document, of letters alone: full text takes it as one."""
    syllables = (secrets.choice(_CONSONANTS) + secrets.choice(_VOWELS) for _ in range(_SYLLABLES))
    return "".join(syllables)


@dataclass(slots=True)
class Marker:
    """A document of `store`, known by its `word`. `uploaded` says whether it may be there now.

    Markers that are older than this one by `abandoned` are of runs that were killed.
    """

    store: ObjectStore
    word: str = field(default_factory=_new_word)
    uploaded: bool = False
    abandoned: timedelta = timedelta(hours=1)

    @property
    def key(self) -> str:
        """Where it lies in the bucket."""
        return f"{COLLECTION}/{self.word}.md"

    @property
    def title(self) -> str:
        """Its heading."""
        return f"Marker {self.word}"

    @property
    def text(self) -> str:
        """What is in it: three lines."""
        return (
            f"# {self.title}\n\n"
            f"The command scripts/smoke looks whether {self.word} is found here, and deletes this document then.\n"
        )

    def upload(self) -> str:
        """Put it into the bucket, and take away what runs that were killed have left there."""
        self.uploaded = True
        self.store.put(self.key, self.text.encode())
        there = {entry.key: entry.modified_at for entry in self.store.list(f"{COLLECTION}/")}
        # By the bucket's own times: the clock of this machine may be wrong.
        mine = there.pop(self.key, None)
        old = [key for key, modified_at in there.items() if mine and modified_at < mine - self.abandoned]
        self.store.delete(old)
        removed = f"; {len(old)} of earlier runs removed" if old else ""
        return f"s3://{self.store.bucket}/{self.key}{removed}"

    def delete(self) -> str:
        """Take it away.

        Raises:
            StepError: that is not possible; the sentence has the command that does it by hand.
        """
        try:
            self.store.delete([self.key])
        except DocshelfError as error:
            raise StepError(
                f"{error.sentence} The marker is still there: aws s3 rm s3://{self.store.bucket}/{self.key}"
            ) from error
        self.uploaded = False
        return f"s3://{self.store.bucket}/{self.key}"
