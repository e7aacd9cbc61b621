"""What is done around a snapshot, within one process; the functions do it in tests/integration/test_snapshots.py."""

from __future__ import annotations

import random
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import snapshot_restore_py

import docshelf
from docshelf.aws.clients import s3_client
from docshelf.snapshots import close_connections, outlive_snapshots, renew_random_state

SNAP_START = {"AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"}


class Kept:
    """Notes what it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def before_snapshot(self) -> None:
        self.told.append("before")

    def after_restore(self) -> None:
        self.told.append("after")


@pytest.fixture
def registered() -> Iterator[None]:
    """Whatever a test registers is gone after it."""
    yield
    snapshot_restore_py.get_before_snapshot().clear()
    snapshot_restore_py.get_after_restore().clear()


@pytest.mark.parametrize("environment", [{}, {"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"}])
def test_nothing_is_registered_where_no_snapshot_is_taken(registered: None, environment: dict[str, str]) -> None:
    outlive_snapshots(Kept(), environment)
    assert snapshot_restore_py.get_before_snapshot() == snapshot_restore_py.get_after_restore() == []


def test_elsewhere_than_on_lambda_nothing_of_its_runtime_is_needed() -> None:
    program = (
        "import sys\n"
        "sys.modules['snapshot_restore_py'] = None\n"
        "from docshelf.snapshots import outlive_snapshots\n"
        "outlive_snapshots(None, {})\n"
        "print(*(name for name in ('boto3', 'ssl', 'numpy') if name in sys.modules))\n"
    )
    environment = {"PYTHONPATH": str(Path(docshelf.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_instance_is_told_before_and_after_and_its_clients_are_made_anew(registered: None) -> None:
    kept, client = Kept(), s3_client()
    outlive_snapshots(kept, SNAP_START)
    for function, arguments, named in (
        *snapshot_restore_py.get_before_snapshot(),
        *snapshot_restore_py.get_after_restore(),
    ):
        function(*arguments, **named)
    assert kept.told == ["before", "after"]
    assert s3_client() is not client


def test_connections_end_at_both_sides_and_what_listens_or_is_no_tcp_goes_on() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        near, far = socket.socketpair()
        with near, far, socket.create_connection(listening.getsockname()) as here:
            there, _ = listening.accept()
            with there:
                there.settimeout(5)
                close_connections()
                assert there.recv(1) == b""
                with pytest.raises(BrokenPipeError):
                    here.send(b"x")
            with socket.create_connection(listening.getsockname()):
                listening.accept()[0].close()
            near.send(b"still there")
            assert far.recv(11) == b"still there"
        other.sendto(b"x", other.getsockname())
        assert other.recv(1) == b"x"


def test_random_numbers_are_others_after_each_restore() -> None:
    before, drawn = random.getstate(), set()
    try:
        for _ in range(3):
            random.setstate(before)
            renew_random_state()
            drawn.add(random.random())
        assert len(drawn) == 3
        assert ssl.RAND_status()
    finally:
        random.setstate(before)
