"""docshelf: search a shelf of documents with exact citations.

The package is organised by capability: `documents` reads files, `chunking` cuts them, `embedding` turns chunks into
vectors, `index` stores them, `search` finds passages, `mcp_server` serves them, `local` runs all of it over a folder.
"""

from pathlib import Path

__version__ = "0.1.0"

_packed = Path(__file__).parents[1] / "docshelf_packed"
if _packed.is_dir():
    # Before anything imports a library that lies there; on a laptop there is no such directory.
    from docshelf.packed_libraries import install

    install(_packed)
