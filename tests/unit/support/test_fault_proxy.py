"""The proxy passes everything on unchanged, except for what its plan says."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.config import Config

from tests.support import fault_proxy
from tests.support.cloud import Cloud
from tests.support.fault_proxy import Fault, FaultProxy
from tests.support.http_wire import HttpMessage


@dataclass
class Plan:
    """Faults for the next requests in turn, then none."""

    faults: list[Fault] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    killed: threading.Event = field(default_factory=threading.Event)

    def decide(self, request: HttpMessage) -> Fault:
        self.seen.append(request.first_line)
        return self.faults.pop(0) if self.faults else Fault.NONE

    def kill(self) -> None:
        self.killed.set()


@pytest.fixture
def plan() -> Plan:
    return Plan()


@pytest.fixture
def address(cloud: Cloud, plan: Plan) -> Iterator[str]:
    with FaultProxy(cloud.url) as proxy:
        yield proxy.listen(plan)


def get(address: str, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=10)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize("size", [0, 1, 3_000_000])
def test_objects_pass_in_both_directions(cloud: Cloud, address: str, size: int) -> None:
    s3 = boto3.client("s3", endpoint_url=address)
    data = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    s3.put_object(Bucket=cloud.bucket, Key="a b/\u00fc", Body=data)
    assert s3.head_object(Bucket=cloud.bucket, Key="a b/\u00fc")["ContentLength"] == size
    assert s3.get_object(Bucket=cloud.bucket, Key="a b/\u00fc")["Body"].read() == data
    s3.delete_object(Bucket=cloud.bucket, Key="a b/\u00fc")
    assert s3.list_objects_v2(Bucket=cloud.bucket)["KeyCount"] == 0


def test_a_body_in_chunks_passes(cloud: Cloud, address: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=10)
    connection.request("PUT", f"/{cloud.bucket}/k", iter([b"one ", b"two"]), {"Authorization": "AWS4 /s3/"})
    assert connection.getresponse().status == 200
    connection.close()
    assert cloud.s3.get_object(Bucket=cloud.bucket, Key="k")["Body"].read() == b"one two"


@pytest.mark.parametrize(("fault", "status"), [(Fault.SLOW_DOWN, 503), (Fault.ERROR, 500)])
def test_a_refused_request_takes_no_effect(cloud: Cloud, address: str, plan: Plan, fault: Fault, status: int) -> None:
    s3 = boto3.client("s3", endpoint_url=address, config=Config(retries={"total_max_attempts": 1}))
    plan.faults = [fault]
    with pytest.raises(s3.exceptions.ClientError) as failure:
        s3.put_object(Bucket=cloud.bucket, Key="k", Body=b"x")
    assert failure.value.response["ResponseMetadata"]["HTTPStatusCode"] == status
    assert cloud.s3.list_objects_v2(Bucket=cloud.bucket)["KeyCount"] == 0


@pytest.mark.parametrize("fault", [Fault.LOST_ANSWER, Fault.ERROR_AFTER, Fault.KILL_AFTER])
def test_a_lost_answer_took_effect(cloud: Cloud, address: str, plan: Plan, fault: Fault) -> None:
    cloud.put("k", b"x")
    plan.faults = [fault]
    if fault is Fault.ERROR_AFTER:
        assert get(address, f"/{cloud.bucket}/k")[0] == 500
    else:
        with pytest.raises(ConnectionError):
            get(address, f"/{cloud.bucket}/k")
    assert plan.killed.is_set() == (fault is Fault.KILL_AFTER)
    s3 = boto3.client("s3", endpoint_url=address, config=Config(retries={"mode": "standard"}))
    plan.faults = [fault]
    s3.put_object(Bucket=cloud.bucket, Key="k", Body=b"y")
    assert sum(line.startswith("PUT") for line in plan.seen) == 2
    assert cloud.s3.get_object(Bucket=cloud.bucket, Key="k")["Body"].read() == b"y"


def test_a_kill_before_a_request_keeps_it_from_the_server(cloud: Cloud, address: str, plan: Plan) -> None:
    plan.faults = [Fault.KILL_BEFORE]
    with pytest.raises(ConnectionError):
        get(address, f"/{cloud.bucket}/k")
    assert plan.killed.is_set()


def test_a_stalled_request_is_dropped_in_the_end(
    cloud: Cloud, address: str, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fault_proxy, "STALL_SECONDS", 0.05)
    plan.faults = [Fault.STALL]
    with pytest.raises(ConnectionError):
        get(address, f"/{cloud.bucket}/k")


def test_every_port_has_its_own_plan(cloud: Cloud) -> None:
    good, bad = Plan(), Plan([Fault.ERROR] * 10)
    usual = get(cloud.url, f"/{cloud.bucket}/k")[0]
    with FaultProxy(cloud.url) as proxy:
        first, second = proxy.listen(good), proxy.listen(bad)
        assert get(second, f"/{cloud.bucket}/k")[0] == 500
        assert get(first, f"/{cloud.bucket}/k")[0] == usual
        proxy.close(first)
        assert get(second, f"/{cloud.bucket}/k")[0] == 500
