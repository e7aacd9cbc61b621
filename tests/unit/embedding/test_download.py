"""Fetching a file from a hub that misbehaves in every way that hubs do."""

from __future__ import annotations

import hashlib
import os
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from docshelf.embedding.download import fetch, http_client
from docshelf.embedding.pinned_file import Download, HubUnreachableError, Patience, Progress
from docshelf.errors import ModelUnavailableError
from tests.unit.embedding.hub import (
    Answer,
    Hub,
    another_range,
    broken_off,
    ignoring_ranges,
    redirect,
    serving,
    status,
    whole,
)

CONTENT = random.Random(7).randbytes(300_000)
HALF = 150_000


@pytest.fixture
def client() -> Iterator[httpx2.Client]:
    with http_client() as made:
        yield made


def download_from(hub: Hub, directory: Path) -> Download:
    return Download(f"{hub.address}/model", directory / "m" / "model.onnx", len(CONTENT), _sha256(CONTENT))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def fetch_with(
    script: list[Answer], tmp_path: Path, client: httpx2.Client, progress: Progress | None = None
) -> tuple[Hub, list[float]]:
    """Fetch through a hub with this script; return the hub and the waits between the attempts."""
    waits: list[float] = []
    with serving(*script) as hub:
        fetch(download_from(hub, tmp_path), client, progress, Patience(wait=waits.append))
    return hub, waits


def here(tmp_path: Path) -> list[str]:
    """The names of the files in the destination's directory, the lock aside."""
    return sorted(path.name for path in (tmp_path / "m").iterdir() if path.suffix != ".lock")


def test_a_file_is_fetched_verified_and_put_in_place(tmp_path: Path, client: httpx2.Client) -> None:
    seen: list[tuple[int, int]] = []
    hub, waits = fetch_with([whole(CONTENT)], tmp_path, client, lambda done, total: seen.append((done, total)))
    assert (tmp_path / "m" / "model.onnx").read_bytes() == CONTENT
    assert here(tmp_path) == ["model.onnx"]
    assert hub.requests == [("/model", None)]
    assert waits == []
    assert seen[0] == (0, len(CONTENT))
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert seen == sorted(seen)


def test_a_file_that_is_here_and_right_is_not_asked_for_again(tmp_path: Path, client: httpx2.Client) -> None:
    fetch_with([whole(CONTENT)], tmp_path, client)
    hub, _ = fetch_with([whole(CONTENT)], tmp_path, client)
    assert hub.requests == []


def test_a_file_that_is_here_but_wrong_is_replaced(tmp_path: Path, client: httpx2.Client) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "model.onnx").write_bytes(b"x" * len(CONTENT))
    fetch_with([whole(CONTENT)], tmp_path, client)
    assert (tmp_path / "m" / "model.onnx").read_bytes() == CONTENT


def test_a_broken_connection_is_gone_on_from_where_it_broke(tmp_path: Path, client: httpx2.Client) -> None:
    hub, waits = fetch_with([broken_off(CONTENT, HALF), whole(CONTENT)], tmp_path, client)
    assert (tmp_path / "m" / "model.onnx").read_bytes() == CONTENT
    assert hub.requests == [("/model", None), ("/model", f"bytes={HALF}-")]
    assert waits == [0.5]


def test_what_an_earlier_run_left_is_gone_on_from(tmp_path: Path, client: httpx2.Client) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "model.onnx.part").write_bytes(CONTENT[:1000])
    hub, _ = fetch_with([whole(CONTENT)], tmp_path, client)
    assert hub.requests == [("/model", "bytes=1000-")]
    assert here(tmp_path) == ["model.onnx"]


def test_a_complete_part_is_taken_without_a_request(tmp_path: Path, client: httpx2.Client) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "model.onnx.part").write_bytes(CONTENT)
    hub, _ = fetch_with([status(500)], tmp_path, client)
    assert hub.requests == []
    assert here(tmp_path) == ["model.onnx"]


@pytest.mark.parametrize("left", [b"y" * 1000, b"y" * len(CONTENT), b"y" * (len(CONTENT) + 5)])
def test_a_wrong_part_of_an_earlier_run_costs_one_more_fetch_not_the_model(
    left: bytes, tmp_path: Path, client: httpx2.Client
) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "model.onnx.part").write_bytes(left)
    hub, _ = fetch_with([whole(CONTENT)], tmp_path, client)
    assert (tmp_path / "m" / "model.onnx").read_bytes() == CONTENT
    assert hub.requests[-1] == ("/model", None)


def test_a_server_that_ignores_the_range_is_read_from_the_start(tmp_path: Path, client: httpx2.Client) -> None:
    hub, _ = fetch_with([broken_off(CONTENT, HALF), ignoring_ranges(CONTENT)], tmp_path, client)
    assert (tmp_path / "m" / "model.onnx").read_bytes() == CONTENT
    assert len(hub.requests) == 2


@pytest.mark.parametrize("bad", [another_range(CONTENT), status(416)])
def test_a_range_that_cannot_be_used_means_starting_anew(bad: Answer, tmp_path: Path, client: httpx2.Client) -> None:
    hub, waits = fetch_with([broken_off(CONTENT, HALF), bad, whole(CONTENT)], tmp_path, client)
    assert (tmp_path / "m" / "model.onnx").read_bytes() == CONTENT
    assert hub.requests[-1] == ("/model", None)
    assert waits == [0.5, 1.0]


def test_a_busy_server_is_asked_again_after_a_growing_wait(tmp_path: Path, client: httpx2.Client) -> None:
    _, waits = fetch_with([status(503), status(429), status(503), whole(CONTENT)], tmp_path, client)
    assert waits == [0.5, 1.0, 2.0]
    assert here(tmp_path) == ["model.onnx"]


def test_a_redirect_is_followed_with_the_range(tmp_path: Path, client: httpx2.Client) -> None:
    with serving(whole(CONTENT)) as store:
        target = f"{store.address}/store"
        fetch_with([broken_off(CONTENT, HALF), redirect(target)], tmp_path, client)
        assert store.requests == [("/store", f"bytes={HALF}-")]
    assert here(tmp_path) == ["model.onnx"]


def test_attempts_are_bounded_and_what_arrived_is_kept(tmp_path: Path, client: httpx2.Client) -> None:
    with pytest.raises(ModelUnavailableError, match=r"8 attempts \(status 503\)"):
        fetch_with([broken_off(CONTENT, HALF), status(503)], tmp_path, client)
    assert here(tmp_path) == ["model.onnx.part"]
    assert (tmp_path / "m" / "model.onnx.part").read_bytes() == CONTENT[:HALF]


def test_a_missing_file_is_told_at_once(tmp_path: Path, client: httpx2.Client) -> None:
    with serving(status(404)) as hub, pytest.raises(ModelUnavailableError, match="status 404"):
        fetch(download_from(hub, tmp_path), client)
    assert len(hub.requests) == 1


@pytest.mark.parametrize("wrong", [b"x" * len(CONTENT), CONTENT + b"more", CONTENT[1:] + b"z"])
def test_wrong_bytes_are_removed_and_refused(wrong: bytes, tmp_path: Path, client: httpx2.Client) -> None:
    with pytest.raises(ModelUnavailableError, match="SHA-256 differs"):
        fetch_with([whole(wrong)], tmp_path, client)
    assert here(tmp_path) == []


def test_an_answer_that_is_far_too_long_is_not_written_to_the_disk(tmp_path: Path, client: httpx2.Client) -> None:
    sizes: list[int] = []
    part = tmp_path / "m" / "model.onnx.part"
    with pytest.raises(ModelUnavailableError, match="SHA-256 differs"):
        fetch_with([whole(CONTENT * 20)], tmp_path, client, lambda _done, _total: sizes.append(part.stat().st_size))
    assert max(sizes) <= len(CONTENT) + 1


def test_a_hub_that_cannot_be_reached_is_named(tmp_path: Path, client: httpx2.Client) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
    waits: list[float] = []
    download = Download(f"{address}/model", tmp_path / "model.onnx", 5, _sha256(b"hello"))
    with pytest.raises(HubUnreachableError, match="cannot be reached"):
        fetch(download, client, patience=Patience(connections=2, wait=waits.append))
    assert waits == [0.5]


def test_no_connection_within_all_attempts_is_an_error_too(tmp_path: Path, client: httpx2.Client) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
    download = Download(f"{address}/model", tmp_path / "model.onnx", 5, _sha256(b"hello"))
    with pytest.raises(ModelUnavailableError, match="in 2 attempts"):
        fetch(download, client, patience=Patience(attempts=2, connections=5, wait=lambda _: None))


def test_a_directory_that_cannot_be_made_is_told_in_a_sentence(tmp_path: Path, client: httpx2.Client) -> None:
    (tmp_path / "m").write_text("a file where the cache should be")
    with serving(whole(CONTENT)) as hub, pytest.raises(ModelUnavailableError, match="DOCSHELF_MODEL_CACHE"):
        fetch(download_from(hub, tmp_path), client)


_FETCH = """
import sys
from pathlib import Path
from docshelf.embedding.download import fetch, http_client
from docshelf.embedding.pinned_file import Download
with http_client() as client:
    fetch(Download(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]), client)
"""


def test_two_processes_fetch_one_file_once(tmp_path: Path) -> None:
    destination = tmp_path / "m" / "model.onnx"
    with serving(whole(CONTENT)) as hub:
        arguments = [f"{hub.address}/model", str(destination), str(len(CONTENT)), _sha256(CONTENT)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        children = [
            subprocess.Popen([sys.executable, "-c", _FETCH, *arguments], env=environment, stderr=subprocess.PIPE)
            for _ in range(2)
        ]
        outcomes = [(child.communicate(timeout=60)[1], child.returncode) for child in children]
    assert outcomes == [(b"", 0), (b"", 0)]
    assert len(hub.requests) == 1
    assert destination.read_bytes() == CONTENT
