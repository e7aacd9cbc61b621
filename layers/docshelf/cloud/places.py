"""Where the documents and the index are in the cloud, as commands are told."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote
from typing import TYPE_CHECKING

from docshelf.errors import InvalidArgumentError

if TYPE_CHECKING:
    from docshelf.aws.objects import ObjectStore

_S3 = "s3://"


def documents_store(bucket: str) -> ObjectStore:
    """The bucket of the documents, by its name or as `s3://BUCKET`.

    Raises:
        InvalidArgumentError: it is neither.
    """
    from docshelf.aws.objects import ObjectStore  # boto3 takes a while to import

    store = ObjectStore.from_uri(bucket if ":" in bucket else f"{_S3}{bucket}")
    if store.prefix:
        raise InvalidArgumentError(
            f"An index follows a whole bucket: name it as {_S3}{store.bucket}, without {store.prefix.rstrip('/')}."
        )
    return store


def reindex_command(index: str) -> str:
    """The command that makes the index at this address anew."""
    return f"./scripts/reindex --index {quote(index)}"


def remedy(index: str) -> str:
    """The clause that ends the sentence of an index that cannot be read."""
    return f"to make it anew, run: {reindex_command(index)}"


def refuse_index_below(store: ObjectStore, environment: Mapping[str, str]) -> None:
    """Make sure that deleting below `store` cannot reach the index of the environment.

    Raises:
        InvalidArgumentError: `DOCSHELF_INDEX` lies below it, or it within that.
    """
    index = environment.get("DOCSHELF_INDEX", "").strip().rstrip("/")
    below = f"{index}/".removeprefix(f"{store.uri}/")
    if below != f"{index}/" and ".docshelf" not in below.split("/"):  # which holds no documents, and stays
        raise InvalidArgumentError(
            f"The index at {index} lies below {store.uri}, and --delete would delete it: choose another address."
        )
    if index and f"{store.uri}/".startswith(f"{index}/"):
        raise InvalidArgumentError(
            f"{store.uri} lies in the index at {index}, and --delete would delete parts of it: choose another address."
        )
