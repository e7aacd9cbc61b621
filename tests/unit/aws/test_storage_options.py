"""LanceDB reaches a bucket with the options that it is given."""

from __future__ import annotations

from pathlib import Path

import lancedb
import pytest

from docshelf.aws.objects import ObjectStore
from docshelf.errors import StoreDeniedError
from tests.support.cloud import Cloud
from tests.support.scripted_s3 import Answer, Script, error

_VARIABLES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


def test_lancedb_reaches_the_bucket_with_the_options(cloud: Cloud) -> None:
    store = ObjectStore(cloud.index_bucket, "index")
    options = store.storage_options()
    assert "access_key_id" not in options
    database = lancedb.connect(store.uri, storage_options=options)
    database.create_table("numbers", [{"number": 1}])
    assert lancedb.connect(store.uri, storage_options=options).open_table("numbers").count_rows() == 1
    assert any(entry.key.startswith("numbers.lance/") for entry in store.list())


@pytest.mark.parametrize("token", ["", "aws_session_token = token-of-profile\n"])
def test_credentials_of_a_profile_are_handed_on(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, token: str
) -> None:
    for name in _VARIABLES:
        monkeypatch.delenv(name)
    path = tmp_path / "credentials"
    path.write_text(f"[other]\naws_access_key_id = key-of-profile\naws_secret_access_key = secret-of-profile\n{token}")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(path))
    monkeypatch.setenv("AWS_PROFILE", "other")
    options = ObjectStore(cloud.index_bucket).storage_options()
    assert options["access_key_id"] == "key-of-profile"
    assert options["secret_access_key"] == "secret-of-profile"
    assert options.get("session_token") == ("token-of-profile" if token else None)


def test_nobody_logged_in_leaves_it_to_lancedb(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _VARIABLES:
        monkeypatch.delenv(name)
    assert "access_key_id" not in ObjectStore(cloud.index_bucket).storage_options()


def test_a_profile_that_does_not_exist_is_told(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(StoreDeniedError, match="AWS_PROFILE"):
        ObjectStore(cloud.index_bucket).storage_options()


def test_plain_http_is_allowed_only_where_the_endpoint_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://127.0.0.1:9")
    assert "allow_http" not in ObjectStore("bucket").storage_options()
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
    options = ObjectStore("bucket").storage_options()
    assert (options["allow_http"], options["endpoint"]) == ("true", "http://127.0.0.1:9")


def test_the_timeouts_are_those_of_the_setting(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCSHELF_REQUEST_SECONDS", "7")
    options = ObjectStore(cloud.index_bucket).storage_options()
    assert (options["timeout"], options["client_retry_timeout"]) == ("7s", "21")


@pytest.mark.parametrize(
    ("answer", "region"),
    [(Answer(headers={"x-amz-bucket-region": "eu-north-1"}), "eu-north-1"), (error(403, "AccessDenied"), "us-east-1")],
)
def test_the_region_is_the_buckets_where_that_can_be_told(
    scripted: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer, region: str
) -> None:
    # A profile's endpoint reaches boto3 alone, as if it were Amazon's own.
    path = tmp_path / "config"
    path.write_text(f"[default]\nendpoint_url = {scripted.url}\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(path))
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    scripted.on("HEAD", answer)
    options = ObjectStore(f"bucket-of-{region}").storage_options()
    assert options["region"] == region
