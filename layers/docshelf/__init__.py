"""docshelf: search a shelf of documents with exact citations.

The package is organised by capability: `documents` reads files, `chunking` cuts them, `embedding` turns chunks into
vectors, `index` stores them, `search` finds passages, `mcp_server` serves them, `local` runs all of it over a folder.
"""

__version__ = "0.1.0"
