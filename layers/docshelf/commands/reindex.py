"""`scripts/reindex`: make the index of a bucket anew beside the one in use, then switch."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from docshelf.cloud.places import documents_store, reindex_command
from docshelf.commands.shared import named, place, run, whole_number
from docshelf.errors import InvalidArgumentError
from docshelf.index.location import is_address
from docshelf.local.report import shown_text
from docshelf.settings import limits

if TYPE_CHECKING:
    from docshelf.aws.queues import Queue
    from docshelf.cloud.rebuild import Rebuild
    from docshelf.cloud.reindex import Surroundings
    from docshelf.index.identity import IndexIdentity

_DESCRIPTION = (
    "Make the index of a bucket anew, beside the one in use, by queueing every document for ingest, and switch to it "
    "when it is complete. Run again, it goes on where it was."
)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="scripts/reindex", description=_DESCRIPTION)
    made.add_argument("--index", metavar="s3://…", help="the index (default: DOCSHELF_INDEX)")
    made.add_argument("--bucket", metavar="s3://…", help="the bucket of its documents (default: DOCSHELF_BUCKET)")
    made.add_argument(
        "--ingest-queue", metavar="URL", help="the queue of the ingest function (default: DOCSHELF_INGEST_QUEUE_URL)"
    )
    made.add_argument(
        "--model",
        metavar="auto|NAME|PATH",
        help="the model to build with; the functions must have it (default: DOCSHELF_MODEL, else the index's own)",
    )
    made.add_argument(
        "--interval", type=whole_number(1, 3_600), default=15, metavar="SECONDS", help="between two looks (default: 15)"
    )
    made.add_argument(
        "--patience",
        type=whole_number(1, 1_440),
        default=20,
        metavar="MINUTES",
        help="end with a sentence when nothing has moved for so long (default: 20)",
    )
    other = made.add_mutually_exclusive_group()
    other.add_argument("--no-wait", action="store_true", help="begin and queue, and end; run again to switch")
    other.add_argument("--status", action="store_true", help="only print how far the rebuild is")
    other.add_argument("--abandon", action="store_true", help="give the rebuild up; the index in use stays as it is")
    other.add_argument("--remove-old", action="store_true", help="delete the generations that are not in use any more")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    return run(lambda: _reindex(parser().parse_args(arguments)))


def _reindex(given: argparse.Namespace) -> int:
    address = _needed(given.index, "DOCSHELF_INDEX", "--index s3://BUCKET/PREFIX")
    if not is_address(place(address)):
        raise InvalidArgumentError(
            f"{address} is a directory: make that index anew with ./scripts/local FOLDER --rebuild."
        )
    if given.status:
        return _status(address, given)
    if given.abandon:
        return _abandon(address)
    if given.remove_old:
        return _remove_old(address)
    return _rebuild(address, given)


def _abandon(address: str) -> int:
    # Seconds of import that --help need not wait for, here as below.
    from docshelf.cloud.rebuild import abandon
    from docshelf.cloud.reindex_report import removal_text

    gone = abandon(address)
    _say(f"{gone} is given up; {removal_text(address)}" if gone else "No rebuild is under way.")
    return 0


def _remove_old(address: str) -> int:
    from docshelf.cloud.rebuild import remove_old

    removed = 0
    for name in remove_old(address):
        _say(f"{name} is deleted.")
        removed += 1
    if not removed:
        _say("There is no old generation.")
    return 0


def _rebuild(address: str, given: argparse.Namespace) -> int:
    from docshelf.cloud.rebuild import begin

    around = _surroundings(given)

    def identity() -> IndexIdentity:
        # A rebuild that cannot be fed must not begin: the functions would write to both generations from then on.
        around.queue.waiting()
        next(iter(around.source.list()), None)
        return _identity(address, given.model)

    rebuild = begin(address, identity, given.model)
    try:
        return _follow(rebuild, around, given)
    except KeyboardInterrupt:
        print(f"Stopped. What is queued goes on; to go on and switch, run: {reindex_command(address)}", file=sys.stderr)
        raise


def _follow(rebuild: Rebuild, around: Surroundings, given: argparse.Namespace) -> int:
    from rich.console import Console

    from docshelf.cloud.progress import shown_steps
    from docshelf.cloud.reindex import Follower, Waiting
    from docshelf.cloud.reindex_report import begun_line, finished_lines, queued_line

    _say(begun_line(rebuild))
    follower = Follower(rebuild, around, Waiting(given.interval, given.patience * 60))
    _say(queued_line(follower.queue()))
    if given.no_wait:
        _say(f"To follow it and to switch, run: {reindex_command(rebuild.address)}")
        return 0
    with shown_steps("Rebuilding", follower.step, Console(stderr=True, soft_wrap=True)):
        found = follower.finish()
    for line in finished_lines(rebuild, found):
        _say(line)
    return 0


def _status(address: str, given: argparse.Namespace) -> int:
    from docshelf.cloud.reindex_report import status_lines
    from docshelf.cloud.status import CloudIndex

    bucket = named(given.bucket, "DOCSHELF_BUCKET")
    shelf = CloudIndex.open(address, documents_store(bucket) if bucket else None, limits())
    queue = _queue(named(given.ingest_queue, "DOCSHELF_INGEST_QUEUE_URL"))
    for line in status_lines(shelf, queue, _queue(named(None, "DOCSHELF_DEAD_LETTER_QUEUE_URL"))):
        _say(line)
    return 0


def _surroundings(given: argparse.Namespace) -> Surroundings:
    from docshelf.aws.queues import Queue
    from docshelf.cloud.reindex import Surroundings
    from docshelf.sources.bucket import BucketSource

    source = BucketSource(documents_store(_needed(given.bucket, "DOCSHELF_BUCKET", "--bucket s3://BUCKET")))
    queue = Queue(_needed(given.ingest_queue, "DOCSHELF_INGEST_QUEUE_URL", "--ingest-queue URL"))
    return Surroundings(source, queue, _queue(named(None, "DOCSHELF_DEAD_LETTER_QUEUE_URL")), limits())


def _queue(url: str) -> Queue | None:
    from docshelf.aws.queues import Queue

    return Queue(url) if url else None


def _identity(address: str, model: str | None) -> IndexIdentity:
    """What a new generation is made with: the model asked for, else the one that the index in use was made with."""
    from docshelf.cloud.rebuild import model_in_use
    from docshelf.embedding.embedder import Embedder
    from docshelf.embedding.model_files import AUTO, resolve_model
    from docshelf.models import identity_of

    name = named(model, "DOCSHELF_MODEL") or AUTO
    resolved = resolve_model(name, prefer=model_in_use(address) if name == AUTO else None)
    _say(resolved.note)
    with Embedder(resolved, threads=1) as embedder:
        return identity_of(embedder)


def _needed(given: str | None, variable: str, option: str) -> str:
    found = named(given, variable)
    if not found:
        raise InvalidArgumentError(f"{variable} is not set: set it, or give {option}.")
    return found


def _say(text: str) -> None:
    print(shown_text(text), flush=True)


if __name__ == "__main__":
    sys.exit(main())
