"""Which keys a message to the ingest queue is about.

Read are events of S3 that came through EventBridge (keys as they are) or straight from the bucket (keys encoded as in
an address), ends of Amazon Textract's jobs (as they are, or wrapped by SNS), and messages of ours. What happened to a
key is not read: the bucket is asked for what it holds now.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote_plus

from docshelf.errors import MessageError
from docshelf.messages import KIND, LookAt, parse_object

_TEST_EVENT = "s3:TestEvent"
_SNS_NOTIFICATION = "Notification"


def keys_of(body: str, bucket: str) -> tuple[str, ...]:
    """The keys of `bucket` that the message `body` names; none for S3's test event and for events of other buckets.

    Raises:
        MessageError: it is no message that docshelf reads; the sentence does not repeat it.
    """
    value = parse_object(body)
    if value.get("Type") == _SNS_NOTIFICATION and isinstance(value.get("Message"), str):
        value = parse_object(str(value["Message"]))
    if KIND in value:
        key = value.get("key")
        if value[KIND] == LookAt.kind and isinstance(key, str) and key:
            return (key,)
        raise MessageError("A message to the ingest queue is of a kind for another queue, or names no key.")
    if value.get("Event") == _TEST_EVENT:
        return ()
    if value.get("source") == "aws.s3":
        return _keys([_section(value, "detail")], bucket, encoded=False)
    if "JobId" in value:
        return _recognised(_section(value, "DocumentLocation", "An end of a job of Amazon Textract"), bucket)
    records = value.get("Records")
    if isinstance(records, list) and all(isinstance(record, dict) for record in records):
        return _keys([_section(record, "s3") for record in records], bucket, encoded=True)
    raise MessageError("A message to the ingest queue is no event of S3, nor the end of a job of Amazon Textract.")


def _recognised(location: Mapping[str, object], bucket: str) -> tuple[str, ...]:
    key = location.get("S3ObjectName")
    if not isinstance(key, str) or not key:
        raise MessageError("An end of a job of Amazon Textract names no key.")
    return (key,) if location.get("S3Bucket") == bucket else ()


def _keys(details: list[Mapping[str, object]], bucket: str, *, encoded: bool) -> tuple[str, ...]:
    keys: dict[str, None] = {}
    for detail in details:
        key = _section(detail, "object").get("key")
        if not isinstance(key, str) or not key:
            raise MessageError("An event of S3 names no key.")
        if _section(detail, "bucket").get("name") == bucket:
            keys[_decoded(key) if encoded else key] = None
    return tuple(keys)


def _decoded(key: str) -> str:
    try:
        return unquote_plus(key, errors="strict")
    except UnicodeDecodeError:
        raise MessageError("An event of S3 names a key that is not encoded as S3 does it.") from None


def _section(value: Mapping[str, object], name: str, what: str = "An event of S3") -> Mapping[str, object]:
    found = value.get(name)
    if not isinstance(found, dict):
        raise MessageError(f"{what} has no {name}.")
    return found
