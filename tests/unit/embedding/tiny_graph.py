"""A network of a few numbers, written as an ONNX file by hand: an embedding table, and a mean where wanted."""

from __future__ import annotations

import struct
from collections.abc import Sequence

_FLOAT, _INT64 = 1, 7


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _nested(field: int, content: bytes | str) -> bytes:
    content = content.encode() if isinstance(content, str) else content
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _value(name: str, kind: int) -> bytes:
    return _nested(1, name) + _nested(2, _nested(1, _number(1, kind)))


def _node(kind: str, inputs: Sequence[str], output: str, attributes: bytes = b"") -> bytes:
    return b"".join(_nested(1, name) for name in inputs) + _nested(2, output) + _nested(4, kind) + attributes


def _attribute(name: str, value: bytes, kind: int) -> bytes:
    return _nested(5, _nested(1, name) + value + _number(20, kind))


def graph(table: Sequence[Sequence[float]], inputs: Sequence[str], output: str, *, pooled: bool = False) -> bytes:
    """The bytes of a model that looks up row `input_ids[i]` of `table`; `pooled` gives the rows' mean instead."""
    flat = [number for row in table for number in row]
    tensor = _number(1, len(table)) + _number(1, len(table[0])) + _number(2, _FLOAT) + _nested(8, "table")
    tensor += _nested(9, struct.pack(f"<{len(flat)}f", *flat))
    nodes = _nested(1, _node("Gather", ["table", inputs[0]], "rows" if pooled else output))
    if pooled:
        axes = _attribute("axes", _number(8, 1), 7) + _attribute("keepdims", _number(3, 0), 2)
        nodes += _nested(1, _node("ReduceMean", ["rows"], output, axes))
    body = nodes + _nested(2, "tiny") + _nested(5, tensor)
    body += b"".join(_nested(11, _value(name, _INT64)) for name in inputs) + _nested(12, _value(output, _FLOAT))
    return _number(1, 8) + _nested(7, body) + _nested(8, _nested(1, "") + _number(2, 13))
