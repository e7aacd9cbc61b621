"""The index: the only part that touches LanceDB.

Importing this package is cheap. `docshelf.index.store` imports LanceDB (a second or two): import it where an index
is opened, not at the top of a command that may end without one.
"""

import os

# Read once, when LanceDB is imported: its warnings about its own work (an empty partition) tell a person nothing.
os.environ.setdefault("LANCEDB_LOG", "error")
