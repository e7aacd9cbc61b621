"""The functions at work with real queues and buckets: every request is one that their roles of the template allow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest

from docshelf.messages import LaneMessage, Maintain, Sweep, to_body
from tests.support.asked_rights import Watched
from tests.support.assembly import Assembly
from tests.support.cloud import Cloud, new_cloud
from tests.support.event_source import sqs_event
from tests.support.fake_textract import fake_textract
from tests.support.fault_proxy import FaultProxy
from tests.support.http_events import http_api_2
from tests.support.iam_policy import Rights
from tests.support.lambda_runtime import LambdaRuntime
from tests.support.made_pdfs import pdf_of
from tests.support.pipeline import look_at
from tests.support.template import Template
from tests.support.tokens import TokenIssuer

FUNCTIONS = ("Ingest", "Commit", "Search")
MODEL = {"DOCSHELF_MODEL": "all-minilm-l6-v2", "DOCSHELF_OFFLINE": "1"}

BY_LAMBDA = {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}
"""What AWS Lambda itself does with the queue that feeds a function, in the function's name."""

IN_TROUBLE = {"sqs:ChangeMessageVisibility", "sqs:SendMessage"}
"""Messages that come back later, and what goes on in another invocation when the time is up: queued anew."""

UNUSED = {
    "Ingest": BY_LAMBDA | IN_TROUBLE,
    # A large file of the index is uploaded in parts, and what was not finished is taken back.
    "Commit": BY_LAMBDA | IN_TROUBLE | {"s3:AbortMultipartUpload"},
    "Search": set(),
}
"""What the roles allow and an undisturbed day does not need. Everything else that they allow is used here."""


@dataclass(frozen=True, slots=True)
class AtWork:
    """The functions as AWS Lambda runs them, with the variables and the watched rights of the template."""

    template: Template
    cloud: Cloud
    issuer: TokenIssuer
    functions: dict[str, LambdaRuntime]
    watched: dict[str, Watched]

    def ingest(self, *bodies: str) -> None:
        """Have ingest take messages with these bodies."""
        messages = [{"MessageId": str(place), "ReceiptHandle": "r", "Body": body} for place, body in enumerate(bodies)]
        event = sqs_event(cast("Any", messages), self.cloud.ingest_queue_url)
        assert self.functions["Ingest"](event) == {"batchItemFailures": []}

    def changed(self, kind: str, *keys: str) -> None:
        """Have ingest take the event of S3 about a change of each of these keys."""
        for key in keys:
            detail = {"bucket": {"name": self.cloud.bucket}, "object": {"key": key}}
            self.ingest(json.dumps({"source": "aws.s3", "detail-type": kind, "detail": detail}))

    def commit(self) -> None:
        """Have the lane take what is in its queue."""
        messages = self.received(self.cloud.commit_queue_url)
        assert messages, "there is nothing to commit"
        event = sqs_event(cast("Any", messages), self.cloud.commit_queue_url)
        assert self.functions["Commit"](event) == {"batchItemFailures": []}

    def chore(self, message: LaneMessage) -> None:
        """Have the lane do a chore."""
        messages = [{"MessageId": "1", "ReceiptHandle": "r", "Body": json.dumps(to_body(message))}]
        event = sqs_event(cast("Any", messages), self.cloud.commit_queue_url)
        assert self.functions["Commit"](event) == {"batchItemFailures": []}

    def received(self, url: str) -> list[Any]:
        """The messages of a queue, which are then gone."""
        found = self.cloud.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
        for message in found:
            self.cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return list(found)

    def search(self, query: str) -> str:
        """What the search function answers to a client."""
        call = {"name": "search_documents", "arguments": {"query": query}}
        event = http_api_2(body=json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}))
        headers = cast("dict[str, str]", event["headers"])
        headers |= {"authorization": f"Bearer {self.issuer.issue()}", "mcp-protocol-version": "2025-11-25"}
        answer = cast("dict[str, Any]", self.functions["Search"](event))
        assert answer["statusCode"] == 200, answer
        return str(answer["body"])

    def unused(self) -> dict[str, set[str]]:
        """The actions that were not asked for everywhere where they are allowed, besides writing a log."""
        return {
            name: {action for action, _ in watched.rights.unused(watched.used) if not action.startswith("logs:")}
            for name, watched in self.watched.items()
        }

    def refused(self) -> dict[str, set[tuple[str, str]]]:
        """What was asked for without a right to it."""
        return {name: watched.refused for name, watched in self.watched.items() if watched.refused}


@pytest.fixture
def at_work(assembly: Assembly, moto_url: str, tmp_path: Path) -> Iterator[AtWork]:
    """An environment whose functions have done nothing yet."""
    cloud = new_cloud(moto_url)
    template = _named(assembly.template("dev"), cloud)
    queues = {template.name_of(queue): template.arn_of(queue) for queue in template.ids("AWS::SQS::Queue")}
    with ExitStack() as ends:
        issuer = ends.enter_context(TokenIssuer())
        proxy = ends.enter_context(FaultProxy(moto_url))
        watched, functions = {}, {}
        for name in FUNCTIONS:
            made = template.one("AWS::Lambda::Function", f"Functions/{name}")
            watched[name] = Watched(Rights.of_role(template, made["Role"].rpartition("/")[2]), queues)
            variables = {
                **made["Environment"]["Variables"],
                **cloud.environment,
                **issuer.environment,
                **MODEL,
                "AWS_ENDPOINT_URL": proxy.listen(watched[name]),
            }
            runtime = LambdaRuntime(name.lower(), variables, tmp_path / f"{name}.log", seconds=made["Timeout"])
            functions[name] = ends.enter_context(runtime)
        yield AtWork(template, cloud, issuer, functions, watched)


def test_the_functions_ask_for_nothing_that_their_roles_do_not_allow(at_work: AtWork) -> None:
    cloud = at_work.cloud
    cloud.put("handbook/a b.md", "# Holidays\n\nEverybody has thirty days of holidays a year.\n")
    cloud.put("gone.md", "# Soon gone\n\nThis will be removed.\n")
    at_work.changed("Object Created", "handbook/a b.md", "gone.md", "never there.md")
    at_work.commit()
    cloud.remove("gone.md")
    at_work.changed("Object Deleted", "gone.md")
    at_work.commit()
    cloud.put("unheard.md", "# Unheard\n\nNo event told of this.\n")
    at_work.chore(Sweep())
    (swept,) = at_work.received(cloud.ingest_queue_url)
    at_work.ingest(swept["Body"])
    at_work.commit()
    cloud.put("dead.md", "# Dead\n\nNobody could read this.\n")
    cloud.sqs.send_message(QueueUrl=cloud.dead_letter_queue_url, MessageBody=look_at("dead.md"))
    at_work.chore(Maintain())
    assert "thirty days" in at_work.search("How many days of holidays are there?")
    assert at_work.refused() == {}
    assert at_work.unused() == UNUSED


def test_ingest_asks_for_nothing_that_its_role_does_not_allow_when_it_recognises_a_scan(
    assembly: Assembly, moto_url: str, tmp_path: Path
) -> None:
    cloud = new_cloud(moto_url)
    template = _named(assembly.template("everything"), cloud)
    made = template.one("AWS::Lambda::Function", "Functions/Ingest")
    queues = {template.name_of(queue): template.arn_of(queue) for queue in template.ids("AWS::SQS::Queue")}
    watched = Watched(Rights.of_role(template, made["Role"].rpartition("/")[2]), queues)
    with ExitStack() as ends:
        textract = ends.enter_context(fake_textract())
        addresses = {
            "AWS_ENDPOINT_URL": ends.enter_context(FaultProxy(moto_url)).listen(watched),
            "AWS_ENDPOINT_URL_TEXTRACT": ends.enter_context(FaultProxy(textract.url)).listen(watched),
        }
        variables = {**made["Environment"]["Variables"], **cloud.environment, **MODEL, **addresses}
        runtime = ends.enter_context(LambdaRuntime("ingest", variables, tmp_path / "log", seconds=made["Timeout"]))
        work = AtWork(template, cloud, ends.enter_context(TokenIssuer()), {"Ingest": runtime}, {"Ingest": watched})
        cloud.put("scans/a b.pdf", pdf_of([""]))
        work.changed("Object Created", "scans/a b.pdf")
        textract.jobs[0].succeed(["The pump runs at 40 bar."])
        work.ingest(textract.jobs[0].notification())
        cloud.remove("scans/a b.pdf")
        work.changed("Object Deleted", "scans/a b.pdf")
    assert work.refused() == {}
    assert work.unused()["Ingest"] == UNUSED["Ingest"]


def _named(template: Template, cloud: Cloud) -> Template:
    """The template with the names that `cloud` has for its buckets and queues."""
    names = {
        template.id("AWS::S3::Bucket", "Storage/Documents"): cloud.bucket,
        template.id("AWS::S3::Bucket", "Storage/Index"): cloud.index_bucket,
    }
    for queue, url in (
        ("Ingest", cloud.ingest_queue_url),
        ("Commit", cloud.commit_queue_url),
        ("IngestDeadLetters", cloud.dead_letter_queue_url),
    ):
        names[template.id("AWS::SQS::Queue", f"Queues/{queue}")] = url.rpartition("/")[2]
    return replace(template, names=names)
