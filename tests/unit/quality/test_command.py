"""`scripts/evaluate` over a small set, with the real model and index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docshelf.embedding.model_files import ResolvedModel
from scripts.quality.command import main
from scripts.quality.vector_cache import CachedEmbedder

MODEL = "all-minilm-l6-v2"
SHELF = {
    "gauge.md": "# Gauge\n\nThe blue gauge reads the pressure of the boiler.",
    "bread.md": "# Bread\n\nKnead the dough for ten minutes and let it rest overnight.",
    "train.md": "# Trains\n\nThe night train to the coast leaves at ten.",
}


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The arguments that name a small table of questions and its documents; vectors are kept for the test alone."""
    monkeypatch.setenv("DOCSHELF_HOME", str(tmp_path / "home"))
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in SHELF.items():
        (folder / name).write_text(text, "utf-8")
    table = tmp_path / "questions.tsv"
    table.write_text(
        "id\tkind\tquery\trelevant_paths\theading\n"
        "E1\texact\tblue gauge\tgauge.md\tGauge\n"
        "P1\tparaphrase\thow long do I work the flour paste\tbread.md\tBread\n",
        "utf-8",
    )
    return ["--questions", str(table), "--docs", str(folder), "--model", MODEL]


def test_every_kind_and_arm_is_measured_and_what_answers_cost(
    shelf: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*shelf, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["settings"]["model"] == MODEL
    assert found["versions"]["lancedb"]
    told = found["sets"]["questions"]
    assert told["kinds"].keys() == {"all", "exact", "paraphrase"}
    everything = told["kinds"]["all"]
    assert everything["questions"] == 2
    assert everything["search"]["hit_5"] == everything["vectors"]["hit_5"] == 1.0
    assert everything["full_text"]["hit_1"] == 0.5
    tokens = everything["tokens"]
    assert 0 < tokens["until_right"] <= tokens["returned"]
    assert tokens["reading"] > 0
    assert tokens["answered"] == 1.0
    assert told["refusals"]["false_empty"] == 0.0


def test_a_right_file_counts_where_its_copy_is_shown(
    shelf: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for copy in ("a", "b"):
        (tmp_path / "docs" / f"{copy}.md").write_text(SHELF["gauge.md"], "utf-8")
    assert main([*shelf, "--json", "--no-refusals"]) == 0
    exact = json.loads(capsys.readouterr().out)["sets"]["questions"]["kinds"]["exact"]
    assert exact["search"]["hit_5"] == 1.0
    assert exact["tokens"]["answered"] == 1.0


def test_a_second_run_needs_no_model_for_the_same_texts(
    shelf: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, packaged_model: ResolvedModel
) -> None:
    assert main([*shelf, "--json"]) == 0
    first = capsys.readouterr().out
    assert main([*shelf, "--json"]) == 0
    assert capsys.readouterr().out == first
    with CachedEmbedder(packaged_model, tmp_path / "home" / "quality" / "vectors", 1) as embedder:
        embedder.embed_query("blue gauge")
        assert embedder.computed == 0


def test_the_vectors_that_are_kept_are_those_of_the_model(tmp_path: Path, packaged_model: ResolvedModel) -> None:
    texts = ["one text", "another text", "one text"]
    with CachedEmbedder(packaged_model, tmp_path, 1) as embedder:
        fresh = embedder.embed_passages(texts)
        assert embedder.computed == 2
        assert (embedder.embed_passages(texts) == fresh).all()
        assert embedder.computed == 2
        assert embedder.embed_passages([]).shape == (0, 384)


def test_the_table_for_people_names_sets_kinds_and_arms(shelf: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*shelf, "--no-refusals"]) == 0
    shown = capsys.readouterr().out
    for words in ("questions", "paraphrase", "full_text", "nDCG@10", "until the first right passage"):
        assert words in shown


def test_a_fall_below_accepted_numbers_is_a_failure(
    shelf: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main([*shelf, "--no-refusals", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    accepted = tmp_path / "accepted.json"
    accepted.write_text(json.dumps({"full": found}), "utf-8")
    assert main([*shelf, "--no-refusals", "--json", "--compare", str(accepted)]) == 0
    found["sets"]["questions"]["kinds"]["all"]["search"]["recall"] = 1.02
    accepted.write_text(json.dumps({"full": found}), "utf-8")
    capsys.readouterr()
    assert main([*shelf, "--no-refusals", "--json", "--compare", str(accepted)]) == 1
    assert "recall fell from 1.020 to 1.000" in capsys.readouterr().err


def test_numbers_are_accepted_where_none_fell_and_what_was_not_measured_stays(
    shelf: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main([*shelf, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    search = found["sets"]["questions"]["kinds"]["all"]["search"]
    before, search["recall"] = search["recall"], 0.25
    found["sets"]["other"] = {"asked": "x"}
    accepted = tmp_path / "accepted.json"
    accepted.write_text(json.dumps({"quick": {}, "full": found}), "utf-8")
    comparing = [*shelf, "--no-refusals", "--json", "--compare", str(accepted), "--accept"]
    assert main(comparing) == 0
    search["recall"] = before
    assert json.loads(accepted.read_text("utf-8")) == {"quick": {}, "full": found}
    search["recall"] = 1.02
    accepted.write_text(json.dumps({"full": found}), "utf-8")
    assert main(comparing) == 1
    assert json.loads(accepted.read_text("utf-8")) == {"full": found}


def test_what_cannot_be_compared_is_told_before_anything_is_measured(
    shelf: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    accepted = tmp_path / "accepted.json"
    accepted.write_text(json.dumps({"full": {"settings": {"model": "other"}, "sets": {}}}), "utf-8")
    assert main([*shelf, "--compare", str(accepted)]) == 2
    told = capsys.readouterr()
    assert "other settings" in told.err
    assert "questions …" not in told.err
    assert told.out == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--questions", "x.tsv"], "go together"),
        (["--accept"], "goes with --compare"),
        (["--set", "none", "--compare", "/nowhere"], "no set 'none'"),
        (["--dataset", "/nowhere"], "no sets in"),
        (["--dataset", "/nowhere", "--set", "none"], "no set 'none'"),
    ],
)
def test_what_cannot_be_measured_is_told_in_a_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--model", MODEL]) == 2
    assert words in capsys.readouterr().err
