"""`scripts/status`: what is in the index, and the state of every file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from docshelf.cloud.places import documents_store
from docshelf.commands.shared import add_index_argument, chosen_index, named, print_json, run
from docshelf.commands.status_json import cloud_documents, document_json, print_cloud_json
from docshelf.commands.status_problems import has_problem, problem_lines, sentences_about
from docshelf.errors import InvalidArgumentError
from docshelf.index.location import is_address
from docshelf.local.report import collection_lines, counted, shown_key, shown_text, state_lines
from docshelf.moments import iso
from docshelf.settings import limits

if TYPE_CHECKING:
    from docshelf.index.records import DocumentRecord
    from docshelf.index.store import Index


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="scripts/status", description="Print what is in the index, and each file's state."
    )
    add_index_argument(made)
    made.add_argument(
        "--bucket",
        metavar="s3://…",
        help="also compare an index on S3 with the bucket of its documents (default: DOCSHELF_BUCKET)",
    )
    made.add_argument(
        "--problems", action="store_true", help="only the documents that are not searchable or may be read badly"
    )
    made.add_argument("--json", action="store_true", help="print JSON")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    return run(lambda: _status(parser().parse_args(arguments)))


def _status(given: argparse.Namespace) -> int:
    root = chosen_index(given.index)
    if is_address(root):
        return _cloud_status(root, given)
    if given.bucket:
        raise InvalidArgumentError("--bucket is for an index on S3: name that with --index s3://BUCKET/PREFIX.")
    return _local_status(Path(root), given)


def _cloud_status(address: str, given: argparse.Namespace) -> int:
    # Seconds of import that --help need not wait for.
    from docshelf.cloud.comparing import Comparison
    from docshelf.cloud.status import CloudIndex, status_lines

    bucket = named(given.bucket, "DOCSHELF_BUCKET")
    shelf = CloudIndex.open(address, documents_store(bucket) if bucket else None, limits())
    if given.json:
        print_cloud_json(shelf, problems_only=given.problems)
        return 0
    lines = problem_lines(cloud_documents(shelf, Comparison())) if given.problems else status_lines(shelf)
    for line in lines:
        print(shown_text(line))
    return 0


def _local_status(root: Path, given: argparse.Namespace) -> int:
    # Seconds of import that --help need not wait for.
    from docshelf.index.store import Index
    from docshelf.local.engine import rebuild_command, rebuild_remedy

    index = Index.open(root, remedy=rebuild_remedy(rebuild_command(None, root)))
    if given.json:
        print_json(as_json(index, problems_only=given.problems))
    elif given.problems:
        for line in problem_lines(map(document_json, index.all_documents())):
            print(shown_text(line))
    else:
        print("\n".join(_lines(index, root)))
    return 0


def as_json(index: Index, *, problems_only: bool = False) -> dict[str, object]:
    """The contract of `--json`; docs/commands.md describes each field."""
    documents = map(document_json, index.all_documents())
    return {
        "model": index.identity.model,
        "index_version": index.version,
        "collections": [
            {"name": summary.name, "documents": summary.documents, "chunks": summary.chunks}
            for summary in index.collections()
        ],
        "documents": [one for one in documents if not problems_only or has_problem(one)],
    }


def _lines(index: Index, root: Path) -> list[str]:
    summaries, documents = index.collections(), list(index.all_documents())
    last = max((summary.last_indexed for summary in summaries), default=None)
    return [
        f"index        {shown_key(str(root))} (version {index.version}, {index.size_bytes() / 1e6:,.1f} MB)",
        f"model        {index.identity.model} ({index.identity.dimension} dimensions)",
        f"last change  {iso(last) or 'none yet'}",
        (
            f"holds        {counted(len(documents), 'document')}, "
            f"{counted(sum(summary.chunks for summary in summaries), 'chunk')}"
        ),
        "",
        *collection_lines(summaries),
        "",
        *state_lines(documents),
        *_doubtful(documents),
    ]


def _doubtful(documents: Sequence[DocumentRecord]) -> list[str]:
    number = sum(bool(sentences_about(document)) for document in documents)
    return ["", f"{counted(number, 'searchable document')} may be read badly: --problems tells."] if number else []


if __name__ == "__main__":
    sys.exit(main())
