"""The index: the only part that touches LanceDB.

Importing this package is cheap. `docshelf.index.store` imports LanceDB (half a second): import it where an index
is opened, not at the top of a command that may end without one.
"""

import os

import docshelf.index.lance_stub  # noqa: F401  before any module here imports LanceDB

# Read once, when LanceDB is imported: its warnings about its own work (an empty partition) tell a person nothing.
os.environ.setdefault("LANCEDB_LOG", "error")
