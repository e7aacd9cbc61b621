"""A model's stand-in: the one answer that a coding client needs to call a tool, and the tool's answer said back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.support.api_gateway_server import WireAnswer, WireRequest, http_front, own_answer


@contextmanager
def fake_model(tool: str, arguments: Mapping[str, object]) -> Iterator[str]:
    """The address of a server that speaks the Messages API, for `ANTHROPIC_BASE_URL`; it ends with the block.

    It asks for a call of `tool`, then says what the tool answered.
    """

    def respond(request: WireRequest) -> WireAnswer:
        if request.method != "POST" or not request.target.startswith("/v1/messages"):
            return own_answer(404, "Not Found")
        asked = json.loads(request.body)
        heard = _tool_answer(asked["messages"])
        if heard is None:
            block = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": {}}
            part = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        else:
            block, part = {"type": "text", "text": ""}, {"type": "text_delta", "text": heard}
        body = _stream(asked["model"], block, part, "tool_use" if heard is None else "end_turn")
        return WireAnswer(200, [("content-type", "text/event-stream")], body)

    with http_front(respond) as url:
        yield url


def _tool_answer(messages: list[dict[str, Any]]) -> str | None:
    """What the tool answered, None before it was called."""
    content = messages[-1]["content"]
    for part in content if isinstance(content, list) else ():
        if part["type"] == "tool_result":
            answer = part["content"]
            return answer if isinstance(answer, str) else "\n".join(piece["text"] for piece in answer)
    return None


def _stream(model: str, block: dict[str, Any], part: dict[str, Any], reason: str) -> bytes:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [], "usage": usage}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": part},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
