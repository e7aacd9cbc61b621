"""`scripts/upload`: make a bucket hold what a folder holds."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from docshelf.commands.shared import FAILED, run

_DESCRIPTION = (
    "Upload the documents of a folder to a bucket. Files that the bucket holds already, byte for byte, are skipped."
)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="scripts/upload", description=_DESCRIPTION)
    made.add_argument("folder", type=Path, metavar="FOLDER", help="the folder; keys are the paths of its files")
    made.add_argument("address", metavar="s3://BUCKET[/PREFIX]", help="where the documents go")
    made.add_argument(
        "--delete", action="store_true", help="also delete the objects below the address whose file is gone"
    )
    made.add_argument("--dry-run", action="store_true", help="only say what would be uploaded and deleted")
    made.add_argument("--allow-empty", action="store_true", help="let --delete empty the bucket for an empty folder")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    return run(lambda: _upload(parser().parse_args(arguments)))


def _upload(given: argparse.Namespace) -> int:
    # A second of import that --help need not wait for.
    from rich.console import Console

    from docshelf.aws.objects import ObjectStore
    from docshelf.cloud.places import refuse_index_below
    from docshelf.cloud.progress import shown_steps
    from docshelf.cloud.tally import Tally
    from docshelf.cloud.upload import Upload
    from docshelf.cloud.upload_report import change_line, summary_lines
    from docshelf.local.report import shown_text
    from docshelf.sources.folder import FolderSource

    store = ObjectStore.from_uri(given.address)
    if given.delete:
        refuse_index_below(store, os.environ)
    source, tally = FolderSource(given.folder), Tally()
    upload = Upload(source, store, tally, lambda what, key: _say(change_line(what, key)))
    try:
        with shown_steps("Uploading", tally.step, Console(stderr=True, soft_wrap=True)):
            upload.run(delete=given.delete, dry_run=given.dry_run, allow_empty=given.allow_empty)
    except KeyboardInterrupt:
        print("Stopped. What was uploaded is there; the next run goes on from there.", file=sys.stderr)
        raise
    for line in summary_lines(tally, source, dry_run=given.dry_run, delete=given.delete):
        print(shown_text(line))
    return FAILED if tally.failures else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")  # in one piece, as several threads have something to say


if __name__ == "__main__":
    sys.exit(main())
