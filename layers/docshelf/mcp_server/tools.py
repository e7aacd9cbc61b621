"""The four tools: their names, parameters and bounds, as a client lists them."""

from __future__ import annotations

from dataclasses import dataclass

from mcp.types import Tool, ToolAnnotations

from docshelf.mcp_server.arguments import Number, Parameter, Text, schema
from docshelf.mcp_server.shelf import Overview
from docshelf.mcp_server.texts import search_description
from docshelf.states import State

# Below the minimum not even one citation and its marks are sure to fit; above the maximum clients cut the result.
MIN_TOKENS = 300
MAX_TOKENS = 20_000
MAX_LIMIT = 20
MAX_LISTED = 500
# What list_documents and list_collections may cost, as they take no max_tokens: clients warn from 10,000.
LIST_TOKENS = 9_000

_READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

_COLLECTION = Text("collection", "Only documents of this collection, by its name in list_collections.")
_PATH_PREFIX = Text("path_prefix", 'Only documents whose source key starts with this, e.g. "handbook/delivery/".')


def _max_tokens(default: int) -> Number:
    return Number("max_tokens", "About how many tokens the answer may use at most.", MIN_TOKENS, MAX_TOKENS, default)


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool's name, title, fixed description and parameters."""

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]

    def listed(self, description: str | None = None) -> Tool:
        """The tool as clients see it, with `description` in place of the fixed one where given."""
        return Tool(
            name=self.name,
            title=self.title,
            description=description or self.description,
            input_schema=dict(schema(self.parameters)),
            annotations=_READ_ONLY,
        )


SEARCH_DOCUMENTS = ToolDefinition(
    "search_documents",
    "Search documents",
    "Search the documents of this shelf and return passages with exact citations.",
    (
        Text(
            "query",
            "what to look for: a question, key words, an identifier or an error message, in the documents' language.",
            required=True,
        ),
        _COLLECTION,
        _PATH_PREFIX,
        Number("limit", "How many passages to return at most.", 1, MAX_LIMIT, 5),
        _max_tokens(4_000),
    ),
)
GET_DOCUMENT = ToolDefinition(
    "get_document",
    "Read a document",
    "Read the text of one document of this shelf, whole or from a page or line on, by the source key that "
    "search_documents or list_documents gave. Use it when a passage is not enough. An answer that is cut says how to "
    "continue. Give pages or lines, not both.",
    (
        Text("source", "the source key of a document, exactly as another tool gave it.", required=True),
        Number("from_page", "First page to read, counted from 1 (documents with pages only)."),
        Number("to_page", "Last page to read."),
        Number("from_line", "First line to read, counted from 1."),
        Number("to_line", "Last line to read."),
        _max_tokens(8_000),
    ),
)
LIST_DOCUMENTS = ToolDefinition(
    "list_documents",
    "List documents",
    "List the documents of this shelf with title, state, pages and dates, also those that are not searchable and "
    "why. To find information, use search_documents instead.",
    (
        _COLLECTION,
        _PATH_PREFIX,
        Text("state", "Only documents in this state.", choices=tuple(state.value for state in State)),
        Text("cursor", "Where to go on: the cursor that the list before ended with."),
        Number("limit", "How many documents to list at most.", 1, MAX_LISTED, 100),
    ),
)
LIST_COLLECTIONS = ToolDefinition(
    "list_collections",
    "List collections",
    "List the collections of this shelf with the number of documents and when each was last indexed, and say whether "
    "indexing is under way.",
    (),
)
TOOLS = {tool.name: tool for tool in (SEARCH_DOCUMENTS, GET_DOCUMENT, LIST_DOCUMENTS, LIST_COLLECTIONS)}


def listed_tools(overview: Overview | None, blurb: str | None) -> list[Tool]:
    """The tools with texts made from the index; without an overview (it cannot be read just now) the fixed texts."""
    search = search_description(overview, blurb) if overview else None
    return [tool.listed(search if tool is SEARCH_DOCUMENTS else None) for tool in TOOLS.values()]
