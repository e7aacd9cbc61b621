"""How LanceDB, which has its own client of S3, reaches a bucket as boto3 does."""

from __future__ import annotations

import os
from functools import lru_cache

from botocore.exceptions import BotoCoreError, ClientError

from docshelf.aws.clients import ATTEMPTS, credentials, s3_client, s3_endpoint
from docshelf.settings import request_seconds

# Where LanceDB looks for itself, and goes on looking when they run out.
_FOUND_BY_LANCEDB = frozenset({"env", "container-role", "iam-role", "assume-role-with-web-identity"})


def storage_options(bucket: str) -> dict[str, str]:
    """Endpoint, region, timeouts, and credentials if boto3 found them where LanceDB does not look (profile, SSO …).

    Raises:
        SettingsError: DOCSHELF_REQUEST_SECONDS is wrong.
        botocore.exceptions.BotoCoreError: credentials are set up but cannot be fetched.
    """
    seconds = request_seconds(os.environ)
    options = {
        "timeout": f"{seconds}s",
        "connect_timeout": f"{seconds}s",
        "client_max_retries": str(ATTEMPTS),
        "client_retry_timeout": str(ATTEMPTS * seconds),
    }
    endpoint = s3_endpoint()
    if endpoint:
        options |= {"endpoint": endpoint, "region": s3_client().meta.region_name}
        if endpoint.startswith("http://"):
            options["allow_http"] = "true"
    else:
        options["region"] = _region_of(bucket, s3_client().meta.region_name)
    found = credentials()
    if found is not None and found.method not in _FOUND_BY_LANCEDB:
        frozen = found.get_frozen_credentials()
        options |= {"access_key_id": frozen.access_key or "", "secret_access_key": frozen.secret_key or ""}
        if frozen.token:
            options["session_token"] = frozen.token
    return options


@lru_cache(maxsize=16)
def _region_of(bucket: str, otherwise: str) -> str:
    """The bucket's region: boto3 follows it there, LanceDB does not."""
    try:
        return s3_client().head_bucket(Bucket=bucket).get("BucketRegion") or otherwise
    except (ClientError, BotoCoreError):
        return otherwise
