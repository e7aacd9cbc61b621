"""What the log may say of a message: its method, protocol version and client, never what it asks."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from mcp_types.methods import SPEC_CLIENT_METHODS, SPEC_CLIENT_NOTIFICATION_METHODS
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from docshelf.request_record import OTHER

_METHODS = SPEC_CLIENT_METHODS | SPEC_CLIENT_NOTIFICATION_METHODS
_MODERN = "io.modelcontextprotocol/"
_LONGEST_NAME = 40
_UNUSUAL = re.compile(r"[^A-Za-z0-9 ._()/@+-]+")


@dataclass(frozen=True, slots=True)
class MessageFacts:
    """Of a JSON-RPC message: None where it does not say."""

    method: str | None = None
    version: str | None = None
    client: str | None = None


def facts_of(body: bytes, version_header: str | None) -> MessageFacts:
    """What a request's body and its MCP-Protocol-Version say; bounded, and never wrong about a damaged one."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return MessageFacts(version=_one_of(KNOWN_PROTOCOL_VERSIONS, version_header))
    if not isinstance(message, dict):
        return MessageFacts(version=_one_of(KNOWN_PROTOCOL_VERSIONS, version_header))
    params = _mapping(message.get("params"))
    meta = _mapping(params.get("_meta"))
    version = version_header or params.get("protocolVersion") or meta.get(f"{_MODERN}protocolVersion")
    client = _mapping(params.get("clientInfo")) or _mapping(meta.get(f"{_MODERN}clientInfo"))
    return MessageFacts(
        _one_of(_METHODS, message.get("method")), _one_of(KNOWN_PROTOCOL_VERSIONS, version), _name(client)
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _one_of(known: frozenset[str] | tuple[str, ...], value: object) -> str | None:
    if value is None:
        return None
    return value if isinstance(value, str) and value in known else OTHER


def _name(client: Mapping[str, object]) -> str | None:
    parts = (client.get("name"), client.get("version"))
    words = [_UNUSUAL.sub("_", part[:_LONGEST_NAME]) for part in parts if isinstance(part, str) and part.strip()]
    return " ".join(words) or None
