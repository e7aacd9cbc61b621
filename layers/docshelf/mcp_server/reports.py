"""What a tool call came to: for the client, and for whoever runs the server."""

from __future__ import annotations

from dataclasses import dataclass

from docshelf.mcp_server.tokens import estimate
from docshelf.mcp_server.tools import TOOLS


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The text for the client's model, the code of the error that it tells of, and how many passages a search found."""

    text: str
    error_code: str | None = None
    hits: int | None = None

    @property
    def is_error(self) -> bool:
        """Whether the text says that the call failed."""
        return self.error_code is not None


@dataclass(frozen=True, slots=True)
class CallReport:
    """What an operator may know of a call: nothing that the caller wrote, and nothing from a document.

    `tool` is one of the four names or "unknown"; `seconds` is the time to the answer; `error_code` is the code of an
    error in `docshelf.errors`; `hits` are the passages found, None where nothing was searched; `tokens` estimates the
    answer.
    """

    tool: str
    seconds: float
    is_error: bool
    error_code: str | None
    hits: int | None
    tokens: int

    @classmethod
    def of(cls, name: str, answer: ToolAnswer, seconds: float) -> CallReport:
        """The report of a call for the tool `name`, whatever the caller wrote there."""
        tool = name if name in TOOLS else "unknown"
        return cls(tool, seconds, answer.is_error, answer.error_code, answer.hits, estimate(answer.text))
