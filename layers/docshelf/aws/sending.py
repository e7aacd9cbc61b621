"""Files that are sent as objects, with what a person and a later run want to know of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import BinaryIO

from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

from docshelf.aws.clients import s3_client
from docshelf.aws.faults import faults_of, is_absent
from docshelf.aws.objects import ObjectStore


def send(
    store: ObjectStore,
    key: str,
    file: BinaryIO,
    content_type: str,
    metadata: Mapping[str, str],
    *,
    part_bytes: int,
    on_bytes: Callable[[int], None],
) -> None:
    """Write `file`, from its start to its end, as one object; what is larger than `part_bytes` goes in such parts.

    `on_bytes` is told the bytes of each piece that was read; what it raises ends the sending, and nothing is written.

    Raises:
        StoreUnavailableError, StoreDeniedError, StoreRefusedError: as every method of ObjectStore.
        OSError: the file cannot be read.
    """
    transfer = TransferConfig(multipart_threshold=part_bytes + 1, multipart_chunksize=part_bytes, use_threads=False)
    # The transfer closes what it is given.
    with faults_of(f"The bucket {store.bucket}", "s3:PutObject"), os.fdopen(os.dup(file.fileno()), "rb") as copy:
        copy.seek(0)
        s3_client().upload_fileobj(
            copy,
            store.bucket,
            f"{store.prefix}{key}",
            ExtraArgs={"ContentType": content_type, "Metadata": dict(metadata)},
            Callback=on_bytes,
            Config=transfer,
        )


def noted_metadata(store: ObjectStore, key: str) -> Mapping[str, str]:
    """The metadata that the object was sent with; empty where there is no object.

    Raises:
        StoreUnavailableError, StoreDeniedError, StoreRefusedError: as every method of ObjectStore.
    """
    with faults_of(f"The bucket {store.bucket}", "s3:GetObject"):
        try:
            return s3_client().head_object(Bucket=store.bucket, Key=f"{store.prefix}{key}")["Metadata"]
        except ClientError as error:
            if is_absent(error):
                return {}
            raise
