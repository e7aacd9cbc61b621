"""JSON that has one meaning: what two readers could take differently is refused."""

from __future__ import annotations

import json
from typing import NoReturn


def loads(data: bytes | str) -> object:
    """The value of a JSON text; bytes are UTF-8.

    Raises:
        ValueError: it is not JSON, is nested too deep, names a member of an object twice, or holds NaN or Infinity. The
            message does not repeat the text.
    """
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        return json.loads(text, object_pairs_hook=_members, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise ValueError("The text is not UTF-8.") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"The text is not JSON ({error.msg} in line {error.lineno}).") from None
    except RecursionError:
        raise ValueError("The JSON is nested too deep.") from None


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("A name is there twice in one object.")
    return members


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON.")
