"""Measures how many chunks a model embeds per second of CPU, at given lengths, with 1 and with all threads."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence

from docshelf.embedding.embedder import Embedder, available_cores
from docshelf.embedding.model_files import ResolvedModel, resolve_model
from docshelf.errors import DocshelfError

_WORDS = (
    "the",
    "shelf",
    "holds",
    "a",
    "guide",
    "to",
    "access",
    "delivery",
    "report",
    "loan",
    "bank",
    "rate",
    "page",
    "index",
)


def chunks(embedder: Embedder, tokens: int, count: int) -> list[str]:
    """Texts of about `tokens` tokens of the model, special tokens included, all different."""
    source = random.Random(tokens)
    texts = []
    for _ in range(count):
        words: list[str] = []
        while embedder.tokenizer.count(" ".join(words)) < tokens - 2:
            words.append(source.choice(_WORDS))
        texts.append(" ".join(words))
    return texts


def measure(model: ResolvedModel, lengths: Sequence[int], threads: int, count: int) -> None:
    """Print one line per length."""
    with Embedder(model, threads=threads) as embedder:
        for tokens in lengths:
            texts = chunks(embedder, tokens, count)
            embedder.embed_passages(texts[:2])
            cpu, wall = time.process_time(), time.perf_counter()
            embedder.embed_passages(texts)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            print(f"{threads:>7} {tokens:>7} {count / cpu:>20.1f} {count / wall:>18.1f}", flush=True)


def main() -> int:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(prog="scripts/bench/embedding", description=__doc__)
    parser.add_argument("--model", default="auto", help="auto, a model's name, or a directory")
    parser.add_argument("--tokens", type=int, nargs="+", default=[32, 128, 256], help="lengths of chunks in tokens")
    parser.add_argument("--count", type=int, default=40, help="chunks of each length")
    arguments = parser.parse_args()
    try:
        model = resolve_model(arguments.model)
    except DocshelfError as error:
        print(error.sentence, file=sys.stderr)
        return 2
    print(model.note)
    print(f"{'threads':>7} {'tokens':>7} {'chunks/CPU-second':>20} {'chunks/second':>18}")
    for threads in sorted({1, available_cores()}):
        measure(model, arguments.tokens, threads, arguments.count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
