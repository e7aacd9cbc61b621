"""Which rights a request to S3, SQS or Textract needs, and a plan for the proxy that notes if a function has them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, unquote
from xml.etree import ElementTree as ET

from tests.support.fault_proxy import Fault
from tests.support.http_wire import HttpMessage, request_line
from tests.support.iam_policy import Rights

Need = tuple[str, str, dict[str, str]]
"""Action, resource, and the condition keys that the request has."""

_S3 = "arn:aws:s3:::"
_BATCH = "Batch"


class Watched:
    """Lets every request pass: `refused` has those that the role would not have been allowed, `used` what it needed."""

    def __init__(self, rights: Rights, queues: Mapping[str, str]) -> None:
        """`queues` has the ARN of each queue by its name."""
        self.rights, self._queues = rights, queues
        self.refused: set[tuple[str, str]] = set()
        self.used: set[tuple[str, str]] = set()

    def decide(self, request: HttpMessage) -> Fault:
        """Note what `request` needs."""
        for action, resource, keys in _needs(request, self._queues):
            allowed = self.rights.allows(action, resource, **keys)
            (self.used if allowed else self.refused).add((action, resource))
        return Fault.NONE

    def kill(self) -> None:
        """Never asked for."""
        raise NotImplementedError


def _needs(request: HttpMessage, queues: Mapping[str, str]) -> Iterator[Need]:
    if target := request.headers.get("x-amz-target"):
        service, _, operation = target.partition(".")
        if service == "Textract":
            yield from _needs_of_textract(operation, json.loads(request.body))
            return
        assert service == "AmazonSQS", target
        name = json.loads(request.body)["QueueUrl"].rpartition("/")[2]
        yield f"sqs:{operation.removesuffix(_BATCH)}", queues[name], {}
        return
    method, path, query = request_line(request)
    bucket, _, key = unquote(path).removeprefix("/").partition("/")
    parameters = parse_qs(query, keep_blank_values=True)
    assert not {"versionId", "acl", "tagging"} & parameters.keys(), query
    assert "x-amz-copy-source" not in request.headers
    if not key and "delete" in parameters:
        for named in ET.fromstring(request.body).iter():
            if named.tag.endswith("Key"):
                yield "s3:DeleteObject", f"{_S3}{bucket}/{named.text}", {}
    elif not key:
        assert method in ("GET", "HEAD"), request.first_line
        yield (
            "s3:ListBucket",
            f"{_S3}{bucket}",
            {"s3__prefix": parameters["prefix"][0]} if "prefix" in parameters else {},
        )
    else:
        yield _action(method, parameters), f"{_S3}{bucket}/{key}", {}
        if method in ("GET", "HEAD"):  # of an object that is not there, which is a 403 without this right
            yield "s3:ListBucket", f"{_S3}{bucket}", {}


def _needs_of_textract(operation: str, request: Mapping[str, Any]) -> Iterator[Need]:
    """Also what Textract does by the rights of who asks: it reads the object, and takes the role handed over."""
    yield f"textract:{operation}", "*", {}
    if "DocumentLocation" in request:
        place = request["DocumentLocation"]["S3Object"]
        yield "s3:GetObject", f"{_S3}{place['Bucket']}/{place['Name']}", {}
    if "NotificationChannel" in request:
        role = request["NotificationChannel"]["RoleArn"]
        yield "iam:PassRole", role, {"iam__PassedToService": "textract.amazonaws.com"}


def _action(method: str, parameters: Mapping[str, object]) -> str:
    """Of a request for one object."""
    if method == "DELETE" and "uploadId" in parameters:
        return "s3:AbortMultipartUpload"
    return {
        "GET": "s3:GetObject",
        "HEAD": "s3:GetObject",
        "PUT": "s3:PutObject",
        "POST": "s3:PutObject",
        "DELETE": "s3:DeleteObject",
    }[method]
