"""What the search function must not load: it costs every new instance time and memory."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.started_program import output_of

# Of libraries: formats of documents, the terminal, downloads, and the client of another catalogue (see lance_stub).
LIBRARIES = (
    "charset_normalizer",
    "filelock",
    "lance_namespace_urllib3_client",
    "mammoth",
    "markdown_it",
    "pandas",
    "pypdfium2",
    "rich",
    "selectolax",
)
# Of docshelf: whatever writes an index, follows a folder, or speaks with a person; and queues.
OWN = ("aws.queues", "chunking", "commands", "commit", "documents", "ingest", "local", "prepare", "sqs_batch")
BUCKETS = ("boto3", "docshelf.aws")


def loaded_after(program: str) -> set[str]:
    """The modules of files that a process has loaded when `program` has run."""
    ending = (
        "\nimport json, sys"
        "\nprint(json.dumps([name for name, module in sys.modules.items() if hasattr(module, '__file__')]))"
    )
    return set(json.loads(output_of(program + ending, DOCSHELF_OFFLINE="1")))


def started(address: str) -> set[str]:
    """What an instance has loaded when it waits for its first request."""
    return loaded_after(
        "import docshelf.serving.function\n"
        "from docshelf.serving.index_in_use import IndexInUse\n"
        f"IndexInUse({address!r}, 'all-minilm-l6-v2').close()"
    )


def test_an_instance_loads_nothing_that_answers_no_query() -> None:
    unwanted = {*LIBRARIES, *(f"docshelf.{name}" for name in OWN)}
    assert started("s3://docshelf-index/shelf") & unwanted == set()


def test_an_instance_has_loaded_what_it_reads_a_bucket_with_before_its_first_request() -> None:
    assert set(BUCKETS) <= started("s3://docshelf-index/shelf")


def test_a_directory_is_read_without_what_buckets_need(tmp_path: Path) -> None:
    assert not started(str(tmp_path)) & set(BUCKETS)
