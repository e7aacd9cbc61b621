"""`scripts/evaluate`: how well the search finds, in numbers."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from docshelf.commands.shared import print_json, run, whole_number
from docshelf.embedding.model_files import AUTO, resolve_model
from docshelf.errors import InvalidArgumentError
from docshelf.local.places import home
from scripts.quality.baseline import accept, accepted, falls
from scripts.quality.evaluation import by_kind, evaluated_set, summary
from scripts.quality.question_sets import QuestionSet, read_dataset, read_questions
from scripts.quality.refusals import refusals, some
from scripts.quality.settings_in_use import check_comparable, settings, versions
from scripts.quality.tables import table
from scripts.quality.vector_cache import CachedEmbedder

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
BASELINE = ROOT / "tests" / "quality" / "baseline.json"
QUESTIONS = "questions"
QUICK = {"claude-docs": 3, "claude-code-chunks": 3, "cmrc2018-trial": 10}
"""Each so-manieth question: embedding whole sets takes many minutes where no vectors are kept."""

FELL = 1


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="scripts/evaluate",
        description="Index documents, ask questions whose answers are known, and print how well the search finds.",
    )
    made.add_argument("--set", nargs="+", metavar="NAME", help="these sets of the dataset directory (default: all)")
    made.add_argument("--dataset", type=Path, metavar="DIR", help="a set, or a directory of sets (../shared/datasets)")
    made.add_argument("--questions", type=Path, metavar="FILE.tsv", help="a table of questions, with --docs")
    made.add_argument("--docs", type=Path, metavar="DIR", help="the documents that --questions is about")
    made.add_argument("--model", default=AUTO, metavar="auto|NAME|PATH", help="the embedding model")
    made.add_argument("--quick", action="store_true", help="parts of three sets, as continuous integration asks them")
    made.add_argument("--threads", type=whole_number(1, 256), metavar="N", help="passages embedded at once")
    made.add_argument("--no-refusals", action="store_true", help="do not measure how often nothing is said to be there")
    made.add_argument("--compare", nargs="?", const=BASELINE, type=Path, metavar="FILE", help="fail on a fall")
    made.add_argument("--accept", action="store_true", help="with --compare: keep the numbers where none fell")
    made.add_argument("--json", action="store_true", help="print JSON")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 1 where a number fell below the accepted ones."""
    return run(lambda: _evaluate(parser().parse_args(arguments)))


def _evaluate(given: argparse.Namespace) -> int:
    if given.accept and given.compare is None:
        raise InvalidArgumentError("--accept goes with --compare: numbers are accepted where none fell.")
    with tempfile.TemporaryDirectory(prefix="docshelf-evaluate-") as scratch:
        sets = list(_sets(given, Path(scratch)))
        names = tuple(one.name for one in sets)
        resolved = resolve_model(given.model)
        with CachedEmbedder(resolved, home() / "quality" / "vectors", given.threads) as embedder:
            before = accepted(given.compare, quick=given.quick) if given.compare else None
            if before is not None:  # now, as measuring takes long
                check_comparable(before, _about(sets, embedder), names)
            found = measured(sets, Path(scratch), embedder, refused=not given.no_refusals)
    print_json(found) if given.json else print(table(found))
    fallen = [] if before is None else falls(before, found, names)
    if before is not None:
        print("\n".join(fallen) or "Nothing fell.", file=sys.stderr)
    if given.accept and not fallen:
        accept(given.compare, found, quick=given.quick)
    return FELL if fallen else 0


def _about(sets: Sequence[QuestionSet], embedder: CachedEmbedder) -> dict[str, object]:
    """What is known of the numbers before they are measured."""
    return {"settings": settings(embedder.identity), "sets": {one.name: {"asked": one.fingerprint()} for one in sets}}


def measured(
    sets: Sequence[QuestionSet], scratch: Path, embedder: CachedEmbedder, *, refused: bool, arms: bool = True
) -> dict[str, object]:
    """All numbers of these sets, in the form of the baseline; without `arms` only those of the search itself.

    Raises:
        DocshelfError: as indexing and searching do.
    """
    told: dict[str, object] = {}
    for number, one in enumerate(sets):
        print(f"{one.name}: {len(one.questions)} questions …", file=sys.stderr, flush=True)
        index, results = evaluated_set(one, scratch / f"index-{number}", embedder, arms=arms)
        kinds = {kind: summary(of_kind) for kind, of_kind in by_kind(results).items()}
        numbers: dict[str, object] = {"asked": one.fingerprint(), "kinds": kinds}
        if refused:
            foreign = [each for other in sets if other is not one for each in some(other.questions)]
            numbers["refusals"] = refusals(index, embedder, one.questions, foreign)
        told[one.name] = numbers
    return {"settings": settings(embedder.identity), "versions": versions(), "sets": told}


def quick_sets(datasets: Path, scratch: Path) -> list[QuestionSet]:
    """The quick sets out of `datasets`, their documents written below `scratch`. Raises InvalidArgumentError."""
    return [read_dataset(datasets / name, scratch / f"folder-{name}", name, every) for name, every in QUICK.items()]


def _sets(given: argparse.Namespace, scratch: Path) -> Iterator[QuestionSet]:
    if (given.questions is None) != (given.docs is None):
        raise InvalidArgumentError("--questions and --docs go together: name the table and the documents.")
    directory = given.dataset or SHARED / "datasets"
    if given.quick:
        yield from quick_sets(directory, scratch)
        return
    if given.questions is not None:
        yield read_questions(given.questions, given.docs)
    if given.questions is None or given.set or given.dataset:
        yield from _named_sets(given.set, directory, scratch)


def _named_sets(names: Sequence[str] | None, directory: Path, scratch: Path) -> Iterator[QuestionSet]:
    found = {_name(path, directory): path.parent for path in sorted(directory.rglob("qrels.jsonl"))}
    if not found and not names:
        raise InvalidArgumentError(f"There are no sets in {directory}: name a directory with --dataset.")
    standard = SHARED / "corpus" / "questions.tsv"
    for name in names or found:
        if name in found:
            yield read_dataset(found[name], scratch / f"folder-{name.replace('/', '-')}", name)
        elif name == QUESTIONS:
            yield read_questions(standard, standard.parent / "docs")
        else:
            raise InvalidArgumentError(f"There is no set {name!r}: there are {', '.join([*found, QUESTIONS])}.")


def _name(path: Path, directory: Path) -> str:
    name = path.parent.relative_to(directory).as_posix()
    return directory.resolve().name if name == "." else name


if __name__ == "__main__":
    sys.exit(main())
