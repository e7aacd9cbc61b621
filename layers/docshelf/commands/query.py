"""`scripts/query`: the passages that the search tool would return."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from docshelf.commands.shared import add_index_argument, chosen_index, print_json, run, whole_number
from docshelf.mcp_server.shelf import Passage, SearchAnswer
from docshelf.moments import iso


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="scripts/query", description="Print the passages that answer a query.")
    made.add_argument("text", metavar="TEXT", help="the question or the words to look for")
    add_index_argument(made)
    made.add_argument("--collection", metavar="C", help="only this collection")
    made.add_argument("--limit", type=whole_number(1, 20), default=5, metavar="N", help="1 to 20 passages (default: 5)")
    made.add_argument("--model", default="auto", metavar="auto|NAME|PATH", help="the model the index was made with")
    made.add_argument("--json", action="store_true", help="print JSON")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    return run(lambda: _query(parser().parse_args(arguments)))


def _query(given: argparse.Namespace) -> int:
    # Seconds of import that --help need not wait for.
    from docshelf.local.engine import open_reader
    from docshelf.local.report import shown_text
    from docshelf.mcp_server.calls import find_passages
    from docshelf.search.shelves import Shelves

    wanted = {"query": given.text, "limit": given.limit, "collection": given.collection}
    index, embedder = open_reader(chosen_index(given.index), given.model)
    with embedder:
        found = find_passages(Shelves(lambda: index, embedder).for_caller(), wanted)
    if given.json:
        print_json(as_json(found.answer))
    else:
        print(shown_text(found.text()))
    return 0


def as_json(answer: SearchAnswer) -> dict[str, object]:
    """The contract of `--json`; docs/commands.md describes each field."""
    return {"passages": [_passage(passage) for passage in answer.passages], "message": answer.message}


def _passage(passage: Passage) -> dict[str, object]:
    return {
        "source": passage.source,
        "title": passage.title,
        "page": passage.page,
        "page_label": passage.page_label,
        "lines": list(passage.lines) if passage.lines else None,
        "heading": " > ".join(passage.headings) or None,
        "score": passage.score,
        "indexed_at": iso(passage.indexed_at),
        "modified_at": iso(passage.modified_at),
        "text": passage.text,
        "also_in": list(passage.also_in),
    }


if __name__ == "__main__":
    sys.exit(main())
