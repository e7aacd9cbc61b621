"""How much of what a month takes, of each thing that has a price."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from infra.costs.tables import Assumptions
from infra.settings import Environment

HOURS = 730.0
DAYS = HOURS / 24
_SECONDS = HOURS * 3600
_FULL_CPU_MB = 1_769


@dataclass(frozen=True, slots=True)
class Scenario:
    """How many people ask, and how many documents there are. Without people nothing changes either."""

    developers: int
    documents: int


@dataclass(frozen=True, slots=True)
class Use:
    """An amount of what `price` names; `part` is the line of a table that it belongs to."""

    part: str
    what: str
    price: str
    amount: float


class Usage:
    """What an environment uses in a month, and once for its first index."""

    def __init__(self, environment: Environment, scenario: Scenario, assumptions: Assumptions) -> None:
        self._environment, self._scenario, self._assumptions = environment, scenario, assumptions
        self._days = self._of("developers", "working_days") if scenario.developers else 0.0
        self._changes = scenario.documents * self._of("documents", "changed_a_day") * self._days

    def month(self) -> list[Use]:
        """Everything of a month."""
        parts = (self._asking(), self._signing_in(), self._maintaining(), self._changing(), self._storing())
        return [use for part in (*parts, self._polling(), self._watching(), self._people()) for use in part]

    def first_index(self) -> list[Use]:
        """What reading all documents for the first time takes, besides the month."""
        documents = self._scenario.documents
        batches = documents / self._of("commit", "batch_documents")
        return [
            Use("upload", "objects", "s3_writes", documents),
            Use("upload", "events", "events", documents),
            *self._ingesting(documents, starts=self._environment.ingest.concurrency if documents else 0),
            *self._committing(batches, starts=1 if documents else 0),
        ]

    def _of(self, part: str, name: str) -> float:
        return self._assumptions[part][name].value

    def _lambda(self, part: str, what: str, memory_mb: int, seconds: float, requests: float) -> Iterator[Use]:
        yield Use(part, what, f"lambda_{self._environment.architecture}", seconds * memory_mb / 1_024)
        yield Use(part, what, "lambda_requests", requests)

    def _asking(self) -> Iterator[Use]:
        search, each = self._environment.search, self._scenario.developers * self._days
        calls, others = (each * self._of("developers", name) for name in ("tool_calls", "protocol_requests"))
        starts = (calls + others) * self._of("search", "start_share")
        beginning = self._of("search", "restore_seconds" if search.snap_start else "start_seconds")
        seconds = calls * self._of("search", "call_seconds") + others * self._of("search", "protocol_seconds")
        yield from self._lambda("search", "requests", search.memory_mb, seconds + starts * beginning, calls + others)
        yield Use("search", "requests", "api_requests", calls + others)
        yield Use("search", "index", "s3_reads", calls * self._of("search", "reads_of_a_call"))
        yield Use("search", "index", "s3_reads", starts * self._of("search", "reads_of_a_start"))
        yield Use("search", "index", "s3_writes", calls * self._of("search", "lists_of_a_call"))
        yield Use("search", "answers", "transfer_out", calls * self._of("developers", "answer_kb") / 1e6)
        yield from self._logging("search", calls + others, "log_bytes_of_a_request")
        if search.snap_start:
            yield Use("SnapStart", "restores", "snapstart_restore", starts * search.memory_mb / 1_024)
            yield Use("SnapStart", "snapshot", "snapstart_cache", search.memory_mb / 1_024 * _SECONDS)

    def _signing_in(self) -> Iterator[Use]:
        signin = self._environment.signin
        requests = self._scenario.developers * self._days * self._of("developers", "signin_requests")
        starts = requests * self._of("signin", "start_share")
        seconds = requests * self._of("signin", "request_seconds") + starts * self._of("signin", "start_seconds")
        yield from self._lambda("sign-in", "requests", signin.memory_mb, seconds, requests)
        yield Use("sign-in", "requests", "api_requests", requests)
        yield Use("sign-in", "sealing keys", "secret_reads", starts)
        yield from self._logging("sign-in", requests, "log_bytes_of_a_request")
        if signin.snap_start:
            yield Use("SnapStart", "restores", "snapstart_restore", starts * signin.memory_mb / 1_024)
            yield Use("SnapStart", "snapshot", "snapstart_cache", signin.memory_mb / 1_024 * _SECONDS)

    def _maintaining(self) -> Iterator[Use]:
        commit = self._environment.commit
        rounds = HOURS * 60 / commit.maintain_minutes
        # A round has something to do when documents have changed since the last one.
        working = min(self._changes, rounds)
        seconds = (rounds + DAYS) * (self._of("maintenance", "seconds") + self._of("commit", "start_seconds"))
        yield from self._lambda("maintenance", "rounds and sweeps", commit.memory_mb, seconds, rounds + DAYS)
        yield Use("maintenance", "listings", "s3_writes", rounds * self._of("maintenance", "lists"))
        yield Use("maintenance", "sweeps", "s3_writes", DAYS * (3 + self._scenario.documents / 1_000))
        yield Use("maintenance", "index", "s3_reads", (rounds - working) * self._of("maintenance", "reads"))
        yield Use("maintenance", "index", "s3_reads", working * self._of("maintenance", "working_reads"))
        yield Use("maintenance", "index", "s3_writes", working * self._of("maintenance", "working_writes"))
        yield Use("maintenance", "messages", "schedules", rounds + DAYS)
        yield Use("maintenance", "messages", "sqs_fifo", 3 * (rounds + DAYS))
        yield from self._logging("maintenance", rounds + DAYS, "log_bytes_of_a_run")

    def _changing(self) -> Iterator[Use]:
        yield Use("changes", "uploads", "s3_writes", self._changes)
        yield Use("changes", "uploads", "events", self._changes)
        for use in (*self._ingesting(self._changes, self._changes), *self._committing(self._changes, self._changes)):
            yield Use("changes", f"{use.part}: {use.what}", use.price, use.amount)

    def _ingesting(self, documents: float, starts: float) -> Iterator[Use]:
        ingest = self._environment.ingest
        cpu = documents * self._of("documents", "chunks") * self._of("ingest", "cpu_seconds_of_a_chunk")
        # One thread embeds: more memory than one vCPU makes nothing faster.
        seconds = cpu / min(1.0, ingest.memory_mb / _FULL_CPU_MB)
        seconds += documents * self._of("ingest", "seconds_of_a_document") + starts * self._of(
            "ingest", "start_seconds"
        )
        yield from self._lambda("ingest", "documents", ingest.memory_mb, seconds, documents)
        temporary = max(0, ingest.temporary_mb - 512) / 1_024
        yield Use("ingest", "temporary files", "lambda_temporary", seconds * temporary)
        yield Use("ingest", "objects", "s3_reads", documents * self._of("ingest", "reads_of_a_document"))
        yield Use("ingest", "prepared files", "s3_writes", documents * self._of("ingest", "writes_of_a_document"))
        yield Use("ingest", "queue", "sqs_standard", documents * self._of("ingest", "sqs_requests_of_a_document"))
        scans = documents * self._of("documents", "scan_share") if self._environment.recognises else 0
        yield Use("ingest", "recognised pages", "textract_pages", scans * self._of("documents", "scan_pages"))
        yield from self._logging("ingest", documents, "log_bytes_of_a_run")

    def _committing(self, batches: float, starts: float) -> Iterator[Use]:
        seconds = batches * self._of("commit", "batch_seconds") + starts * self._of("commit", "start_seconds")
        yield from self._lambda("commit", "batches", self._environment.commit.memory_mb, seconds, batches)
        yield Use("commit", "index", "s3_reads", batches * self._of("commit", "reads_of_a_batch"))
        both = self._of("commit", "lists_of_a_batch") + self._of("commit", "writes_of_a_batch")
        yield Use("commit", "index", "s3_writes", batches * both)
        yield Use("commit", "queue", "sqs_fifo", batches * 3)
        yield from self._logging("commit", batches, "log_bytes_of_a_run")

    def _storing(self) -> Iterator[Use]:
        each, documents = self._of("documents", "kilobytes") / 1e6, self._scenario.documents
        replaced = self._changes / DAYS * self._environment.keep_replaced_days
        yield Use("storage", "documents", "s3_storage", documents * each)
        yield Use("storage", "replaced documents", "s3_storage", replaced * each)
        index = documents * self._of("documents", "chunks") * self._of("documents", "index_kb_of_a_chunk") / 1e6
        yield Use("storage", "index", "s3_storage", index)

    def _polling(self) -> Iterator[Use]:
        receives = _SECONDS / self._of("polling", "wait_seconds") * self._of("polling", "connections")
        yield Use("polling of empty queues", "ingest queue", "sqs_standard", receives)
        yield Use("polling of empty queues", "commit queue", "sqs_fifo", receives)

    def _watching(self) -> Iterator[Use]:
        alarms = self._environment.alarms
        in_use = self._days * self._of("developers", "active_hours") / HOURS
        # Maintenance less than once an hour leaves hours out, and only those that have data are charged.
        always = min(1.0, 60 / self._environment.commit.maintain_minutes)
        changing = min(self._changes, self._days * self._of("developers", "active_hours")) / HOURS
        yield Use("metrics", "maintenance", "metrics", self._of("watching", "metrics_always") * always)
        yield Use("metrics", "search and sign-in", "metrics", self._of("watching", "metrics_in_use") * in_use)
        yield Use("metrics", "ingest and commit", "metrics", self._of("watching", "metrics_of_changes") * changing)
        yield Use("alarms", "alarms", "alarms", self._of("watching", "alarms") if alarms.enabled else 0)
        yield Use("dashboard", "dashboard", "dashboards", 1 if alarms.dashboard else 0)

    def _people(self) -> Iterator[Use]:
        yield Use("sealing key", "secret", "secrets", 1)
        federated = self._environment.identity_provider is not None
        price = "cognito_federated" if federated else "cognito_people"
        yield Use("people", "who sign in", price, self._scenario.developers)
        machines = len(self._environment.machines)
        yield Use("machines", "app clients", "cognito_machines", machines)
        tokens = self._of("watching", "smoke_tests") if machines else 0
        yield Use("machines", "tokens", "cognito_machine_tokens", tokens)

    def _logging(self, part: str, times: float, name: str) -> Iterator[Use]:
        gigabytes = times * self._of("watching", name) / 1e9
        kept = self._environment.log_days / DAYS * self._of("watching", "log_compression")
        yield Use(part, "log", "log_ingestion", gigabytes)
        yield Use(part, "log", "log_storage", gigabytes * kept)
