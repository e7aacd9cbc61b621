"""What a person sees of an upload."""

from __future__ import annotations

from collections.abc import Iterator

from docshelf.cloud.tally import Outcome, Tally
from docshelf.local.report import counted, duration, passed_over, shown_key
from docshelf.sources.folder import FolderSource


def change_line(what: str, key: str) -> str:
    """A change that would be made: `would upload  handbook/a.md`."""
    return f"{what}  {shown_key(key)}"


def summary_lines(tally: Tally, source: FolderSource, *, dry_run: bool, delete: bool) -> Iterator[str]:
    """Counts, each failure with its sentence, and what was passed over."""
    counts = tally.outcomes
    sent = counts[Outcome.NEW] + counts[Outcome.CHANGED]
    kinds = f"{counts[Outcome.NEW]:,} new, {counts[Outcome.CHANGED]:,} changed"
    parts = [
        f"{counted(sent, 'file')} {'to upload' if dry_run else 'uploaded'} ({kinds})",
        f"{counts[Outcome.UNCHANGED]:,} unchanged",
        *([f"{tally.deleted:,} {'to delete' if dry_run else 'deleted'}"] if delete else []),
        *([f"{counts[Outcome.FAILED]:,} failed"] if tally.failures else []),
    ]
    head = "Nothing was changed" if dry_run else f"Done in {duration(tally.seconds)}"
    yield f"{head}: {', '.join(parts)}. {tally.bytes_sent / 1e6:,.1f} MB sent."
    if tally.failures:
        yield ""
        for key, sentence in tally.failures:
            yield f"failed  {shown_key(key)}: {sentence}"
        if delete:
            yield "Nothing was deleted, as not all files could be uploaded."
    notes = passed_over((), source.ignored_directories(), source.links_outside())
    if notes:
        yield ""
        yield from notes
